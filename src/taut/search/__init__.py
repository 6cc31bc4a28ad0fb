"""Searches for the label of greatest product h g, one strategy a file."""

from .angular import angular_search
from .binary import binary_search
from .bisecting import bisecting_search
from .lens import lens_search
from .sarawagi import sarawagi_search
from .session import Query, SearchResult, Trace
from .timed import timed_search

__all__ = [
    "Query",
    "SearchResult",
    "Trace",
    "angular_search",
    "binary_search",
    "bisecting_search",
    "lens_search",
    "sarawagi_search",
    "timed_search",
]
