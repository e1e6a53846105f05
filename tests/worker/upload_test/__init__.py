"""Tests of core/worker/swarm/upload_test."""
