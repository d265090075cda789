"""What a server needs, and nothing about any domain."""
