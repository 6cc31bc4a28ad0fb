"""`ask`: one question to an oracle, compiled or not. The searches are written against it once.

Compiled, the oracle is the address of a C callback of signature `compiling.ANSWER`; interpreted, it is a Python callable
with the same arguments.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

__all__ = ["BAND", "CONE", "GREATEST_G", "GREATEST_H", "PLANE", "ask"]

#: Kinds of question. CONE reads region = (h, g of the lower ray, h, g of the upper, lower closed, upper closed); BAND (lo, hi).
PLANE, CONE, BAND, GREATEST_H, GREATEST_G = range(5)

_WORD, _DOUBLE = ir.IntType(64), ir.DoubleType()


def ask(
    oracle: Any, kind: int, lam: float, region: Any, ints: Any, floats: Any, label: Any, point: Any
) -> int:
    """Put a question; the label goes to `label`, (h, g) to `point`. Returns 1, or 0 where the region holds no label."""
    return int(oracle(kind, lam, region, ints, floats, label, point))


@intrinsic
def _answer_at(typing_context, where, kind, lam, region, ints, floats, label, point):
    signature = types.int64(where, kind, lam, region, ints, floats, label, point)

    def codegen(context, builder, signature, args):
        pointers = [
            context.make_array(kind)(context, builder, value).data
            for kind, value in zip(signature.args[3:], args[3:], strict=True)
        ]
        shape = ir.FunctionType(_WORD, [_WORD, _DOUBLE] + [pointer.type for pointer in pointers])
        function = builder.inttoptr(args[0], shape.as_pointer())
        return builder.call(function, [*args[1:3], *pointers])

    return signature, codegen


_call: Any = _answer_at


@overload(ask)
def _ask(oracle, kind, lam, region, ints, floats, label, point):
    if isinstance(oracle, types.Integer):

        def compiled(oracle, kind, lam, region, ints, floats, label, point):
            return _call(types.int64(oracle), types.int64(kind), types.float64(lam), region, ints, floats, label, point)

        return compiled
    return None
