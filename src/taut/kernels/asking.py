"""Calls of a structure, compiled or not: `ask`, `solve`, `parts_of`, `prepare`. Searches and passes are written against them once.

Compiled, the first argument is the address of a C callback of the signatures in `compiling`; interpreted, it is a Python callable
with the same arguments.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

__all__ = ["BAND", "CONE", "GREATEST_G", "GREATEST_H", "PLANE", "ask", "parts_of", "prepare", "solve"]

#: Kinds of question. CONE reads region = (h, g of the lower ray, h, g of the upper, lower closed, upper closed); BAND (lo, hi).
PLANE, CONE, BAND, GREATEST_H, GREATEST_G = range(5)

_WORD, _DOUBLE = ir.IntType(64), ir.DoubleType()


def ask(
    oracle: Any, kind: int, lam: float, region: Any, shared: Any, pool: Any, target: Any, theta: Any, label: Any, point: Any
) -> int:
    """Put a question; the label goes to `label`, (h, g) to `point`. Returns 1, or 0 where the region holds no label."""
    return int(oracle(kind, lam, region, shared, pool, target, theta, label, point))


def solve(
    method: Any, rescaling: int, lam: float, threshold: float, tol: float, shared: Any, pool: Any, target: Any, theta: Any,
    label: Any, out: Any,
) -> int:  # fmt: skip
    """Run a direct exact method of signature `compiling.BEST`. Returns 1 where a label beats the threshold, else 0."""
    return int(method(rescaling, lam, threshold, tol, shared, pool, target, theta, label, out))


def parts_of(kernel: Any, shared: Any, target: Any, label: Any, out: Any) -> int:
    """Write the places of a label's parts to `out` (`compiling.PARTS`) and return their number."""
    return int(kernel(shared, target, label, out))


def prepare(kernel: Any, shared: Any, weights: Any, pool: Any) -> int:
    """Put shared weights into `pool` as the structure's oracles read them (`compiling.PREPARE`)."""
    return int(kernel(shared, weights, pool))


def _call(n_scalars: int, context: Any, builder: Any, kinds: Any, values: Any) -> Any:
    """Code that calls the address values[0] with scalars first and arrays, as pointers to their data, after them."""
    sent = list(values[1 : 1 + n_scalars]) + [
        context.make_array(kind)(context, builder, value).data
        for kind, value in zip(kinds[1 + n_scalars :], values[1 + n_scalars :], strict=True)
    ]
    shape = ir.FunctionType(_WORD, [value.type for value in sent])
    return builder.call(builder.inttoptr(values[0], shape.as_pointer()), sent)


@intrinsic
def _answer_at(typing_context, where, kind, lam, region, shared, pool, target, theta, label, point):
    signature = types.int64(where, kind, lam, region, shared, pool, target, theta, label, point)
    return signature, lambda context, builder, signature, values: _call(2, context, builder, signature.args, values)


@intrinsic
def _best_at(typing_context, where, rescaling, lam, threshold, tol, shared, pool, target, theta, label, out):
    signature = types.int64(where, rescaling, lam, threshold, tol, shared, pool, target, theta, label, out)
    return signature, lambda context, builder, signature, values: _call(4, context, builder, signature.args, values)


@intrinsic
def _parts_at(typing_context, where, shared, target, label, out):
    signature = types.int64(where, shared, target, label, out)
    return signature, lambda context, builder, signature, values: _call(0, context, builder, signature.args, values)


@intrinsic
def _prepare_at(typing_context, where, shared, weights, pool):
    signature = types.int64(where, shared, weights, pool)
    return signature, lambda context, builder, signature, values: _call(0, context, builder, signature.args, values)


_call_parts: Any = _parts_at
_call_prepare: Any = _prepare_at
_call_answer: Any = _answer_at
_call_best: Any = _best_at


@overload(ask)
def _ask(oracle, kind, lam, region, shared, pool, target, theta, label, point):
    if isinstance(oracle, types.Integer):

        def compiled(oracle, kind, lam, region, shared, pool, target, theta, label, point):
            return _call_answer(
                types.int64(oracle), types.int64(kind), types.float64(lam), region, shared, pool, target, theta, label, point
            )

        return compiled
    return None


@overload(solve)
def _solve(method, rescaling, lam, threshold, tol, shared, pool, target, theta, label, out):
    def compiled(method, rescaling, lam, threshold, tol, shared, pool, target, theta, label, out):
        return _call_best(
            types.int64(method), types.int64(rescaling), types.float64(lam), types.float64(threshold), types.float64(tol),
            shared, pool, target, theta, label, out,
        )  # fmt: skip

    return compiled


@overload(parts_of)
def _parts_of(kernel, shared, target, label, out):
    def compiled(kernel, shared, target, label, out):
        return _call_parts(types.int64(kernel), shared, target, label, out)

    return compiled


@overload(prepare)
def _prepare(kernel, shared, weights, pool):
    def compiled(kernel, shared, weights, pool):
        return _call_prepare(types.int64(kernel), shared, weights, pool)

    return compiled
