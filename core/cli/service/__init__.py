"""The command `service`: installing, removing and examining the service, and what the service itself does."""
