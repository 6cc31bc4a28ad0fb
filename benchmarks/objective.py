"""The problems that solvers are measured on, and the objective, evaluated outside the timer with exact answers."""

import numpy as np
from scipy import sparse
from sklearn.datasets import load_digits

from taut.datasets import load_arff, load_letters, load_rcv1
from taut.datasets.folder import dataset_path
from taut.losses import Hamming
from taut.solvers import Problem
from taut.solvers.averaging import no_atoms
from taut.structures import Chain, Hierarchy, Multiclass, MultiLabel, chow_liu_tree

COUNTS = Hamming(normalize=False)


class Objective:
    """One problem: data, regulariser, the true primal of any w."""

    def __init__(self, structure, X, Y, loss, reg, rescaling, offsets=None, bias=1.0):
        self.data = structure, X, list(Y), loss, rescaling
        self.more = {"offsets": offsets, "bias": bias}
        self.reg = reg
        self.exact = self.problem()
        self._atoms, self._lams = no_atoms(self.exact.n_examples), self.exact.first_lams.copy()

    def problem(self, **changes):
        return Problem(*self.data, **self.more, **changes)

    def primal(self, w):
        answers = self.exact.answers(np.arange(self.exact.n_examples))
        self.exact.answer(answers, w, self._atoms, self._lams)
        return 0.5 * self.reg * float(w @ w) + self.exact.surrogate(answers)


def yeast(edges, rescaling):
    X, Y = load_arff(dataset_path("yeast", "yeast-train.arff.gz"), labels=dataset_path("yeast", "yeast.xml"))
    pairs = chow_liu_tree(Y) if edges == "tree" else edges
    return Objective(MultiLabel(Y.shape[1], pairs), X, Y, COUNTS, 0.01, rescaling)


def letters(rescaling):
    data = load_letters()
    words = np.flatnonzero(data.part == 1)
    offsets = np.concatenate([[0], np.cumsum([len(data.Y[w]) for w in words])])
    X, Y = np.concatenate([data.X[w] for w in words]), [data.Y[w] for w in words]
    return Objective(Chain(26), X, Y, COUNTS, 1.0 / (0.1 * len(words)), rescaling, offsets, bias=0.0)


def enron(rescaling):
    data = load_arff(dataset_path("hmc-Enron_corr", "Enron_corr_trainvalid.arff.gz"))
    X = sparse.csr_array(data.X)  # words of a mail, 0 or 1
    return Objective(Hierarchy(data.hierarchy, n_nodes=data.Y.shape[1]), X, data.Y, COUNTS, 0.01, rescaling)


def rcv1(kind, rescaling):
    data = load_rcv1(1, "train")
    n = data.Y.shape[1]
    if kind == "hierarchy":
        return Objective(Hierarchy(data.hierarchy, n_nodes=n), data.X, data.Y, COUNTS, 1.0 / len(data.Y), rescaling)
    keep = [j for j, name in enumerate(data.label_names) if name != "MCAT"]
    Y = data.Y[:, keep]
    return Objective(MultiLabel(len(keep), chow_liu_tree(Y)), data.X, Y, COUNTS, 1.0 / len(Y), rescaling)


def digits(rescaling):
    X, y = load_digits(return_X_y=True)
    return Objective(Multiclass(10), X[:1198] / 16, y[:1198], "zero-one", 1.0 / (0.1 * 1198), rescaling)


PROBLEMS = {
    "digits": digits,
    "yeast, tree": lambda rescaling: yeast("tree", rescaling),
    "yeast, full": lambda rescaling: yeast("full", rescaling),
    "letters": letters,
    "enron, hierarchy": enron,
    "rcv1, hierarchy": lambda rescaling: rcv1("hierarchy", rescaling),
    "rcv1, tree": lambda rescaling: rcv1("tree", rescaling),
}
