"""The worker as an operating-system process: its pipe, its forked children, its emergency exit."""
