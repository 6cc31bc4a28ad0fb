"""Count wrong answers of all structures against enumeration: `python -m benchmarks.exact_argmax [n_answers] [seed] [names]`."""

import sys
from pathlib import Path

import numpy as np
from rich.console import Console

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from structure_answers import Tally, check
from structure_catalogue import REAL_ROWS, ROWS

from benchmarks.search import show


def main():
    """Draw examples as the tests do, the same number of answers for every structure, and compare each with the best label."""
    every = {**ROWS, **REAL_ROWS}
    n_answers = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    seed, names = int(sys.argv[2]) if len(sys.argv) > 2 else 0, sys.argv[3:] or list(every)
    tallies = {}
    for name in names:
        rng, tallies[name] = np.random.default_rng(seed), Tally()
        while tallies[name].answers.total() < n_answers / len(names):
            check(every[name], rng, tallies[name])
    kinds = sorted({kind for tally in tallies.values() for kind in tally.answers})
    rows = [
        {"answers of": kind, **{name: tally.answers[kind] for name, tally in tallies.items()}} for kind in kinds
    ]
    rows += [
        {"answers of": what, **{name: count(tally) for name, tally in tallies.items()}}
        for what, count in (("all", lambda tally: tally.answers.total()), ("wrong", lambda tally: len(tally.wrong)))
    ]
    show(Console(width=160), "answers checked against enumeration", rows)
    wrong = [line for tally in tallies.values() for line in tally.wrong]
    for line in wrong[:20]:
        print(line)
    print(f"{sum(tally.answers.total() for tally in tallies.values())} answers, {len(wrong)} wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
