"""The whole program on real desktops: X11 with a tray, Wayland without one, and a screen reader."""
