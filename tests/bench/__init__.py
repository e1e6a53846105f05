"""`make bench`: how fast Workerbee is, against bare hivemind, measured in turn on one machine."""
