"""The page of what this computer has given, and its parts: sums, bars, table, picture to share."""
