"""What a client does about a suspend of the computer: it leaves its run before, and joins it again afterwards."""
