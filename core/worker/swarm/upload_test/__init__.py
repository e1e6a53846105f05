"""How fast the line is: a short upload, which a peer of the run confirms, and the downloads that come anyway."""
