"""The package in bare systems, from its installation to its removal: `make installer-test`."""
