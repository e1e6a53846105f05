"""The window of Workerbee: what a volunteer sees and clicks."""
