"""The engine: torch for this computer, hivemind and what they need, in an environment made for one person."""
