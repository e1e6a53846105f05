"""What a run is: its address, its manifest (signed), its run file with validation and lint, and what it
requires of a computer.
"""
