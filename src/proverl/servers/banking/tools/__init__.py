"""The tools of the banking server, one module for each noun."""
