"""Which call stands for which step, and whether what was asked for is done."""
