"""What small swarms learn, and how their members lie."""
