"""The laws of the plane, its oracles and searches. Each is one function that raises where the law is broken.

Numbers in parentheses name the statement of the paper (Lemma, Theorem) or of the notes (E.., C..) that the law is.
"""

import itertools
import math

import numpy as np
from catalogue import optimum

from taut.oracles import Answer, Points
from taut.plane import Band, Cone, capacity, cone_suboptimality, lens, reflection, tangent_bound

ROUNDING = 1e-14  # what "equal" means for products computed in two ways; ties closer than plane.TIE are not told apart


class Plain:
    """An explicit set as an oracle in plain Python: the searches run interpreted over it."""

    def __init__(self, h, g, losses=()):
        self.h, self.g, self.losses = h.tolist(), g.tolist(), losses

    def _best(self, key, region=None):
        inside = [i for i in range(len(self.h)) if region is None or region.contains(self.h[i], self.g[i])]
        if not inside:
            return None
        i = max(inside, key=lambda i: (key(self.h[i], self.g[i]), self.h[i] * self.g[i], -i))
        return Answer(i, self.h[i], self.g[i])

    def argmax(self, lam):
        return self._best(lambda h, g: h + lam * g)

    def argmax_in_cone(self, lam, cone):
        return self._best(lambda h, g: h + lam * g, cone)

    def argmax_in_band(self, lam, lo, hi):
        return self._best(lambda h, g: h + lam * g, Band(lo, hi))

    def extremes(self):
        return self._best(lambda h, g: h), self._best(lambda h, g: g)


def assert_consistent(result, h, g, threshold=0.0, tol=0.0):
    """Label, h, g, value, bound and certificate of a result agree with each other and with the set."""
    best = optimum(h, g)
    assert result.upper_bound >= best * (1 - ROUNDING), (result, best)
    assert result.n_queries == len(result.trace)
    if result.label is None:
        assert (result.h, result.g, result.value) == (1.0, 0.0, 0.0)
        assert result.certified == (result.upper_bound <= threshold)
    else:
        assert (result.h, result.g) == (h[result.label], g[result.label])
        assert result.value == result.h * result.g > threshold
        assert result.certified == (result.upper_bound <= result.value * (1 + tol))


def assert_exact(result, h, g):
    """The result is the best label of the set, with its certificate."""
    best = optimum(h, g)
    assert_consistent(result, h, g)
    assert result.certified
    assert abs(result.value - best) <= ROUNDING * best, (result, best)
    assert (result.label is None) == (best == 0.0)


def assert_bound_at_every_query(result, h, g):
    """The bound holds after each question, never rises, and is not worse than any tangent bound of the whole plane."""
    best, last = optimum(h, g), math.inf
    for query in result.trace:
        assert query.upper_bound >= best * (1 - ROUNDING)
        assert query.upper_bound <= last
        if query.region is None:
            assert query.upper_bound <= tangent_bound(query.h + query.lam * query.g, query.lam)
        last = query.upper_bound


def assert_monotone(points, lams):
    """h falls and g rises with lam along the lambda-oracle's answers (Lemma 4), up to ties."""
    answers = [points.argmax(lam) for lam in sorted(lams)]
    for low, high in itertools.pairwise(answers):
        scale = max(abs(low.h), abs(high.h), 1e-300)
        assert low.h >= high.h - 1e-12 * scale
        assert low.g <= high.g * (1 + 1e-12) or low.h - high.h <= 1e-12 * scale


def assert_convex(f, points):
    """f lies below its chords on an increasing list of points."""
    for a, b, c in zip(points, points[1:], points[2:], strict=False):
        t = (c - b) / (c - a)
        chord = t * f(a) + (1 - t) * f(c)
        assert f(b) <= chord + 1e-9 * max(abs(f(a)), abs(f(c)), abs(chord))


def assert_restricted_space(points, h, g, lam):
    """Labels lie on or below the line S; those not worse than y_lam on or above the hyperbola, in the segments H, G (2, 3)."""
    answer = points.argmax(lam)
    score = h + lam * g
    assert (score <= (answer.h + lam * answer.g) * (1 + 1e-15) + 1e-300).all() or (score.max() <= 0)
    value = answer.h * answer.g
    if value > 0:
        better = h * g > value
        other_h, other_g = reflection(answer.h, answer.g, lam)
        eps = 1e-9
        assert (h[better] >= min(answer.h, other_h) * (1 - eps)).all()
        assert (h[better] <= max(answer.h, other_h) * (1 + eps)).all()
        assert (g[better] >= min(answer.g, other_g) * (1 - eps)).all()
        assert (g[better] <= max(answer.g, other_g) * (1 + eps)).all()


def split(cone, z, lam):
    """The paper's split of a cone at the answer z: outer rays P, Q and the middle ray R, as slopes."""
    slope, other = z.g / z.h, z.h / (lam * lam * z.g)
    return max(slope, other), min(slope, other), 1.0 / lam


def assert_split(points, h, g, beta, alpha):
    """Lemmas 7 (the split stays in the cone), 8 (it loses nothing better), 9 (capacity square-roots), 10 corrected (E28)."""
    cone = Cone.between(beta, alpha)
    lam = 1.0 / math.sqrt(alpha * beta)
    z = points.argmax_in_cone(lam, cone)
    inside = np.array([cone.contains(a, b) for a, b in zip(h, g, strict=True)])
    if z is None:
        assert not inside.any()
        return
    p, q, r = split(cone, z, lam)
    eps = 1e-9
    assert beta * (1 - eps) <= q <= r * (1 + eps) and r <= p * (1 + eps) and p <= alpha * (1 + eps)
    best = (h[inside] * g[inside]).max()
    for a, b in zip(h[inside], g[inside], strict=True):
        if a * b > z.h * z.g * (1 + 1e-12):
            assert q < b / a < p
    assert capacity(q, p) <= capacity(beta, alpha) * (1 + eps)
    assert math.isclose(capacity(q, p), capacity(r, p) ** 2, rel_tol=1e-9)
    assert math.isclose(capacity(q, p), capacity(q, r) ** 2, rel_tol=1e-9)
    assert best <= z.h * z.g * cone_suboptimality(capacity(beta, alpha)) * (1 + eps)


def first_slope(result):
    return result.trace[0].g / result.trace[0].h


def rate(v1, t):
    """Theorem 3, corrected (E29): what Phi* / Phi^ is at most after t questions, FIFO or best-first."""
    return math.cosh(2.0 * math.log(v1) / (t + 2)) ** 2


def v_one(result, lam0):
    return max(lam0 * first_slope(result), 1.0 / (lam0 * first_slope(result)))


def n_slopes(h, g):
    """The number of distinct slopes in the open quadrant (M of Theorem 2), told apart as the search does."""
    rays = []
    for a, b in sorted(((a, b) for a, b in zip(h, g, strict=True) if a > 0 and b > 0), key=lambda ab: ab[1] / ab[0]):
        if not rays or rays[-1][1] * a != b * rays[-1][0]:
            rays.append((a, b))
    return len(rays)


def supporting_edge(points, h, g):
    """The least tangent bound over all multipliers and where it is, by the finite set's own candidates."""
    if h.max() <= 0 or g.max() <= 0:
        return 0.0, 1.0  # an infimum that no multiplier attains (E8)
    lams = [b / a for a, b in zip(g, h, strict=True) if a > 0 and b > 0]
    lams += [(h[i] - h[j]) / (g[j] - g[i]) for i in range(len(h)) for j in range(len(h)) if g[j] > g[i] and h[i] > h[j]]
    bounds = [(tangent_bound(float((h + lam * g).max()), lam), lam) for lam in lams if 0 < lam < math.inf]
    return min(bounds, default=(0.0, 1.0))


def concave_hull_product(h, g):
    """max of the product over the convex hull of the points, by all segments (hull duality, C.0a)."""
    best = optimum(h, g)
    for i in range(len(h)):
        for j in range(i):
            dh, dg = h[j] - h[i], g[j] - g[i]
            curve = -dh * dg
            if curve > 0:  # h g along the segment is concave: its peak
                t = (h[i] * dg + g[i] * dh) / (2 * curve)
                if 0 < t < 1:
                    a, b = h[i] + t * dh, g[i] + t * dg
                    if a > 0 and b > 0:
                        best = max(best, a * b)
    return best


def assert_one_lens(h, g):
    """Every label that beats both ends of the supporting edge lies strictly inside the one lens (C.0b)."""
    points = Points(h, g)
    bound, lam = supporting_edge(points, h, g)
    if bound <= 0:
        return
    score = h + lam * g
    k = float(score.max())
    on = np.flatnonzero(score >= k * (1 - 1e-12))
    edge = max(optimum(h[on[[0]]], g[on[[0]]]), *(h[i] * g[i] for i in on))
    g1, g2 = lens(k, lam, edge)
    better = h * g > edge * (1 + 1e-9)
    assert (g[better] > g1 * (1 - 1e-9)).all() and (g[better] < g2 * (1 + 1e-9)).all()
    assert (score[better] > 2 * math.sqrt(lam * edge) * (1 - 1e-9)).all()
