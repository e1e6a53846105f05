"""What a confined worker has done by processes that may do more: calls to them, and the one that holds the network."""
