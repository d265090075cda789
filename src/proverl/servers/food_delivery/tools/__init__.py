"""The tools of the food delivery app, one module for each noun."""
