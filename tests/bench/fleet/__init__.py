"""What `workerbee fleet` takes while it watches a thousand peers."""
