"""The page of an organiser and its parts: runs published from here, the fleet of one run, charts, table of peers."""
