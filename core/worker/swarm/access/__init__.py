"""The admissions of a closed run in its DHT, and the RPC by which invitations are redeemed."""
