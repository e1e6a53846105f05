"""Whether newcomers reach the address that an organiser has posted, and what to do where they do not."""
