"""The desktop and operating system: D-Bus, autostart, single instance, suspend, signals, links, tray
availability.
"""
