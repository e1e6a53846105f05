"""When this computer is free for training: what is observed, the owner's rules, and the one decision they lead to."""
