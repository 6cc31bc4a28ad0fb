"""What is told about a model in figures: its facts and its scores."""

from typing import Any

import numpy as np

from .. import metrics
from ..metrics.label_sets import are_sets

__all__ = ["facts", "label_scores", "scores"]


def facts(model: Any) -> dict[str, Any]:
    """What a fitted estimator is, what is proved about its weights, and what its training cost, as plain values."""
    params = fitted(model).get_params(deep=False)
    loss = params["loss"] if isinstance(params["loss"], str) else type(params["loss"]).__name__
    known = {
        "estimator": type(model).__name__,
        "labels": len(model.classes_),
        "features": int(model.n_features_in_),
        "parameters": int(model.coef_.size + model.intercept_.size + (0 if model.pairwise_ is None else model.pairwise_.size)),
        "loss": loss,
        "rescaling": params["rescaling"],
        "C": float(params["C"]),
        "solver": params["solver"],
    }
    history = getattr(model, "history_", ())
    if not history:  # made by partial_fit, which proves nothing
        return known
    objective = float(model.primal_objective_)
    return known | {
        "objective": objective,
        "lower_bound": float(model.dual_objective_),
        "relative_gap": float(model.duality_gap_) / abs(objective) if objective else 0.0,
        "status": model.status_,
        "passes": int(model.n_iter_),
        "seconds": float(history[-1].seconds),
        "oracle_calls": int(history[-1].n_queries),
        "certified": float(history[-1].certified),
    }


def fitted(model: Any) -> Any:
    """The model, which must be a fitted estimator of taut."""
    from sklearn.utils.validation import check_is_fitted

    if not hasattr(model, "get_params"):
        raise TypeError(f"`model` must be a fitted estimator of taut; found {type(model).__name__}.")
    check_is_fitted(model)
    return model


def scores(model: Any, Y: Any, found: Any) -> dict[str, float]:
    """The metrics that go with a model's labels, of its predictions `found` where the truth is Y."""
    fitted(model)
    if are_sets(found):
        Y, found = (_indicators(y, model.classes_) if are_sets(y) else y for y in (Y, found))
    if isinstance(found, list):
        return _of_sequences(Y, found)
    if getattr(found, "ndim", 2) == 1:
        return {"accuracy": 1.0 - metrics.position_error([Y], [found])}
    named = ("jaccard_accuracy", "example_f1", "micro_f1", "macro_f1", "exact_match", "hamming_loss")
    return {name: getattr(metrics, name)(Y, found) for name in named}


def _of_sequences(Y: Any, found: Any) -> dict[str, float]:
    told = {"position_error": metrics.position_error(Y, found), "sequence_error": metrics.sequence_error(Y, found)}
    tags = {str(tag) for y in (*Y, *found) for tag in y.tolist()}
    chunks = any(tag[:2] in ("B-", "I-") for tag in tags) and all(tag == "O" or tag[:2] in ("B-", "I-") for tag in tags)
    return told | ({"span_f1": metrics.span_f1(Y, found)} if chunks else {})


def label_scores(model: Any, Y: Any, found: Any) -> list[dict[str, Any]]:
    """Precision, recall and F1 of each label; nothing to find and nothing found counts 1."""
    names = fitted(model).classes_.tolist()
    scores(model, Y, found)  # raises where they do not go together
    true, predicted = (_indicators(y, model.classes_) for y in (Y, found))
    both, n_true, n_predicted = (true & predicted).sum(axis=0), true.sum(axis=0), predicted.sum(axis=0)
    return [
        {
            "label": name,
            "n_true": int(t),
            "n_predicted": int(p),
            "precision": _ratio(b, p, t),
            "recall": _ratio(b, t, p),
            "f1": _ratio(2 * b, t + p, 0),
        }
        for name, b, t, p in zip(names, both, n_true, n_predicted, strict=True)
    ]


def _indicators(Y: Any, classes: Any) -> Any:
    """Truth values (rows, labels), a row per example or position."""
    if are_sets(Y):
        return np.array([[name in y for name in classes.tolist()] for y in Y])
    if isinstance(Y, np.ndarray) and Y.ndim == 2:
        return Y > 0
    flat = np.concatenate(Y) if isinstance(Y, list) else Y
    return flat[:, None] == classes[None, :]


def _ratio(part: int, whole: int, other: int) -> float:
    """Part / whole; where whole is 0, 1 if there is nothing on the other side either."""
    return float(part / whole) if whole else float(not other)
