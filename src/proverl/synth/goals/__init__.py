"""What a user could want next, with arguments that are known to work."""
