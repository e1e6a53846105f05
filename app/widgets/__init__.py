"""Widgets that several pages use; none of them knows the client, a thread or a page."""
