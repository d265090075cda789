"""The tools of the filesystem server, by what they do."""
