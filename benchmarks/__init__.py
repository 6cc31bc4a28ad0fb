"""Benchmarks: each is a command, `python -m benchmarks.<name>`, whose tables keep the machine's description."""
