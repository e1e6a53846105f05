"""Everything that trains: the only rooms with torch and hivemind; started by name, never imported."""
