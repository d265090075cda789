"""Faults planted into the sources, one at a time, and the tests that should find each."""
