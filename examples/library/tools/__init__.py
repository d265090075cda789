"""The tools of the library, one module for each noun."""
