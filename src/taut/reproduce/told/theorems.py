"""The theorems on the page."""

from ..raw import Lines
from .markdown import table

__all__ = ["short", "told"]


def told(lines: Lines, quick: bool) -> str:
    """Theorems 1, 5, 3 and 4."""
    sets = 50 if quick else 400
    parts = []
    if lines.like("theorems/blind/*"):
        parts += [_BLIND, _blind(lines)]
    if lines.like("theorems/adversary/*"):
        parts += [_ADVERSARY, _adversary(lines)]
    if lines.like(f"theorems/rate/*/sets={sets}"):
        parts += [_RATE, _rate(lines, sets)]
    if lines.like("theorems/infinite/*"):
        parts += [_INFINITE, _infinite(lines)]
    return "\n\n".join(parts)


def short(lines: Lines, quick: bool) -> list[tuple[str, str]]:
    """What the demonstrations show."""
    rows, sets = [], 50 if quick else 400
    if lines.like("theorems/blind/*"):
        worst = max(line["found"][name] for line in lines.like("theorems/blind/*") for name in ("binary", "bisecting", "Sarawagi"))
        rows.append(("Theorem 1", f"shown: searches over the multiplier find at most {worst:.3f} of the best product"))
    rates = {order: lines.like(f"theorems/rate/{order}/sets={sets}") for order in ("best", "fifo", "lifo")}
    if all(rates.values()):
        best, fifo, lifo = (found[0]["violations"] for found in rates.values())
        told = f"corrected bound violated {best} times best first, {fifo} breadth first, {lifo} depth first"
        rows.append(("Theorem 3", told))
    if lines.like("theorems/infinite/*"):
        line = lines.like("theorems/infinite/*")[0]
        asked = line["searches"]["angular"]["questions"]
        rows.append(("Theorem 4, infinite set", f"certified to {line['eps']:g} by angular search after {asked} questions"))
    if lines.like("theorems/adversary/*"):
        worst = max(line[name]["missed"] for line in lines.like("theorems/adversary/*") for name in ("angular", "lens"))
        rows.append(("Theorem 5", f"shown: after M - 1 questions at most {worst:.4f} of the best product is found"))
    return rows


def _blind(lines: Lines) -> str:
    names = ("binary", "bisecting", "Sarawagi", "angular", "lens")
    rows = []
    for line in lines.like("theorems/blind/*"):
        shares = [f"{line['found'][name]:.3f}" for name in names]
        rows.append([line["id"].split("/", 2)[2], *shares, str(line["labels_shown"]), f"`{line['id']}`"])
    return table(("set", *names, "labels shown", "line"), rows)


def _adversary(lines: Lines) -> str:
    rows = []
    for line in lines.like("theorems/adversary/*"):
        for name in ("angular", "lens"):
            one = line[name]
            m = line["id"].split("=")[1]
            rows.append([f"{m}, {name}", f"{one['missed']:.4f}", f"{one['questions']}", f"{one['most']}", f"`{line['id']}`"])
    return table(("labels, search", "found after M - 1 questions, of the best", "questions to certify", "2M + 1", "line"), rows)


def _rate(lines: Lines, sets: int) -> str:
    rows = []
    for name, order in (("best first", "best"), ("breadth first", "fifo"), ("depth first", "lifo")):
        for line in lines.like(f"theorems/rate/{order}/sets={sets}"):
            at = {row[0]: row for row in line["rows"]}
            shown = [f"{at[t][1]:.4f} / {at[t][2]:.4g}" for t in (3, 7, 15, 31)]
            rows.append([name, *shown, f"{line['violations']} of {line['checks']}", f"`{line['id']}`"])
    return table(("order", "t = 3", "t = 7", "t = 15", "t = 31", "violations", "line"), rows)


def _infinite(lines: Lines) -> str:
    rows = []
    for line in lines.like("theorems/infinite/*"):
        for name, one in line["searches"].items():
            certified = "yes" if one["certified"] else "no"
            shown = [f"{line['eps']:g}, {name}", str(one["questions"]), f"{one['off']:.1e}", certified, str(line["enough"])]
            rows.append([*shown, f"`{line['id']}`"])
    return table(("epsilon, search", "questions", "off", "certified", "enough by Theorem 4", "line"), rows)


_BLIND = """\
### Theorem 1: three labels that blind every search over the multiplier

A = (ε/G, G), B = (H, ε/H) and C = (H/2, G/2), as corrected in E17: C has the greatest product and lies under the chord AB. Shares
of the best product that each search finds; "labels shown" counts the labels that 2001 multipliers from 1e-9 to 1e9 ever show."""
_ADVERSARY = """\
### Theorem 5: the adversary

An oracle that makes up M labels while it is asked (Algorithm 3, corrected: E32, E33). After M - 1 questions the best label found is
below the unseen one, for every search; Theorem 2's 2M + 1 is a bound for angular search alone."""
_RATE = """\
### Theorem 3: the anytime rate

The paper's algorithm without pruning on random sets of 200 labels: the worst ratio best / found after t questions, and the
corrected bound cosh²(2 ln v / (t + 2)) of the worst set (E28, E29). The bound holds best first and breadth first; depth first, as
printed in the proof, violates it."""
_INFINITE = """\
### Theorem 4: an infinite set

All points of twelve discs along a curve that bends away from the hull: no M, so Theorem 2 says nothing (E41). Theorem 4, corrected
(E30): with a guess φ of half the optimum, 2 ln(HG/φ)/√ε questions are enough for the paper's algorithm (its rows; it does not
certify). With pruning and a tolerance angular search certifies the same with far fewer; lens search, made for losses that are
counts, needs many bands on a continuum; searches over the multiplier stay where the hull leaves them."""
