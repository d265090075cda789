"""The tests of the library: ways to refusals, the order of checks, oracles of reads, invariants."""
