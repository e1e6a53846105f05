"""A service of this person that trains without a desktop: what manages it, its unit, and the program that it starts."""
