"""The laws of a structure on one example, against enumeration of its labels."""

import ctypes
import math

import numpy as np

from taut.kernels.compiling import PARTS, PREPARE, address
from taut.search import bisecting_search, lens_search


def slack_and_margin(structure, theta, y, loss, lam=None, tol=1e-9):
    """Both exact argmaxes equal enumeration; label, h, g, value, bound and certificate agree with each other."""
    points, _ = structure.points(theta, y, loss)
    size = tol * max(1.0, float(np.abs(points.h).max()))
    for rescaling, values in (("slack", points.h * points.g), ("margin", points.h - 1.0 + points.g)):
        best = max(float(values.max()), 0.0)
        result = structure.loss_augmented(theta, y, loss, rescaling=rescaling, lam=lam)
        assert abs(result.value - best) <= size * max(1.0, float(points.g.max())), (rescaling, result, best)
        assert result.certified
        assert result.upper_bound >= best - size * max(1.0, float(points.g.max()))
        assert_agrees(structure, theta, y, loss, result, rescaling, size)
        above = structure.loss_augmented(theta, y, loss, rescaling=rescaling, lam=lam, threshold=2.0 * best + 1.0)
        assert above.label is None and above.certified and (above.h, above.g, above.value) == (1.0, 0.0, 0.0)
    return points, size


def assert_agrees(structure, theta, y, loss, result, rescaling, size):
    """What a result says of its label is what the structure says of it."""
    if result.label is None:
        assert (result.h, result.g, result.value) == (1.0, 0.0, 0.0)
        return
    h = 1.0 + structure.score(theta, result.label) - structure.score(theta, y)
    assert abs(result.h - h) <= size
    assert math.isclose(result.g, structure.loss(y, result.label, loss), rel_tol=1e-12, abs_tol=1e-15)
    value = result.h * result.g if rescaling == "slack" else result.h - 1.0 + result.g
    assert result.value == value


def oracle_answers(structure, theta, y, loss, points, size, rng, cones=False):
    """argmax, bands, extremes (and cones where offered) equal enumeration, and the searches over them are right."""
    oracle, lam = structure.oracle(theta, y, loss), 10.0 ** rng.uniform(-2, 2)
    top_g = float(points.g.max())
    best = points.argmax(lam)
    size = size * (1.0 + lam * max(top_g, 1.0))
    answer = oracle.argmax(lam)
    assert abs(answer.h + lam * answer.g - best.h - lam * best.g) <= size
    lo, hi = sorted(rng.uniform(-0.3, 1.3, 2) * max(top_g, 1e-3))
    pairs = [(oracle.argmax_in_band(lam, lo, hi), points.argmax_in_band(lam, lo, hi))]
    if cones:
        from taut.plane import Cone

        ends = sorted(10.0 ** rng.uniform(-2, 2, 2))
        cone = Cone.between(*ends, lower_closed=bool(rng.integers(2)))
        pairs.append((oracle.argmax_in_cone(lam, cone), points.argmax_in_cone(lam, cone)))
    for one, other in pairs:
        assert (one is None) == (other is None)
        assert one is None or abs(one.h + lam * one.g - other.h - lam * other.g) <= size
    greatest_h, greatest_g = oracle.extremes()
    assert abs(greatest_h.h - points.h.max()) <= size
    assert math.isclose(greatest_g.g, top_g, rel_tol=1e-12, abs_tol=1e-15)
    value = max(float((points.h * points.g).max()), 0.0)
    exact = lens_search(oracle, lam=lam)
    assert abs(exact.value - value) <= size * max(1.0, top_g)
    assert exact.certified
    blind = bisecting_search(oracle, lam=lam)
    assert blind.upper_bound >= value - size * max(1.0, top_g)


def decoding(structure, theta, points, labels, size, k=3):
    """The best label and the k best, equal enumeration."""
    scores = np.sort([structure.score(theta, y) for y in labels])[::-1]
    assert abs(structure.score(theta, structure.decode(theta)) - scores[0]) <= size
    found, values = structure.topk(theta, k)
    assert len(found) == len(values) == min(k, len(scores))
    assert np.abs(values - scores[: len(values)]).max() <= size
    assert len({tuple(np.atleast_1d(y).tolist()) for y in found}) == len(found)
    for y, value in zip(found, values, strict=True):
        assert abs(structure.score(theta, y) - value) <= size


def batch_equals_single(structure, thetas, ones, targets, loss):
    """A batch gives what its examples give one by one, and the same bits for every number of threads."""
    for n_jobs in (None, 2):
        for theta, y in zip(ones, structure.decode_many(thetas, n_jobs), strict=True):
            assert np.array_equal(y, structure.decode(theta))
    for rescaling in ("slack", "margin"):
        many = structure.loss_augmented_many(thetas, targets, loss, rescaling)
        for n_jobs in (2, 3, -1):
            again = structure.loss_augmented_many(thetas, targets, loss, rescaling, n_jobs=n_jobs)
            for name in ("h", "g", "value", "upper_bound", "lam", "certified", "n_queries"):
                assert np.array_equal(getattr(many, name), getattr(again, name)), name
            assert all(np.array_equal(a, b) for a, b in zip(many.labels, again.labels, strict=True))
        for i, (theta, y) in enumerate(zip(ones, targets, strict=True)):
            one = structure.loss_augmented(theta, y, loss, rescaling)
            assert (one.value, one.h, one.g, one.upper_bound) == (many.value[i], many.h[i], many.g[i], many.upper_bound[i])
            assert np.array_equal(one.label, many.labels[i])


def parts_add_up(structure, theta, y, loss, weights, n_rows):
    """A label's score is the sum of its parts, and the kernel prepares the pool that `common` makes."""
    one = structure.target(y, loss, theta)
    parts, prepare = (
        ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * len(signature.args))(address(kernel, signature))
        for kernel, signature in ((structure.parts_kernel(), PARTS), (structure.prepare_kernel(), PREPARE))
    )
    own = theta.own[: n_rows * structure.width]
    everything = np.concatenate([own, weights])
    for label in structure.enumerate(theta):
        words = structure.words(label, theta)
        out = np.full(structure.most_parts(theta) + 1, -1)
        n = parts(one.shared.ctypes.data, one.words.ctypes.data, words.ctypes.data, out.ctypes.data)
        assert (out[:n] >= 0).all() and (out[n:] == -1).all()
        assert abs(everything[out[:n]].sum() - structure.score(theta, label)) <= 1e-12 * max(1.0, np.abs(everything).max() * n)
    pool = np.concatenate([one.tables, np.full(len(structure.common(weights)), np.nan)])
    prepare(one.shared.ctypes.data, weights.ctypes.data, pool.ctypes.data)
    assert np.array_equal(pool, np.concatenate([one.tables, structure.common(weights)]))
