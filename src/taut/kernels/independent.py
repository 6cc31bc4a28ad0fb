"""Independent labels: the best h at every count is a prefix sum of sorted flips (NOTES C.2, C.8).

The layout is that of `sets`, without edges. Under a LINEAR loss neither slack nor margin rescaling needs to sort: a pass over the
labels at the warm multiplier most often tells the count.
"""

import numpy as np
from numba import carray

from ..plane import tangent_bound
from .asking import CONE, GREATEST_H
from .compiling import njit, njit_sums
from .sets import LINEAR, flips, loss, nothing, set_of, worth_of

__all__ = ["answer", "best", "prepare"]

_FEW = 24  # undecided labels that are sorted rather than halved
_SOON = 10  # multipliers that are tried before labels are decided one by one


@njit
def _runs(example, gains):
    """Gains of false positives and of false negatives, each sorted downwards.

    With equal steps all labels are in the second run: only the count of wrong labels matters.
    """
    y, one = example.y, example.step_fp == example.step_fn
    n_first = 0
    for j in range(y.size):
        n_first += not (one or y[j])
    first, second, at = np.empty(n_first), np.empty(y.size - n_first), 0
    for j in range(y.size):
        if one or y[j]:
            second[j - at] = -gains[j]
        else:
            first[at] = -gains[j]
            at += 1
    return -np.sort(first), -np.sort(second)


@njit
def _sums(values):
    """0, and the running sums."""
    sums = np.zeros(values.size + 1)
    for i in range(values.size):
        sums[i + 1] = sums[i] + values[i]
    return sums


@njit
def _row(height, sums, table, product, values):
    """values[i] = h g or h + g along a row of the grid of counts, h = height + sums[i]; the loop runs on vectors."""
    if product:
        for i in range(values.size):
            values[i] = (height + sums[i]) * table[i]
    else:
        for i in range(values.size):
            values[i] = (height + sums[i]) + table[i]


@njit
def _grid(first, second, table, example, product, threshold):
    """The counts (fp, fn) of the greatest value above the threshold; (-1, -1) where there is none."""
    top, fp, fn, down = threshold, -1, -1, _sums(second)
    values, height = np.empty(down.size), 1.0
    for i in range(first.size + 1):
        if i > 0:
            height += first[i - 1]
        start = example.offset + i * example.step_fp
        _row(height, down, table[start : start + down.size], product, values)
        for j in range(down.size):
            if values[j] > top:
                top, fp, fn = values[j], i, j
    return fp, fn


@njit
def _write(example, gains, first, second, fp, fn, label):
    """The best label of given counts; returns its h. Among equal gains the first labels are wrong."""
    y, one = example.y, example.step_fp == example.step_fn
    ties = np.zeros(2, np.int64)
    cuts = np.array([first[fp - 1] if fp > 0 else np.inf, second[fn - 1] if fn > 0 else np.inf])
    for i in range(fp):
        ties[0] += first[i] == cuts[0]
    for i in range(fn):
        ties[1] += second[i] == cuts[1]
    h = 0.0
    for j in range(y.size):
        run = 1 if one or y[j] else 0
        label[j] = y[j]
        if gains[j] > cuts[run] or (gains[j] == cuts[run] and ties[run] > 0):
            ties[run] -= gains[j] == cuts[run]
            label[j] = 1 - y[j]
            h += gains[j]
    return 1.0 + h


@njit
def _cut(y, gains, at, ties, label):
    """The label that makes wrong what gains more than `at`, and the first `ties` that gain as much; returns h and their number."""
    _mark(y, gains, at, label)
    wrong, h = _above(gains, at)
    j = 0
    while ties > 0:
        if gains[j] == at:
            label[j], wrong, h, ties = 1 - y[j], wrong + 1, h + at, ties - 1
        j += 1
    return 1.0 + h, wrong


@njit_sums
def _above(values, at):
    """How many values exceed a number, and their sum."""
    count, total = 0, 0.0
    for x in values:
        count += x > at
        total += x if x > at else 0.0
    return count, total


@njit
def _around(values, at):
    """The least value above a number and the greatest that is not."""
    over, under = np.inf, -np.inf
    for x in values:
        over = min(over, x if x > at else np.inf)
        under = max(under, x if not x > at else -np.inf)
    return over, under


@njit
def _split(values, size, at, keep_above):
    """Keep, in place, the values above a number, or the others; returns how many."""
    kept = 0
    for i in range(size):
        x = values[i]
        values[kept] = x
        kept += (x > at) == keep_above
    return kept


@njit
def _linear_slack(gains, unit, lam, threshold):
    """argmax of h g over counts k, g = unit k: h is concave in k, so the product has one peak (NOTES C.2).

    At a multiplier the labels that gain more than -lam unit are wrong. Where h > lam g the peak has these and perhaps more,
    elsewhere some of these only: the undecided shrink, until the neighbours of k are no better or the few that are left are sorted.
    Returns a bound, the gain above which labels are wrong (inf: none beats the threshold), how many that gain as much are wrong
    too, a multiplier for the next visit, and the passes.
    """
    undecided, size, count, base, surely, passes = gains.copy(), gains.size, 0, 1.0, np.inf, 0
    while True:
        passes += 1
        at = -lam * unit
        more, total = _above(undecided[:size], at)
        k, h = count + more, base + total
        g = unit * k
        upper = tangent_bound(h + lam * g, lam)
        if upper <= threshold:
            return upper, np.inf, 0, lam, passes
        over, under = _around(undecided[:size], at)
        rising = h > lam * g
        if h > 0.0 and not (k + 1) * (h + under) > k * h and not (over < np.inf and (k - 1) * (h - over) > k * h):
            return k * h * unit, at if k > 0 else np.inf, 0, _between(over, under, unit, h, k, lam), passes
        if rising:
            count, base, surely = k, h, at
        before = size
        size = _split(undecided, size, at, not rising)
        if size <= _FEW or (size == before and passes > 4):
            break
        if k == 0:
            lam = max(2.0 * lam, -1.0625 * under / unit)
        else:
            lam = h / g if h > 0.0 else 0.25 * lam
    left = -np.sort(-undecided[:size])
    top, k, h, arg = 0.0, count, base, -1
    for i in range(size + 1):
        if k * h > top:
            top, arg = k * h, i
        if i < size:
            k, h = k + 1, h + left[i]
    if arg <= 0:
        return top * unit, surely if arg == 0 else np.inf, 0, lam, passes
    at, ties = left[arg - 1], 0
    for i in range(arg):
        ties += left[i] == at
    under = left[arg] if arg < size else -np.inf
    k = count + arg
    return top * unit, at, ties, _between(at, under, unit, top / k, k, lam), passes


@njit
def _balanced(gains, unit, lam):
    """A multiplier at which h is between lam times the losses of one wrong label less and one more; NaN where not found soon.

    No other count is better then: those with fewer wrong labels lose more than they gain, and so do those with more. Secants of
    log h / (lam g) over log lam. Returns the multiplier, h and the number of wrong labels there.
    """
    before = off_before = 0.0
    for _ in range(_SOON):
        wrong, total = _above(gains, -lam * unit)
        h, g = 1.0 + total, unit * wrong
        if h > 0.0 and lam * (g - unit) <= h <= lam * (g + unit):
            return lam, h, wrong
        step = 0.7 if h > 0.0 else -1.4
        off, here = 0.0, np.log(lam)
        if g > 0.0 and h > 0.0:
            off = np.log(h / (lam * g))
            step = 0.5 * off
            if off_before != 0.0:
                slope = (off - off_before) / (here - before)
                step = -off / slope if slope < -0.5 else step
        before, off_before = here, off
        lam *= np.exp(step)
    return np.nan, 0.0, 0


@njit
def _mark(y, gains, at, label):
    """Make wrong what gains more than `at`."""
    for j in range(y.size):
        label[j] = y[j] ^ (gains[j] > at)


@njit
def _between(over, under, unit, h, k, lam):
    """A multiplier at which labels that gain `over` are wrong, those that gain `under` not, and no neighbour of k is better."""
    low = max(-over, h / (k + 1.0), 0.0) / unit
    high = min(-under, h / (k - 1.0) if k > 1 else np.inf) / unit
    middle = 0.5 * (low + high) if high < np.inf else 2.0 * low
    return middle if 0.0 < middle < np.inf else lam


@njit
def _best(example, rescaling, lam, threshold, label, out):
    gains = np.empty(example.y.size)
    flips(example, gains)
    nothing(lam, threshold, out)
    if example.kind == LINEAR:
        unit = example.table[1]
        if rescaling:
            out[4], h, wrong = _balanced(gains, unit, lam)
            if not np.isnan(out[4]):
                _mark(example.y, gains, -out[4] * unit, label)
            else:
                out[3], at, ties, out[4], out[5] = _linear_slack(gains, unit, lam, threshold)
                if at == np.inf:
                    return 0
                h, wrong = _cut(example.y, gains, at, ties, label)
        else:
            h, wrong = _cut(example.y, gains, -unit, 0, label)
        g = example.table[wrong]
    else:
        first, second = _runs(example, gains)
        fp, fn = _grid(first, second, example.table, example, rescaling == 1, threshold if rescaling else threshold + 1.0)
        if fp < 0:
            return 0
        h = _write(example, gains, first, second, fp, fn, label)
        g = example.table[example.offset + fp * example.step_fp + fn * example.step_fn]
    value = h * g if rescaling else h - 1.0 + g
    out[3] = max(value, threshold)
    if not value > threshold:
        return 0
    out[0], out[1], out[2] = h, g, value
    return 1


def best(rescaling, lam, threshold, tol, shared, pool, target, theta, label, out):
    """Direct exact argmax; see `compiling.BEST`. LINEAR O(L), else O(L log L + (p + 1)(L - p + 1))."""
    example = set_of(shared, pool, target, theta)
    return _best(example, rescaling, lam, threshold, carray(label, example.y.size), carray(out, 6))


def answer(kind, lam, region, shared, pool, target, theta, label, point):
    """The lambda-oracle and bands of loss over the grid of counts; see `asking`."""
    if kind == CONE:
        return -1
    example = set_of(shared, pool, target, theta)
    kept, gains, ends = carray(label, example.y.size), np.empty(example.y.size), carray(region, 6)
    flips(example, gains)
    if kind == GREATEST_H:  # as `decode` does it: an exact test per label, not a comparison of sums
        h, _ = _cut(example.y, gains, 0.0, 0, kept)
    else:
        first, second = _runs(example, gains)
        size = (first.size + 1) * (second.size + 1)
        worth = np.empty(example.offset + size)
        worth_of(kind, lam, ends, example.table[example.offset :][:size], worth[example.offset :])
        fp, fn = _grid(first, second, worth, example, False, -np.inf)
        if fp < 0:
            return 0
        h = _write(example, gains, first, second, fp, fn, kept)
    carray(point, 2)[0], carray(point, 2)[1] = h, loss(example, kept)
    return 1


def prepare(shared, weights, pool):
    """Independent labels share no weights; see `compiling.PREPARE`."""
    return 0
