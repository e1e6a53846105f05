"""Several runs in an order: which of them is helped and why, looks at the others, and the file that keeps it."""
