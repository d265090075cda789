"""Who writes the two sides of a conversation."""
