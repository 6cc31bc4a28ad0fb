"""What an oracle is: one example's plane of labels, asked questions."""

from typing import Any, NamedTuple, Protocol

from ..plane import Cone

__all__ = ["Answer", "Oracle"]


class Answer(NamedTuple):
    """A label and its point in the plane."""

    label: Any
    h: float
    g: float


class Oracle(Protocol):
    """One example's plane. What an oracle cannot do it does not define, or raises on: it never answers another question.

    Searches on the multiplier alone (`binary`, `sarawagi`, `bisecting`) ask `argmax`; `lens_search` asks bands beside,
    `angular_search` asks only cones. Ties may go to any label.
    """

    def argmax(self, lam: float) -> Answer:
        """Maximise h + lam g over all labels, lam > 0 (the paper's lambda-oracle, eq. 7)."""
        ...

    def argmax_in_cone(self, lam: float, cone: Cone) -> Answer | None:
        """The same among labels whose slope lies in the cone (constrained lambda-oracle, eq. 8); None where there is none."""
        ...

    def argmax_in_band(self, lam: float, lo: float, hi: float) -> Answer | None:
        """The same among labels with lo < g < hi; None where there is none."""
        ...

    def extremes(self) -> tuple[Answer, Answer]:
        """The labels of greatest h and of greatest g."""
        ...
