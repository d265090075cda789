"""GRPO through TRL."""
