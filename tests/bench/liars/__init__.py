"""What a liar costs those who average gradients with it."""
