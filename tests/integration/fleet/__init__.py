"""Real peers, and somebody who only watches them."""
