"""Solvers: streams of iterates under one driver."""
