"""What the pages are made of; no widget knows the client, a thread or another page."""
