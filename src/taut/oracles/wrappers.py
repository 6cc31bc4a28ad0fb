"""Wrappers for oracles written in Python: remember answers, and check them."""

import math
from typing import Any

from ..plane import Band, Cone
from .protocol import Answer, Oracle

__all__ = ["OracleError", "cached", "checked"]


class OracleError(ValueError):
    """An oracle broke its word: the message names the question and the label."""


def cached(oracle: Oracle) -> "Cached":
    """The same oracle, asked each question once."""
    return Cached(_offering(oracle))


def checked(oracle: Oracle) -> "Checked":
    """The same oracle, every answer checked against the question and against all labels that it has shown so far.

    Raises `OracleError` on NaN or infinite points, negative losses, a label outside the region asked for, "no label here"
    where a known label lies, and an argmax that a known label beats by more than rounding.
    """
    return Checked(_offering(oracle))


def _offering(oracle: Oracle) -> Oracle:
    if not callable(getattr(oracle, "argmax", None)):
        raise TypeError(f"`oracle` must offer `argmax(lam)`; found {type(oracle).__name__}. Wrap the oracle, not its name.")
    return oracle


class Cached:
    """See `cached`. `n_asked` counts the questions that reached the oracle."""

    def __init__(self, oracle: Oracle) -> None:
        self._oracle = oracle
        self._answers: dict[Any, Any] = {}
        self.losses = getattr(oracle, "losses", ())
        self.n_asked = 0

    def _once(self, method: str, *question: Any) -> Any:
        if (method, question) not in self._answers:
            self._answers[method, question] = getattr(self._oracle, method)(*question)
            self.n_asked += 1
        return self._answers[method, question]

    def argmax(self, lam: float) -> Answer:
        return self._once("argmax", lam)  # type: ignore[no-any-return]

    def argmax_in_cone(self, lam: float, cone: Cone) -> Answer | None:
        return self._once("argmax_in_cone", lam, cone)  # type: ignore[no-any-return]

    def argmax_in_band(self, lam: float, lo: float, hi: float) -> Answer | None:
        return self._once("argmax_in_band", lam, lo, hi)  # type: ignore[no-any-return]

    def extremes(self) -> tuple[Answer, Answer]:
        return self._once("extremes")  # type: ignore[no-any-return]


class Checked:
    """See `checked`."""

    def __init__(self, oracle: Oracle) -> None:
        self._oracle = oracle
        self._seen: list[Answer] = []
        self.losses = getattr(oracle, "losses", ())

    def argmax(self, lam: float) -> Answer:
        answer = self._checked(f"argmax(lam={lam!r})", self._oracle.argmax(lam), lam, None)
        if answer is None:
            raise OracleError(f"argmax(lam={lam!r}) must return a label; found None.")
        return answer

    def argmax_in_cone(self, lam: float, cone: Cone) -> Answer | None:
        question = f"argmax_in_cone(lam={lam!r}, {cone})"
        return self._checked(question, self._oracle.argmax_in_cone(lam, cone), lam, cone)

    def argmax_in_band(self, lam: float, lo: float, hi: float) -> Answer | None:
        question = f"argmax_in_band(lam={lam!r}, lo={lo!r}, hi={hi!r})"
        return self._checked(question, self._oracle.argmax_in_band(lam, lo, hi), lam, Band(lo, hi))

    def extremes(self) -> tuple[Answer, Answer]:
        greatest_h, greatest_g = self._oracle.extremes()
        for question, answer, axis in (("greatest h", greatest_h, 1), ("greatest g", greatest_g, 2)):
            self._check_point(f"extremes(), {question}", answer)
            for known in self._seen:
                if known[axis] > answer[axis] + _slack(known[axis], answer[axis]):
                    raise OracleError(f"extremes(): {answer} is not of {question}; label {known} was shown before.")
        return greatest_h, greatest_g

    def _checked(self, question: str, answer: Answer | None, lam: float, region: Cone | Band | None) -> Answer | None:
        rivals = [known for known in self._seen if region is None or region.contains(known.h, known.g)]
        if answer is None:
            if rivals:
                raise OracleError(f"{question} found no label; label {rivals[0]} was shown before and lies there.")
            return None
        answer = Answer(*answer)
        self._check_point(question, answer)
        if region is not None and not region.contains(answer.h, answer.g):
            raise OracleError(f"{question} answered {answer}, which lies outside the region asked for.")
        score = answer.h + lam * answer.g
        for known in rivals:
            slack = _slack(known.h, lam * known.g, answer.h, lam * answer.g)
            if known.h + lam * known.g > score + slack:
                raise OracleError(f"{question} answered {answer} of score {score!r}; label {known} shown before beats it.")
        self._seen.append(answer)
        return answer

    def _check_point(self, question: str, answer: Answer) -> None:
        _, h, g = answer
        if not (math.isfinite(h) and math.isfinite(g)):
            raise OracleError(f"{question} answered {answer}: h and g must be finite.")
        if g < 0:
            raise OracleError(f"{question} answered {answer}: the loss g must be >= 0.")


def _slack(*terms: float) -> float:
    """What rounding can do to a sum of these terms, with room for oracles that sum in another order."""
    return 1e-12 * max(abs(term) for term in terms)
