"""Tests of `core.service`, and of the command `service`."""
