"""Text, live and JSON output of a session; formatting of figures and errors."""
