"""Untrusted input made safe and our own keys: identities and signatures, trust on first use, sanitised text,
bounded TOML, verified downloads, no private addresses.
"""
