"""One presenter for each page: it makes the page, connects its signals to the controllers, and shows what is so."""
