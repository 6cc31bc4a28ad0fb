"""Count wrong answers of the exact searches on random sets: `python -m benchmarks.exact_search [n_sets] [seed]`."""

import sys
from pathlib import Path

import numpy as np
from rich.progress import track

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from catalogue import draw_set
from laws import assert_exact

from taut.oracles import Points
from taut.search import angular_search, lens_search


def main():
    """Draw sets as the tests do; every answer must be the best label, certified."""
    n_sets = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    rng = np.random.default_rng(int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    wrong = {"lens_search": 0, "angular_search": 0}
    for _ in track(range(n_sets), description="searching"):
        h, g, lam = draw_set(rng)
        points = Points(h, g)
        for search in (lens_search, angular_search):
            try:
                assert_exact(search(points, lam=lam), h, g)
            except AssertionError as error:
                wrong[search.__name__] += 1
                print(f"wrong: {search.__name__} from lam={lam!r} on h={h!r}, g={g!r}: {error}")
    print(f"{n_sets} sets, wrong answers: {wrong}")
    sys.exit(1 if any(wrong.values()) else 0)


if __name__ == "__main__":
    main()
