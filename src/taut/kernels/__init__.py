"""Compiled code: numba on plain arrays. Imports numpy, numba and the arithmetic of the plane, nothing else."""
