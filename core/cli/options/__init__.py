"""Options that several commands have, and the values that may be typed for them."""
