"""What is installed on this computer: the training engine, and Workerbee itself."""
