"""What is shipped beside the programs and is no program."""
