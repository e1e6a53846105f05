"""Texts of what the owner sets and sees of it: what each rule sees, the last pauses, and what is kept of a person."""
