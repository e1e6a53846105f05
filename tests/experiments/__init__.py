"""What others have found about training together, tried again small: `make experiments`."""
