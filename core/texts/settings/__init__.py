"""Texts of what the owner sets and sees of it: what each rule sees, and what is kept of a person."""
