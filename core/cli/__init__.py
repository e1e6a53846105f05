"""The headless front end: the command `workerbee`, as thin on core.client as the window is."""
