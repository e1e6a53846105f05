"""Local SGD between several real peers, on good days and bad ones."""
