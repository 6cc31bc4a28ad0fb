"""Tables and pictures from the raw lines that `benchmarks.solvers` kept: `docs/measured/solvers.md` and its drawings."""

import json
import re
from itertools import product
from pathlib import Path

from benchmarks.objective import PROBLEMS
from benchmarks.solvers import LEVELS, SOLVERS, certified, kept_at, reached

PAGE = Path(__file__).resolve().parent.parent / "docs" / "measured" / "solvers.md"
AXES = {"n_passes": "passes", "seconds": "seconds", "queries": "oracle calls"}
HEAD = """# Solvers, measured

Every solver on every problem, made by `make bench-solvers`. Seconds are CPU seconds of one thread, of passes alone; the objective
is evaluated outside the timer, with exact answers. *To* a level: the primal is so close to the greatest lower bound that any
solver found, in proportion. *Certified*: the solver's own primal and dual are. A dash: not within the limit.
Oracle calls count every question that answers took. The machine:
{machine}.

Runs that are not listed have not been made; `make bench-solvers BENCH_ARGS=--missing` makes them. A dash under GiB: not measured.

Solid lines are the distance of the best primal so far from the greatest lower bound, dotted lines that of the solver's own
lower bound from the least primal known, both in proportion.
"""


def load():
    """Raw lines by problem, rescaling and solver, and the machine."""
    runs, machine = {}, {}
    for data, rescaling, name in product(PROBLEMS, ("slack", "margin"), SOLVERS):
        path = kept_at(data, rescaling, name)
        if path.exists():
            first, *lines = (json.loads(line) for line in path.read_text().splitlines())
            machine = first["machine"]
            runs.setdefault((data, rescaling), {})[name] = lines
    return runs, machine


def number(x):
    """Three digits, or a dash."""
    return "-" if x is None else f"{x:.3g}"


def table(runs):
    """One line per solver."""
    dual = max(row["dual"] for rows in runs.values() for row in rows)
    head = ["solver", *(f"to {x:g}" for x in LEVELS), *(f"certified {x:g}" for x in LEVELS[1:])]
    head += ["limit", "passes", "oracle calls", "ms a pass", "GiB"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for name in (name for name in SOLVERS if name in runs):
        rows, last = runs[name], runs[name][-1]
        seconds = [reached(rows, level, dual)[0] for level in LEVELS] + [certified(rows, level) for level in LEVELS[1:]]
        counts = [number(last["limit"]), last["n_passes"], last["queries"], number(1e3 * last["seconds"] / last["n_passes"])]
        counts.append(number(last["gib"]))
        lines.append("| " + " | ".join([name, *(number(s) for s in seconds), *(str(c) for c in counts)]) + " |")
    return "\n".join(lines)


def draw(runs, axis):
    """A panel per problem and rescaling."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.fonttype"] = "none"
    matplotlib.rcParams["svg.hashsalt"] = "taut"
    import matplotlib.pyplot as plt

    colours = dict(zip(SOLVERS, plt.get_cmap("tab10").colors, strict=True))
    rows = -(-len(runs) // 2)
    figure, panels = plt.subplots(rows, 2, figsize=(9, 2.6 * rows), squeeze=False, layout="constrained", sharey=True)
    for panel in panels.flat[len(runs) :]:
        panel.axis("off")
    for panel, ((data, rescaling), mine) in zip(panels.flat, runs.items(), strict=False):
        dual = max(row["dual"] for lines in mine.values() for row in lines)
        primal = min(row["primal"] for lines in mine.values() for row in lines)
        for name, lines in mine.items():
            few = [*lines[:-1][:: max(1, len(lines) // 14)], lines[-1]]
            x = [max(line[axis], 1e-3) for line in few]
            panel.loglog(x, [max(line["primal"] / dual - 1, 2e-4) for line in few], color=colours[name], lw=1.2, label=name)
            panel.loglog(x, [max(1 - line["dual"] / primal, 2e-4) for line in few], color=colours[name], lw=0.8, ls=":")
        panel.set_title(f"{data}: {rescaling}", fontsize=9)
        panel.set_ylim(2e-4, 3)
        panel.minorticks_off()
    panels[0, 0].legend(fontsize=6)
    figure.supxlabel(AXES[axis])
    path = PAGE.with_name(f"solvers-{AXES[axis].replace(' ', '-')}.svg")
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)
    path.write_text(re.sub(r"(\d+\.\d)\d+", r"\1", path.read_text()))  # a tenth of a point is enough


def main():
    """Write the page."""
    runs, machine = load()
    PAGE.parent.mkdir(exist_ok=True)
    text = HEAD.format(machine=", ".join(f"{k} {v}" for k, v in machine.items()))
    for axis, title in AXES.items():
        draw(runs, axis)
        text += f"\n![Distance of primal and dual from the optimum against {title}](solvers-{title.replace(' ', '-')}.svg)\n"
    for (data, rescaling), mine in runs.items():
        text += f"\n## {data}: {rescaling}\n\n{table(mine)}\n"
    PAGE.write_text(text)


if __name__ == "__main__":
    main()
