"""scikit-learn's own callbacks, `model.set_callbacks(ProgressBar())`, where scikit-learn has them (1.9 and later)."""

from collections.abc import Callable
from typing import Any, TypeVar

from ..solvers import Measure

__all__ = ["CallbackSupportMixin", "ended", "managed", "watchers"]

F = TypeVar("F", bound=Callable[..., Any])

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # before 1.9
    with_callbacks = None

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands for scikit-learn's; without `set_callbacks`."""


def managed(method: F) -> F:
    """A `fit` after which scikit-learn tears its callbacks down, whatever happens."""
    return method if with_callbacks is None else with_callbacks(method)


def watchers(model: Any, X: Any, Y: Any) -> list[Callable[[Any, Measure], bool]]:
    """Scikit-learn's callbacks as one of ours: each measurement is a task of the fit, at whose end the model is as measured."""
    if with_callbacks is None:
        return []
    context = model._init_callback_context(max_subtasks=None)  # documented by scikit-learn for estimators of others
    context.call_on_fit_task_begin(estimator=model, X=X, y=Y)
    if not vars(model).get("_skl_callbacks"):
        return []

    def watch(fitted: Any, measure: Measure) -> bool:
        task = context.subcontext(task_name="measurement")
        task.call_on_fit_task_begin(estimator=fitted, X=X, y=Y)
        return bool(task.call_on_fit_task_end(estimator=fitted, X=X, y=Y, reconstruction_attributes={}))

    return [watch]


def ended(model: Any, X: Any, Y: Any) -> None:
    """Tell scikit-learn's callbacks that the fit is over."""
    if with_callbacks is not None:
        model._callback_fit_ctx.call_on_fit_task_end(estimator=model, X=X, y=Y, reconstruction_attributes={})
