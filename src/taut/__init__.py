"""Structural SVMs with exact slack rescaling. A rope without slack is taut."""

from .search import SearchResult

__version__ = "0.1.0"

__all__ = ["SearchResult", "__version__"]
