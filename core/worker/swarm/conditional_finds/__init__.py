"""A look in the DHT that says what it knows already, and an answer with what is new alone; plain peers see neither."""
