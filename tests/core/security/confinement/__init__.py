"""Tests of core.security.confinement."""
