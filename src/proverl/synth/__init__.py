"""Synthesis: dependency graph, sampled state, conversations whose calls really execute, replay."""
