"""Table 2 on the page."""

from ..figures.curves import paired
from ..paper import TABLE2
from ..raw import Lines, mean_of
from ..table2 import DATA, LOSSES
from ..training import METRICS
from .markdown import from_lines, signed, table

__all__ = ["short", "told"]

_PRINTED = ("Acc", "Label loss", "MiF1", "MaF1")
_NEAR = 0.015
_NAMES = {
    "yeast": "Yeast, 14 labels, weights for all pairs",
    "rcv1-14": "RCV1, 14 most frequent topics, weights for all pairs",
    "rcv1-101": "RCV1, all 101 topics, weights for the pairs of a Chow-Liu tree",
}


def told(lines: Lines, quick: bool) -> str:
    """A table per data set, the paired differences, and the verdict."""
    size, parts = "quick" if quick else "full", [_CHOICES]
    for data in DATA:
        if lines.like(f"table2/{data}/*/{size}/*"):
            parts += [f"### {_NAMES[data]}", _table(lines, data, size), _differences(lines, data, size)]
    if lines.like(f"table2/yeast/*/{size}/*"):
        parts.append(_verdict(lines, size))
    if lines.like(f"table2/rcv1-101/*/{size}/*"):
        parts.append(_rcv1(lines, size))
    return "\n\n".join(parts)


def _table(lines: Lines, data: str, size: str) -> str:
    rows = []
    for loss in LOSSES:
        for rescaling in ("slack", "margin"):
            for seeds, name in (("0", "published"), ("[1-9]", "resplits")):
                pattern = f"table2/{data}/{loss}/{rescaling}/{size}/seed={seeds}"
                if lines.like(pattern):
                    shown = [lines.mean(pattern, "metrics", metric).show(4) for metric in METRICS]
                    gap = 100 * max(line["gap"] for line in lines.like(pattern))
                    rows.append([f"{rescaling}, {loss}, {name}", *shown, f"{gap:.1f}", from_lines(lines, pattern)])
    for rescaling, printed in TABLE2.get(data.split("-")[0], {}).items() if data != "rcv1-14" else ():
        rows.append([f"*{rescaling}, paper*", *(f"*{value:g}*" for value in printed), "", "", ""])
    return table(("surrogate, trained for, division", *METRICS, "gap %", "lines"), rows)


def _differences(lines: Lines, data: str, size: str) -> str:
    rows = []
    for loss in LOSSES:
        prefix = f"table2/{data}/{loss}"
        means = [mean_of(paired(lines, prefix, size, ("metrics", metric))) for metric in METRICS]
        if means[0].n:
            rows.append([loss, *map(signed, means), str(means[0].n),
                         f"`{prefix}/slack/{size}/seed=*`, `{prefix}/margin/{size}/seed=*`"])  # fmt: skip
    shown = table(("trained for", *METRICS, "pairs", "lines"), rows)
    return f"Slack less margin, paired by division:\n\n{shown}\n\n{_ahead(lines, data, size)}"


def _ahead(lines: Lines, data: str, size: str) -> str:
    """Who is ahead in Acc beyond two standard errors; the paper gives none."""
    told = []
    for loss in LOSSES:
        mean = mean_of(paired(lines, f"table2/{data}/{loss}", size, ("metrics", "Acc")))
        if mean.n > 1:
            who = "neither" if abs(mean.mean) <= 2 * mean.error else "slack" if mean.mean > 0 else "margin"
            told.append(f"{loss}: {who}")
    return f"Ahead in Acc beyond two standard errors: {'; '.join(told) or 'one division only, no error'}."


def short(lines: Lines, quick: bool) -> list[tuple[str, str]]:
    """How near the paper's eight numbers on Yeast are, and who is ahead on RCV1."""
    size = "quick" if quick else "full"
    near = _near(lines, size)
    found = []
    if near:
        far, loss, name = min((len(far), loss, name) for loss, name, far, _ in near)
        found.append(("Table 2, Yeast", f"{8 - far} of the paper's 8 numbers within {_NEAR:g} (trained for {loss}, {name})"))
    for data in ("rcv1-14", "rcv1-101"):
        means = {loss: mean_of(paired(lines, f"table2/{data}/{loss}", size, ("metrics", "Acc"))) for loss in LOSSES}
        told = [f"{loss} {signed(mean)}" for loss, mean in means.items() if mean.n]
        if told:
            what = f"slack less margin in Acc (paper: +0.0140): {'; '.join(told)}"
            found.append((f"Table 2, {_NAMES[data].split(', w')[0]}", what))
    return found


def _near(lines: Lines, size: str) -> list[tuple[str, str, list[str], list[str]]]:
    """Per choice of loss and division: the paper's numbers that ours are far from, and the patterns."""
    found = []
    for loss in LOSSES:
        for seeds, name in (("0", "published"), ("[1-9]", "resplits")):
            patterns = {r: f"table2/yeast/{loss}/{r}/{size}/seed={seeds}" for r in ("slack", "margin")}
            if all(lines.like(pattern) for pattern in patterns.values()):
                off = {
                    (r, metric): lines.mean(pattern, "metrics", metric).mean - printed
                    for r, pattern in patterns.items()
                    for metric, printed in zip(_PRINTED, TABLE2["yeast"][r], strict=True)
                }
                far = [f"{r} {metric} ({value:+.4f})" for (r, metric), value in off.items() if abs(value) > _NEAR]
                found.append((loss, name, far, list(patterns.values())))
    return found


def _verdict(lines: Lines, size: str) -> str:
    """Which of the paper's eight numbers each choice of loss comes near, on the published division and over resplits."""
    near = _near(lines, size)
    rows = [
        [f"{loss}, {name}", f"{8 - len(far)} of 8", ", ".join(far) or "none", ", ".join(from_lines(lines, p) for p in patterns)]
        for loss, name, far, patterns in near
    ]
    far, loss, name = min((len(far), loss, name) for loss, name, far, _ in near)
    shown = table(("trained for, division", f"within {_NEAR:g}", "beyond (ours less the paper's)", "lines"), rows)
    head = "**met**" if far == 0 else "**not met**"
    return (
        f"Yeast against the paper's eight numbers, {head}: the best match is training for {loss} ({name}), with {8 - far} of 8 "
        f"within {_NEAR:g}.\n\n{shown}\n\nThe paper's accuracy and F1 look like training for F1 or Jaccard, its label loss like "
        "training for Hamming; which was trained for, it does not say."
    )


def _rcv1(lines: Lines, size: str) -> str:
    found = []
    for loss in LOSSES:
        mean = mean_of(paired(lines, f"table2/rcv1-101/{loss}", size, ("metrics", "Acc")))
        if mean.n:
            found.append(f"{100 * mean.mean:+.2f} ({loss})")
    if not found:
        return "Margin rescaling has not been run on all 101 topics yet."
    return (
        "On RCV1 the paper has slack ahead by 1.4 points of Acc with equal label loss, on unnamed documents and labels: only the "
        f"sign can be compared. Here slack less margin is, in points of Acc: {', '.join(found)}. Standard errors are above."
    )


_CHOICES = """\
The paper says neither which loss was trained for, nor the model beyond "Markov random field", the divisions, the grid of C or how
it was chosen. Here: a weight per label and feature, a constant, and a weight per pair of labels that all examples share; features
as published (rows of norm one on both data sets); losses divided by the number of labels (Hamming) or 1 - F1 and 1 - Jaccard per
example; BCFW to a relative gap of 1 % (40 passes at most in choosing, 80 in the last fit; the column "gap" holds the greatest gap
of the row's fits in percent); C chosen on a fifth of the training part by the metric that goes with the loss (two rows of Yeast:
by label loss instead), then a fit to all. Divisions: the published one (Yeast 1500 / 917; RCV1 subset 1, 3000 / 3000, with the test
labels repaired: published copies have them shifted) and others of the same sizes, drawn from all examples. Acc is Jaccard accuracy
and MaF1 the F1 per example (E40 in {doc}`errata`); "label F1" is what others call macro-F1. ± is one standard error over divisions,
which share examples: read it as a lower bound."""
