"""What is made of that which several peers send of one part, when one of them may lie; nothing here does any RPC."""
