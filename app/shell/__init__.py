"""The main window, its navigation, tray, shutdown and dialogs."""
