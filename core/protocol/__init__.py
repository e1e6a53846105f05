"""The worker protocol: commands, worker events, client events, localisable text, JSON-lines codec."""
