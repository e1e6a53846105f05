"""What a display server tells, an X server or a Wayland compositor: the idle time, a full-screen program in front."""
