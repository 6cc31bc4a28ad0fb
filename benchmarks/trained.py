"""Weights as training makes them: a plain mini-batch subgradient method, enough to put oracles where solvers use them."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from taut import HierarchicalSSVM
from taut.datasets import load_arff, load_letters, load_rcv1
from taut.datasets.folder import dataset_path
from taut.structures import Chain, Hierarchy


def letters(fold=1):
    """Words of one fold: pixels (rows, 128), labels (rows,), offsets."""
    X, Y = data = load_letters()
    words = np.flatnonzero(data.part == fold)
    sizes = [len(Y[w]) for w in words]
    return np.concatenate([X[w] for w in words]), np.concatenate([Y[w] for w in words]), np.concatenate([[0], np.cumsum(sizes)])


def chain_potentials(x, y, offsets, n_states, loss, rescaling, epochs=30, reg=0.01, seed=0):
    """Potentials of all sequences under trained weights: unary rows, transitions."""
    chain, rng = Chain(n_states), np.random.default_rng(seed)
    w, moves, n, t = np.zeros((n_states, x.shape[1])), np.zeros((n_states, n_states)), len(offsets) - 1, 0
    for _ in range(epochs):
        for batch in np.array_split(rng.permutation(n), max(n // 50, 1)):
            t += 1
            rows = np.concatenate([np.arange(offsets[i], offsets[i + 1]) for i in batch])
            own = np.concatenate([[0], np.cumsum(np.diff(offsets)[batch])])
            thetas = chain.potentials(x[rows] @ w.T, moves, offsets=own)
            targets = [y[offsets[i] : offsets[i + 1]] for i in batch]
            result = chain.loss_augmented_many(thetas, targets, loss, rescaling)
            step = 1.0 / (reg * (t + 10)) / len(batch)
            w *= 1.0 - 1.0 / (t + 10)
            moves *= 1.0 - 1.0 / (t + 10)
            for j, label in enumerate(result.labels):
                if label is None:
                    continue
                weight = step * (result.g[j] if rescaling == "slack" else 1.0)
                block = x[rows[own[j] : own[j + 1]]]
                np.add.at(w, targets[j], weight * block)
                np.add.at(w, label, -weight * block)
                np.add.at(moves, (targets[j][:-1], targets[j][1:]), weight)
                np.add.at(moves, (label[:-1], label[1:]), -weight)
    return x @ w.T, moves


def topics(n=400):
    """Documents of RCV1 and its tree of 102 topics."""
    data = load_rcv1()
    return data.X[:n], data.Y[:n].astype(np.int64), Hierarchy(data.hierarchy, n_nodes=data.Y.shape[1])


def functions(n=400, kind="FUN"):
    """Genes of yeast (cellcycle) and the tree of 499 functions of FunCat; GO is a graph of 4125; what is missing is 0."""
    data = load_arff(dataset_path(f"hmc-yeast-{kind}", f"cellcycle_{kind}.train.arff.gz"), missing="nan")
    x = np.nan_to_num(np.asarray(data.X, dtype=float))[:n]
    x = (x - x.mean(axis=0)) / np.maximum(x.std(axis=0), 1e-12) / np.sqrt(x.shape[1])
    return x, data.Y[:n].astype(np.int64), Hierarchy(data.hierarchy, n_nodes=data.Y.shape[1])


def hierarchy_potentials(x, y, hierarchy, loss, C=10.0, n_passes=40):
    """Scores of all examples under weights trained with slack rescaling by the solver that is the default."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = HierarchicalSSVM(hierarchy=hierarchy.edges, C=C, loss=loss, max_iter=n_passes, random_state=0).fit(x, y)
    return np.ascontiguousarray(x @ model.coef_.T + model.intercept_)


def tree_potentials(x, y, tree, loss, epochs=30, reg=0.01, seed=0):
    """Unary scores (n, N, K) and edge scores under weights trained with slack rescaling; x (n, N, F)."""
    k, rng, n, t = tree.n_states, np.random.default_rng(seed), len(y), 0
    w, moves = np.zeros((x.shape[2], k)), np.zeros((k, k))
    eye, (a, b) = np.eye(k), tree.edges.T
    for _ in range(epochs):
        for batch in np.array_split(rng.permutation(n), max(n // 50, 1)):
            t += 1
            found = tree.loss_augmented_many(tree.potentials(x[batch] @ w, moves), list(y[batch]), loss)
            labels, weight = found.words.reshape(len(batch), -1), (found.found * found.g)[:, None, None]
            right, wrong = eye[y[batch]], eye[labels]
            step = 1.0 / (reg * (t + 10) * len(batch))
            w *= 1.0 - 1.0 / (t + 10)
            moves *= 1.0 - 1.0 / (t + 10)
            w += step * np.einsum("nvf,nvk->fk", x[batch], weight * (right - wrong))
            pairs = weight[..., None] * (right[:, a, :, None] * right[:, b, None] - wrong[:, a, :, None] * wrong[:, b, None])
            moves += step * pairs.sum(axis=(0, 1))
    return x @ w, moves


def label_set_data(name):
    """Label sets of MULAN: features (n, F) of norm about 1, labels (n, L)."""
    data = load_arff(dataset_path(name, f"{name}-train.arff.gz"), dataset_path(name, f"{name}.xml"))
    x = data.X.toarray() if hasattr(data.X, "toarray") else np.asarray(data.X, dtype=float)
    return x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-12), np.asarray(data.Y).astype(np.int64)


def label_set_potentials(x, y, structure, loss, epochs=20, reg=0.001, seed=0):
    """Unary scores of all examples and pairwise weights, trained with slack rescaling."""
    rng, n, t = np.random.default_rng(seed), len(y), 0
    w, pairwise = np.zeros((x.shape[1], structure.n_labels)), np.zeros(structure.n_shared)
    a, b = structure.edges.T
    for _ in range(epochs):
        for batch in np.array_split(rng.permutation(n), max(n // 50, 1)):
            t += 1
            found = structure.loss_augmented_many(structure.potentials(x[batch] @ w, pairwise), list(y[batch]), loss)
            labels = found.words.reshape(len(batch), -1)
            step = (found.found * found.g)[:, None] / (reg * (t + 10) * len(batch))
            w *= 1.0 - 1.0 / (t + 10)
            pairwise *= 1.0 - 1.0 / (t + 10)
            w += x[batch].T @ (step * (y[batch] - labels))
            pairwise += (step * (y[batch][:, a] * y[batch][:, b] - labels[:, a] * labels[:, b])).sum(axis=0)
    return x @ w, pairwise
