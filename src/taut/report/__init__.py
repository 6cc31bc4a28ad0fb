"""What is told about a model: facts and certificate, scores, strongest weights, and a page with all of these."""

from .facts import facts, label_scores, scores
from .page import write_page
from .weights import strongest_pairs, strongest_weights

__all__ = ["facts", "label_scores", "scores", "strongest_pairs", "strongest_weights", "write_page"]
