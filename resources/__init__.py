"""What is shipped beside the programs."""
