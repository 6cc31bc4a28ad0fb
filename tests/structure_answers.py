"""Every answer of a structure against enumeration: the laws that run over `structure_catalogue`, each answer counted.

An answer is right if it is the best one up to rounding, if its label, h, g, value, bound and certificate agree with each other,
and if it does not claim what it does not know.
"""

from collections import Counter

import numpy as np

from taut.kernels.asking import BAND, CONE, GREATEST_H
from taut.plane import Band, Cone
from taut.search import angular_search, binary_search, bisecting_search, lens_search, sarawagi_search

ROUNDING = 1e-14  # of the greatest number: sums of a handful of numbers, taken in another order
LAM_ROUNDING = 1e-14  # of lam g: a multiplier far above h / g drowns h
SEARCHED = 4  # examples of a draw whose oracles are asked


class Tally:
    """How many answers of each kind were given, and what was wrong with the wrong ones."""

    def __init__(self):
        self.answers, self.wrong = Counter(), []

    def add(self, kind, right, say):
        right = np.atleast_1d(right)
        self.answers[kind] += right.size
        self.wrong += [f"{kind}: {say(i)}" for i in np.flatnonzero(~right)]


class Plane:
    """The enumerated planes of a draw, and what equal means on each."""

    def __init__(self, draw):
        self.draw, self.g = draw, draw.losses
        self.at = {_key(y): i for i, y in enumerate(draw.labels)}
        feasible = np.isfinite(draw.scores)
        true = np.take_along_axis(draw.scores, draw.targets[:, None], axis=1)
        self.h = 1.0 + draw.scores - true
        self.size = ROUNDING * np.maximum(1.0, draw.greatest)  # of h
        self.top_g = np.where(feasible, self.g, 0.0).max(axis=1)
        self.slack = np.multiply(self.h, self.g, out=np.full(self.h.shape, -np.inf), where=feasible)
        self.margin = self.h - 1.0 + self.g

    def place(self, y):
        """Where a label stands in the enumeration; -1 for None."""
        return -1 if y is None else self.at[_key(y)]


    def fits(self, i, answer):
        """Whether an answer is a label of example i and lies where it says."""
        j = self.place(answer.label)
        return abs(answer.h - self.h[i][j]) <= 2 * self.size[i] and abs(answer.g - self.g[i][j]) <= 1e-12 * self.g[i][j]


def _key(y):
    return tuple(np.atleast_1d(y).tolist())


def check(row, rng, tally, n=64):
    """All laws on one draw of up to n examples."""
    draw = row(rng, n)
    if draw.thetas:
        argmaxes(draw, rng, tally)
        questions(draw, rng, tally)
        limited(draw, rng, tally)
        decodings(draw, rng, tally)


def argmaxes(draw, rng, tally):
    """Slack and margin, cold, from any multiplier, over thresholds, and within a tolerance."""
    plane, n = Plane(draw), len(draw.thetas)
    lam, none = 10.0 ** rng.uniform(-6, 6, n), np.zeros(n)
    for rescaling, values, room in (
        ("slack", plane.slack, plane.size * plane.top_g),
        ("margin", plane.margin, plane.size * (1.0 + plane.top_g)),
    ):
        best = np.maximum(values.max(axis=1), 0.0)
        share = rng.choice([0.5, 1.0 - 1e-6, 1.0 + 1e-6, 2.0], n)
        threshold = np.where(best > 0, share * best, share)
        far = room + LAM_ROUNDING * lam * plane.top_g**2
        for kind, start, bar, tol, wide in (
            (rescaling, None, none, 0.0, room),
            (f"{rescaling}, warm", lam, none, 0.0, far),
            (f"{rescaling}, threshold", lam, threshold, 0.0, far),
            (f"{rescaling}, tolerance", None, none, 0.1, room),
        ):
            found = draw.solve(rescaling, start, bar, tol)

            def say(i, found=found, start=start, bar=bar, best=best):
                point = [float(getattr(found, name)[i]) for name in ("h", "g", "value", "upper_bound", "certified")]
                asked = None if start is None else float(start[i]), float(bar[i])
                return f"best {best[i]!r}, found {found.labels[i]} {point}, lam and threshold {asked}, {_story(draw, i)}"

            tally.add(kind, _agrees(plane, found, rescaling, bar, tol, best, wide), say)


def _agrees(plane, found, rescaling, threshold, tol, best, room):
    """For each example whether the answer is the best one, and consistent."""
    n = len(best)
    places, rows = np.array([plane.place(y) for y in found.labels]), np.arange(n)
    h, g = plane.h[rows, places], plane.g[rows, places]
    room_h = 2.0 * plane.size
    is_found = places >= 0
    sums = found.h * found.g if rescaling == "slack" else found.h - 1.0 + found.g
    point = (np.abs(found.h - h) <= room_h) & (np.abs(found.g - g) <= 1e-12 * g) & (found.value == sums)
    none = (found.h == 1.0) & (found.g == 0.0) & (found.value == 0.0)
    right = np.where(is_found, point & (found.value > threshold), none)
    right &= np.where(is_found, found.value * (1.0 + tol) >= best - room, best <= threshold + room)
    bar = np.maximum(found.value * (1.0 + tol), threshold)
    return right & found.certified & (found.upper_bound >= np.minimum(best, np.inf) - room) & (found.upper_bound <= bar)


def questions(draw, rng, tally):
    """Every kind of question that the oracles answer, strict ends included, and every search over them."""
    plane = Plane(draw)
    for i in range(min(SEARCHED, len(draw.thetas))):
        oracle, lam = draw.oracle(i), 10.0 ** rng.uniform(-6, 6)
        kinds, keep = draw.kinds(oracle), np.isfinite(draw.scores[i])
        h, g, size, top = plane.h[i][keep], plane.g[i][keep], plane.size[i], plane.top_g[i]

        def note(kind, right, found, i=i):
            tally.add(kind, right, lambda _: f"found {found} {_story(draw, i)}")

        answer = oracle.argmax(lam)
        room = 2 * size + 1e-12 * lam * top
        if len(oracle.losses):  # to the last bit: searches compare them
            note("listed losses", answer.g in oracle.losses, answer)
        note("argmax", plane.fits(i, answer) and abs(answer.h + lam * answer.g - (h + lam * g).max()) <= room, answer)
        if GREATEST_H in kinds:
            one, other = oracle.extremes()
            note("extremes", plane.fits(i, one) and abs(one.h - h.max()) <= 2 * size, one)
            note("extremes", plane.fits(i, other) and abs(other.g - top) <= 1e-12 * top, other)
        ends = sorted(rng.uniform(-0.3, 1.3, 2) * max(top, 1e-3)), (answer.g, np.inf), (-1.0, answer.g)
        regions = [Band(*pair) for pair in ends] if BAND in kinds else []
        if CONE in kinds:
            regions.append(Cone.between(*sorted(10.0 ** rng.uniform(-3, 3, 2)), lower_closed=bool(rng.integers(2))))
        for region in regions:
            inside = oracle.argmax_in_band(lam, *region) if isinstance(region, Band) else oracle.argmax_in_cone(lam, region)
            right = best_inside(inside, lam, h, g, region, answer.g, room) and (inside is None or plane.fits(i, inside))
            note(type(region).__name__.lower(), right, inside)
        best, room = max(float((h * g).max()), 0.0), (2 * size + LAM_ROUNDING * lam * top) * top
        for search in (lens_search,) * (BAND in kinds) + (angular_search,) * (CONE in kinds):
            result = search(oracle, lam=lam)
            right = result.certified and abs(result.value - best) <= room and result.upper_bound >= best - room
            note(search.__name__, right, result)
        for search in (bisecting_search, binary_search, sarawagi_search):
            result = search(oracle, lam=lam)
            note(search.__name__, result.value <= best + room and result.upper_bound >= best - room, result)


def best_inside(answer, lam, h, g, region, known, room, close=1e-9, size=(0.0, 0.0)):
    """A question about a region: at least as good as what surely lies inside, not better than what may, None where nothing does.

    Labels within rounding of an end may be in or out, but where the end is the package's own loss of a label (`known`), out.
    `size`: what h and g are sums of, where rounding is relative to that.
    """
    big_h, big_g = np.abs(h) + size[0], g + size[1]
    if isinstance(region, Band):
        above, below = g - region.lo, region.hi - g
        near = close * big_g, close * big_g
    else:
        above, below = g * region.lower.h - region.lower.g * h, region.upper.g * h - g * region.upper.h
        near = [close * (big_g * ray.h + ray.g * big_h) for ray in (region.lower, region.upper)]
    surely, maybe = (above > near[0]) & (below > near[1]), (above > -near[0]) & (below > -near[1])
    if isinstance(region, Band) and known in region:
        maybe = surely
    if answer is None:
        return not surely.any()
    value, score = answer.h + lam * answer.g, h + lam * g
    least, most = score[surely].max(initial=-np.inf), score[maybe].max(initial=-np.inf)
    return region.contains(answer.h, answer.g) and least - room <= value <= most + room


def limited(draw, rng, tally):
    """With a limit of questions or of time: the limit is kept, the bound holds, and what is certified is best."""
    plane, most = Plane(draw), int(rng.integers(1, 8))
    for i in range(min(SEARCHED, len(draw.thetas))):
        for rescaling, values in (("slack", plane.slack[i]), ("margin", plane.margin[i])):
            best, room = max(float(values.max()), 0.0), 2 * plane.size[i] * (1.0 + plane.top_g[i])
            for limits in ({"max_queries": most}, {"max_time": 1e-9}, {"max_time": 60.0}):
                result = draw.solve_one(i, rescaling=rescaling, **limits)
                right = result.upper_bound >= best - room and result.value <= best + room
                right &= result.label is None or abs(result.value - values[plane.place(result.label)]) <= room
                right &= not result.certified or abs(result.value - best) <= room
                right &= result.certified or (rescaling == "slack" and "max_queries" in limits) or limits["max_time"] < 1.0
                right &= rescaling == "margin" or result.n_queries <= limits.get("max_queries", np.inf)
                tally.add("limited", right, lambda _, i=i, r=result, limits=limits: f"{limits}: {r} {_story(draw, i)}")


def decodings(draw, rng, tally):
    """The best label, and the k best."""
    plane, k = Plane(draw), int(rng.integers(1, 6))
    for i in range(min(SEARCHED, len(draw.thetas)) if draw.decodes else 0):
        scores, size = draw.scores[i], plane.size[i]
        best = plane.place(draw.decode(i))
        tally.add("decode", abs(scores[best] - scores.max()) <= size, lambda _, i=i, best=best: f"found {best} {_story(draw, i)}")
        labels, values = draw.topk(i, k)
        ranked = np.sort(scores[np.isfinite(scores)])[::-1][:k]
        places = [plane.place(y) for y in labels]
        right = len(values) == len(ranked) == len(set(places)) and (
            np.abs(values - ranked).max() <= size and np.abs(values - scores[places]).max() <= size
        )
        tally.add("topk", right, lambda _, i=i, labels=labels: f"found {labels} {_story(draw, i)}")


def _story(draw, i):
    return f"on {draw.structure} under {draw.loss}, true label {draw.labels[draw.targets[i]]}, {draw.thetas[i]}"
