"""proverl: programmatic rewards on verified environments."""
