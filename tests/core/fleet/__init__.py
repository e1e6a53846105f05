"""Tests of core.fleet."""
