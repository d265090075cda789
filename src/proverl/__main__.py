"""`python -m proverl` is the command."""

from .cli import main

main()
