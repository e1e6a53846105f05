"""Generic layouts."""
