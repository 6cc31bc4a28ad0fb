"""Label sets by enumeration: all 2^L, in rows of 2^7 that run on vectors (NOTES C.1).

The layout is that of `sets`; behind the pairwise weights the pool has the pairwise score of every label set, and its maximum
over each row: they depend on the shared weights alone, so that `prepare` makes them once for all examples. A label set is the
index with bit j for label j; its low bits are its place in a row. Per example there remain two short tables of unary scores, one
of losses per distinct count of a row, and one sum and product per label set, for those rows whose bound beats the best found.
"""

import numpy as np
from numba import carray

from ..plane import TIE, balance
from .asking import CONE
from .compiling import njit
from .points import better, in_region
from .sets import HEAD, WEIGHTS, copy_weights, nothing, set_of, size_of, worth_of

__all__ = ["answer", "best", "decode", "pairwise_scores", "prepare", "row_of", "unary_scores"]

_ROW = 7  # labels of a row
_OFTEN = 4  # rows between two looks at the best value so far
_FAR = 2.0  # from the balance of the first row's best label: a multiplier that bounds the others too loosely


@njit
def row_of(n):
    """How many labels make a row."""
    return min(n, _ROW)


@njit
def pairwise_scores(n, edges, weights, scores, tops):
    """scores (2^n): the sum of the weights of the pairs in each set; tops: the greatest of each row. O(2^n)."""
    heavy = np.zeros((n, n))
    for e in range(edges.shape[0]):
        heavy[edges[e, 0], edges[e, 1]] = heavy[edges[e, 1], edges[e, 0]] = weights[e]
    scores[0] = 0.0
    for k in range(n):
        half = 1 << k
        low, high = scores[:half], scores[half : 2 * half]
        unary_scores(heavy[k, :k], high)  # the pairs of k with the others,
        for i in range(half):
            high[i] += low[i]  # and theirs
    width = 1 << row_of(n)
    for a in range(tops.size):
        tops[a] = scores[a * width : (a + 1) * width].max()


@njit
def unary_scores(unary, scores):
    """scores (2^n): the sum of the unary scores of each set. O(2^n)."""
    scores[0] = 0.0
    for j in range(unary.size):
        half = 1 << j
        low, high, x = scores[:half], scores[half : 2 * half], unary[j]
        for i in range(half):
            high[i] = low[i] + x


@njit
def _places(y, step_fp, step_fn, places):
    """places (2^n): what the wrong labels of each set add to the place of its loss. O(2^n)."""
    places[0] = 0
    for j in range(y.size):
        places[0] += step_fn if y[j] else 0
    for j in range(y.size):
        half, x = 1 << j, -step_fn if y[j] else step_fp
        for i in range(half):
            places[half + i] = places[i] + x


@njit
def _weigh(y, weights, sums):
    """sums (2^n): the weight of the wrong labels of each set. O(n 2^n), without cancellation."""
    for i in range(sums.size):
        total = 0.0
        for j in range(y.size):
            total += weights[j] if (i >> j) & 1 != y[j] else 0.0
        sums[i] = total


@njit
def _index(y):
    index = 0
    for j in range(y.size):
        index += y[j] << j
    return index


@njit
def _write(index, label):
    for j in range(label.size):
        label[j] = (index >> j) & 1


@njit
def _products(height, unary, pairwise, losses, out):
    """out = max(out, h g) along a row; the loop runs on vectors."""
    for i in range(out.size):
        x = (height + (unary[i] + pairwise[i])) * losses[i]
        out[i] = x if x > out[i] else out[i]


@njit
def _sums(height, unary, pairwise, worth, out):
    """out = max(out, h + worth) along a row."""
    for i in range(out.size):
        x = (height + (unary[i] + pairwise[i])) + worth[i]
        out[i] = x if x > out[i] else out[i]


@njit
def _losses(example, low):
    """The losses of every kind of row, (kinds * width), and the kind of each row.

    Rows are of a kind where they have the same counts of wrong labels; under WEIGHTS no two are, and all losses are made.
    """
    y, width = example.y, 1 << low
    n_rows = 1 << (y.size - low)
    kinds = np.arange(n_rows)
    if example.kind == WEIGHTS:
        high, bottom = np.empty(n_rows), np.empty(width)
        _weigh(y[low:], example.table[low:], high)
        _weigh(y[:low], example.table[:low], bottom)
        losses, unit = np.empty(n_rows * width), example.table[y.size]
        for a in range(n_rows):
            row = losses[a * width : (a + 1) * width]
            for b in range(width):
                row[b] = unit * (high[a] + bottom[b])
        return losses, kinds
    high_places, places = np.empty(n_rows, np.int64), np.empty(width, np.int64)
    _places(y[low:], example.step_fp, example.step_fn, high_places)
    _places(y[:low], example.step_fp, example.step_fn, places)
    kind_of, n_kinds = np.full(high_places.max() + 1, -1), 0
    for a in range(n_rows):
        if kind_of[high_places[a]] < 0:
            kind_of[high_places[a]] = n_kinds
            n_kinds += 1
        kinds[a] = kind_of[high_places[a]]
    losses = np.empty(n_kinds * width)
    for place in range(kind_of.size):
        if kind_of[place] >= 0:
            row, table = losses[kind_of[place] * width : (kind_of[place] + 1) * width], example.table[example.offset + place :]
            for b in range(width):
                row[b] = table[places[b]]
    return losses, kinds


@njit
def _greatest(values):
    """The greatest of at least one value, in four lanes: one chain of comparisons would wait for itself."""
    a = b = c = d = values[0]
    i = 0
    while i + 4 <= values.size:
        a = values[i] if values[i] > a else a
        b = values[i + 1] if values[i + 1] > b else b
        c = values[i + 2] if values[i + 2] > c else c
        d = values[i + 3] if values[i + 3] > d else d
        i += 4
    while i < values.size:
        a = values[i] if values[i] > a else a
        i += 1
    return max(max(a, b), max(c, d))


@njit
def _size(values):
    """The greatest absolute value."""
    a = b = 0.0
    i = 0
    while i + 2 <= values.size:
        a, b = max(a, abs(values[i])), max(b, abs(values[i + 1]))
        i += 2
    return max(a, b, abs(values[values.size - 1]))


@njit
def _bounds(upper, lower, tops, kinds, worth, most_worth, lam, bounds):
    """bounds[a]: no label set of row a has a greater h + lam worth. Returns the first of the greatest.

    h + lam worth <= upper[a] + max_b(lower[b] + lam worth[b]) + max_b pairwise[a, b], up to rounding, for which there is room.
    """
    width, first = lower.size, 0
    most, sums = np.empty(worth.size // width), np.empty(width)
    room = TIE * (_size(upper) + _size(lower) + _size(tops) + lam * most_worth)
    for c in range(most.size):
        row = worth[c * width : (c + 1) * width]
        for b in range(width):
            sums[b] = lower[b] + lam * row[b]
        most[c] = _greatest(sums) + room
    for a in range(upper.size):
        bounds[a] = upper[a] + (most[kinds[a]] + tops[a])
    top = _greatest(bounds)
    while bounds[first] != top:
        first += 1
    return first


@njit
def _place(values, top):
    """Where a value stands first."""
    b = 0
    while values[b] != top:
        b += 1
    return b


@njit
def _limit(product, lam, goal):
    """Rows of no greater bound hold nothing above the goal: h g <= K^2 / 4 lam."""
    return 2.0 * np.sqrt(lam * goal) * (1.0 - TIE) if product else goal


@njit
def _scan(upper, lower, pairwise, tops, kinds, worth, most_worth, product, lam, goal):
    """The greatest h worth (product) or h + worth above the goal, over all label sets, h = upper[a] + lower[b] + pairwise[a, b].

    Rows that cannot beat the goal or the best of the rows before are left out: the first is the one of greatest bound, at lam for
    products; where its best label is far from balance there, its own balance bounds the others. `most_worth` is the greatest finite
    worth but for its sign. Returns the value and the index, -1 where none beats the goal. Ties: the lowest place in a row, then the
    lowest row.
    """
    width, n_rows, start, lam = lower.size, upper.size, goal, lam if product else 1.0
    bounds, found = np.empty(n_rows), np.full(width, goal)
    first, done = _bounds(upper, lower, tops, kinds, worth, most_worth, lam, bounds), 0
    limit = _limit(product, lam, goal)
    for i in range(n_rows + 1):
        a = first if i == 0 else i - 1
        if not bounds[a] > limit or (i > 0 and a == first):
            continue
        row, losses = pairwise[a * width : (a + 1) * width], worth[kinds[a] * width : (kinds[a] + 1) * width]
        if product:
            _products(upper[a], lower, row, losses, found)
        else:
            _sums(upper[a], lower, row, losses, found)
        if done % _OFTEN == 0:
            goal = _greatest(found)
            if product and i == 0 and goal > start:
                g = losses[_place(found, goal)]
                if not lam < _FAR * (goal / g / g) < _FAR * _FAR * lam:
                    lam = goal / g / g
                    _bounds(upper, lower, tops, kinds, worth, most_worth, lam, bounds)
            limit = _limit(product, lam, goal)
        done += 1
    top = _greatest(found)
    if not top > start:
        return start, -1
    b = _place(found, top)
    for a in range(n_rows):
        h, w = upper[a] + (lower[b] + pairwise[a * width + b]), worth[kinds[a] * width + b]
        if top == (h * w if product else h + w):
            return top, a * width + b
    return top, -1


@njit
def decode(unary, clamp, pairwise, tops, label):
    """The label set of greatest score; clamp[j] fixes label j, -1 leaves it free."""
    low = row_of(unary.size)
    lower, upper, kinds = np.empty(1 << low), np.empty(tops.size), np.zeros(tops.size, np.int64)
    unary_scores(unary[:low], lower)
    unary_scores(unary[low:], upper)
    for j in range(unary.size):
        scores, bit = (lower, j) if j < low else (upper, j - low)
        for i in range(scores.size):
            if clamp[j] >= 0 and clamp[j] != (i >> bit) & 1:
                scores[i] = -np.inf
    for a in range(upper.size):
        upper[a] += 1.0  # as in `answer`, so that both round alike
    _write(_scan(upper, lower, pairwise, tops, kinds, np.zeros(lower.size), 0.0, False, 1.0, -np.inf)[1], label)


@njit
def _views(shared, pool):
    """Pairwise scores and their maxima."""
    n, m, n_table = size_of(shared)
    n_sets, n_rows = 1 << n, 1 << (n - row_of(n))
    numbers = carray(pool, n_table + m + n_sets + n_rows)[n_table + m :]
    return numbers[:n_sets], numbers[n_sets:]


@njit
def _heights(example, pairwise, low):
    """1 - f(y) plus the unary scores of the high labels, and those of the low ones."""
    lower, upper = np.empty(1 << low), np.empty(1 << (example.y.size - low))
    unary_scores(example.unary[:low], lower)
    unary_scores(example.unary[low:], upper)
    target = _index(example.y)
    base = 1.0 - (upper[target >> low] + (lower[target & (lower.size - 1)] + pairwise[target]))
    for a in range(upper.size):
        upper[a] += base
    return upper, lower


@njit
def _point(upper, lower, pairwise, losses, kinds, index):
    """h and g of a label set, to the bit as they were compared."""
    a, b = index // lower.size, index % lower.size
    return upper[a] + (lower[b] + pairwise[index]), losses[kinds[a] * lower.size + b]


@njit
def _best(example, pairwise, tops, rescaling, lam, threshold, label, out):
    nothing(lam, threshold, out)
    low = row_of(example.y.size)
    upper, lower = _heights(example, pairwise, low)
    losses, kinds = _losses(example, low)
    goal = threshold if rescaling else threshold + 1.0
    _, index = _scan(upper, lower, pairwise, tops, kinds, losses, _greatest(losses), rescaling == 1, lam, goal)
    if index < 0:
        return 0
    _write(index, label)
    h, g = _point(upper, lower, pairwise, losses, kinds, index)
    value = h * g if rescaling else h - 1.0 + g
    if not value > threshold:
        return 0
    out[0], out[1], out[2], out[3] = h, g, value, value
    if rescaling:
        out[4] = balance(h, g)
    return 1


def best(rescaling, lam, threshold, tol, shared, pool, target, theta, label, out):
    """Direct exact argmax by enumeration; see `compiling.BEST`. O(2^L), the same for both rescalings."""
    example, (pairwise, tops) = set_of(shared, pool, target, theta), _views(shared, pool)
    return _best(example, pairwise, tops, rescaling, lam, threshold, carray(label, example.y.size), carray(out, 6))


@njit
def _in_cone(upper, lower, pairwise, kinds, losses, region, lam):
    """The label set of greatest h + lam g in a cone, one by one."""
    width, arg, top, top_h, top_g = lower.size, -1, -np.inf, 0.0, 0.0
    for a in range(upper.size):
        row, gs = pairwise[a * width : (a + 1) * width], losses[kinds[a] * width : (kinds[a] + 1) * width]
        for b in range(width):
            h, g = upper[a] + (lower[b] + row[b]), gs[b]
            if in_region(CONE, region, h, g) and (arg < 0 or better(h + lam * g, h, g, top, top_h, top_g)):
                arg, top, top_h, top_g = a * width + b, h + lam * g, h, g
    return arg


@njit
def _answer(example, pairwise, tops, kind, lam, region, label, point):
    low = row_of(example.y.size)
    upper, lower = _heights(example, pairwise, low)
    losses, kinds = _losses(example, low)
    if kind == CONE:
        index = _in_cone(upper, lower, pairwise, kinds, losses, region, lam)
    else:
        worth = np.empty(losses.size)
        worth_of(kind, lam, region, losses, worth)
        _, index = _scan(upper, lower, pairwise, tops, kinds, worth, lam * _greatest(losses), False, 1.0, -np.inf)
    if index < 0:
        return 0
    _write(index, label)
    point[0], point[1] = _point(upper, lower, pairwise, losses, kinds, index)
    return 1


def answer(kind, lam, region, shared, pool, target, theta, label, point):
    """Any question, cones too; see `asking`. O(2^L)."""
    example, (pairwise, tops) = set_of(shared, pool, target, theta), _views(shared, pool)
    return _answer(example, pairwise, tops, kind, lam, carray(region, 6), carray(label, example.y.size), carray(point, 2))


def prepare(shared, weights, pool):
    """The weights, the pairwise score of every label set and the maxima of rows; see `compiling.PREPARE`. O(2^L)."""
    n, m, _ = size_of(shared)
    copy_weights(shared, weights, pool)
    pairwise, tops = _views(shared, pool)
    pairwise_scores(n, carray(shared, HEAD + 2 * m)[HEAD:].reshape(m, 2), carray(weights, m), pairwise, tops)
    return 0
