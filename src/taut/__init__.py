"""Structural SVMs with exact slack rescaling. A rope without slack is taut."""

from typing import TYPE_CHECKING, Any

from .search import SearchResult

if TYPE_CHECKING:
    from .estimators import ChainSSVM, GraphSSVM, HierarchicalSSVM, MatchingSSVM, MulticlassSSVM, MultiLabelSSVM, TreeSSVM, load

__version__ = "0.1.0"

__all__ = [
    "ChainSSVM",
    "GraphSSVM",
    "HierarchicalSSVM",
    "MatchingSSVM",
    "MultiLabelSSVM",
    "MulticlassSSVM",
    "SearchResult",
    "TreeSSVM",
    "__version__",
    "load",
]


def __getattr__(name: str) -> Any:
    """Load estimators, and scikit-learn with them, on first use."""
    if name not in __all__:
        raise AttributeError(f"module 'taut' has no attribute {name!r}")
    from . import estimators

    return getattr(estimators, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
