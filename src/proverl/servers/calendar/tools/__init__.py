"""The tools of the calendar server, one module for each noun."""
