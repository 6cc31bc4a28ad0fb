"""Every solver reaches the optimum that a general solver finds, with a certificate that holds."""

import os
import signal
import subprocess
import sys
import threading
import time
from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse
from solver_laws import assert_fit, objective, optimum, planes, tiny_chains

from taut import container
from taut.kernels import atoms as kernel
from taut.kernels.passes import PAIRWISE
from taut.losses import Cost, Hamming
from taut.search import angular_search, bisecting_search, lens_search, sarawagi_search
from taut.solvers import (
    Checkpoint,
    Measure,
    Problem,
    Progress,
    averaged,
    bcfw,
    by_gap,
    minimise,
    n_slack,
    one_slack,
    path,
    plain_bcfw,
    sdca,
    sgd,
    uniform,
)
from taut.solvers.dual import Dual
from taut.solvers.progress import remaining
from taut.structures import Chain, Custom, Tree

# solver, relative gap that it must reach in so many passes
SOLVERS = {
    "bcfw": (bcfw, 1e-6, 2000),
    "bcfw, uniform": (lambda p, reg: bcfw(p, reg, sample=uniform), 1e-4, 2000),
    "bcfw, by gap": (lambda p, reg: bcfw(p, reg, sample=by_gap), 1e-4, 2000),
    "sdca": (sdca, 1e-6, 2000),
    "n-slack": (n_slack, 1e-6, 100),
    "1-slack": (one_slack, 1e-6, 300),
    "plain bcfw": (plain_bcfw, 0.2, 2000),
    "averaged bcfw": (lambda p, reg: averaged(plain_bcfw(p, reg)), 0.2, 2000),
    "sgd": (sgd, 0.2, 2000),
    "averaged sgd": (lambda p, reg: averaged(sgd(p, reg, batch_size=2)), 0.2, 2000),
}
DEAR = Cost(np.array([[0.0, 1.0, 3.0], [0.5, 0.0, 1.0], [2.0, 0.0, 0.0]]))


def chains(seed, rescaling, loss="hamming", **more):
    """A tiny problem, its planes, and a regulariser."""
    rng = np.random.default_rng(seed)
    structure, X, Y, offsets = tiny_chains(rng)
    problem = Problem(structure, X, Y, loss, rescaling, offsets=offsets, **more)
    return problem, planes(problem, X, 1.0, Y, offsets, loss, rescaling), 10.0 ** rng.uniform(-2, 0)


@pytest.mark.parametrize("name", SOLVERS)
def test_every_solver_reaches_the_optimum(name):
    make, tol, most = SOLVERS[name]
    for seed, (rescaling, loss) in enumerate((r, x) for r in ("margin", "slack") for x in ("hamming", "zero-one", DEAR)):
        problem, found, reg = chains(seed, rescaling, loss)
        fit = minimise(make(problem, reg), tol=tol, max_iter=most)
        assert fit.status == "converged"
        assert_fit(fit, found, problem.omega, reg, tol, optimum(found, problem.omega, reg))


def test_the_dual_never_falls_under_exact_steps():
    for make in (bcfw, plain_bcfw, sdca, n_slack):
        problem, _, reg = chains(3, "slack")
        solver, before = make(problem, reg), 0.0
        for _ in range(60):
            solver.advance()
            assert solver.dual >= before - 1e-12
            before = solver.dual
            if make is plain_bcfw:
                assert solver.dual == solver.dual_state.value()


def test_steps_gain_what_they_say_of_the_proximal_dual():
    problem, _, reg = chains(3, "slack")
    state, rng = Dual(problem, reg, inertia=4.0), np.random.default_rng(0)
    inner = 5.0 * reg

    def value():  # of reg/2 |w|^2 + sum H + kappa/2 |w - y|^2, up to what depends on y alone
        return kernel.linear(state.atoms, problem.omega)[0] - 0.5 * inner * state.w @ state.w

    for _ in range(40):
        state.extrapolate()
        before = value()
        gain, _ = state.step(state.answer(rng.permutation(problem.n_examples)), PAIRWISE, 0.2)
        assert gain >= 0.0
        assert abs(value() - before - gain) <= 1e-12


def test_no_plane_is_kept_twice():
    """Rounding lets a label beat its own atom: without a look at what is there half of the atoms were copies."""
    structure, X, Y, offsets = tiny_chains(np.random.default_rng(2), n=20)
    for rescaling in ("margin", "slack"):
        solver = bcfw(Problem(structure, X, Y, rescaling=rescaling, offsets=offsets), 0.01)
        for _ in range(100):
            solver.advance()
        atoms, seen = solver.dual_state.atoms, []
        for i, a in enumerate(atoms.head.tolist()):
            while a >= 0:
                first, last = atoms.links[a, kernel.START], atoms.links[a, kernel.START] + atoms.links[a, kernel.LENGTH]
                seen.append((i, *atoms.places[first:last], *atoms.counts[first:last]))
                a = atoms.links[a, kernel.NEXT]
        assert len(seen) > 20 and len(set(seen)) == len(seen)


def test_weights_stand_for_the_dual_variables():
    problem, _, reg = chains(4, "slack", DEAR)
    solver = bcfw(problem, reg)
    for _ in range(30):
        solver.advance()
    v = solver.dual_state.v.copy()
    solver.dual_state.refresh()
    np.testing.assert_allclose(solver.w, v, rtol=0, atol=1e-10 * np.abs(v).max())
    assert solver.dual_state.n_atoms > 0


@pytest.mark.parametrize("rescaling", ["margin", "slack"])
def test_weights_are_repetitions_and_order_does_not_matter(rescaling):
    structure, X, Y, offsets = tiny_chains(np.random.default_rng(5))
    rows = [X[a:b] for a, b in pairwise(offsets)]
    weights = [1, 0, 3, 1, 2, 1]
    again = [i for i, k in enumerate(weights) for _ in range(k)]
    weighted = Problem(structure, rows, Y, rescaling=rescaling, sample_weight=weights)
    repeated = Problem(structure, [rows[i] for i in again], [Y[i] for i in again], rescaling=rescaling)
    shuffled = Problem(structure, [rows[i] for i in again[::-1]], [Y[i] for i in again[::-1]], rescaling=rescaling)
    fits = [minimise(bcfw(p, 0.1), tol=1e-9, max_iter=5000) for p in (weighted, repeated, shuffled)]
    assert {fit.status for fit in fits} == {"converged"}
    for other in fits[1:]:
        assert abs(fits[0].primal - other.primal) <= 2e-9 * other.primal
        np.testing.assert_allclose(fits[0].w, other.w, atol=2e-4)


def test_sparse_rows_are_dense_rows():
    structure, X, Y, offsets = tiny_chains(np.random.default_rng(6))
    X[np.random.default_rng(0).random(X.shape) < 0.5] = 0.0
    dense = Problem(structure, X, Y, offsets=offsets)
    found = planes(dense, X, 1.0, Y, offsets, "hamming", "slack")
    thin = Problem(structure, sparse.csr_array(X), Y, offsets=offsets)
    for problem in (thin, Problem(structure, [sparse.csr_matrix(X[a:b]) for a, b in pairwise(offsets)], Y)):
        for make in (bcfw, plain_bcfw, one_slack, sgd):
            one = minimise(make(dense, 0.1), tol=1e-3, max_iter=50)
            other = minimise(make(problem, 0.1), tol=1e-3, max_iter=50)
            assert one.dual <= other.primal and other.dual <= one.primal
            if make in (plain_bcfw, sgd):  # whose passes do not depend on what an operation costs
                assert abs(one.primal - other.primal) <= 1e-9
    thin_found = planes(thin, sparse.csr_array(X), 1.0, Y, offsets, "hamming", "slack")
    assert abs(optimum(found, dense.omega, 0.1) - optimum(thin_found, thin.omega, 0.1)) < 1e-7


def test_long_examples_without_gram_matrices():
    rng = np.random.default_rng(7)
    sizes = [70, 3, 80]
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    X, Y = rng.normal(size=(153, 2)), [rng.integers(2, size=n) for n in sizes]
    for data in (X, sparse.csr_array(X)):
        problem = Problem(Chain(2), data, Y, offsets=offsets)
        assert problem.examples.products_at.tolist() == [0, 0, 9, 9]
        fits = [minimise(make(problem, 0.05), tol=1e-2, max_iter=100) for make in (one_slack, n_slack, bcfw)]
        assert fits[0].status == fits[1].status == "converged"
        assert max(f.dual for f in fits) <= min(f.primal for f in fits)


def test_blocks_that_hinder_each_other_are_solved_together():
    """Three long examples with ten weights: block steps alone stood at 5e-2 after 500 passes."""
    rng = np.random.default_rng(7)
    sizes = [70, 3, 80]
    X, Y = [rng.normal(size=(n, 2)) for n in sizes], [rng.integers(2, size=n) for n in sizes]
    for rescaling in ("margin", "slack"):
        fit = minimise(bcfw(Problem(Chain(2), X, Y, rescaling=rescaling), 0.05), tol=1e-3, max_iter=100)
        assert fit.status == "converged", fit


@pytest.mark.parametrize("make", [bcfw, plain_bcfw, n_slack, sgd, lambda p, reg: averaged(sgd(p, reg, batch_size=4))])
def test_the_same_bits_for_every_number_of_threads_and_every_run(make):
    structure, X, Y, offsets = tiny_chains(np.random.default_rng(8), n=100)
    fits = []
    for n_jobs in (1, 3, 1, -1):
        problem = Problem(structure, X, Y, offsets=offsets, n_jobs=n_jobs)
        fits.append(minimise(make(problem, 0.01), tol=1e-4, max_iter=15))
    problem.rows.dense.setflags(write=False)
    fits.append(minimise(make(problem, 0.01), tol=1e-4, max_iter=15))  # a refit is a fit
    assert all(np.array_equal(fits[0].w, other.w) and fits[0].dual == other.dual for other in fits)


def test_hull_is_between_slack_and_its_bound():
    """The hull surrogate by its definition: the greatest product on the convex hull, by pairs of labels."""
    for seed in range(4):
        problem, found, reg = chains(seed, "slack")
        hull = Problem(problem.structure, problem.rows.dense, self_labels(problem), rescaling="hull", offsets=problem.rows_at)
        fit = minimise(bcfw(hull, reg), tol=1e-4, max_iter=3000)
        assert fit.status == "converged"
        slack = minimise(bcfw(problem, reg), tol=1e-6, max_iter=3000)
        assert fit.primal >= slack.dual
        assert abs(0.5 * reg * fit.w @ fit.w + hull_value(found, problem.omega, fit.w) - fit.primal) <= 1e-6 * fit.primal
        far = 0.01 * np.random.default_rng(seed).normal(size=fit.w.size)
        assert 0.5 * reg * (fit.w + far) @ (fit.w + far) + hull_value(found, problem.omega, fit.w + far) >= fit.dual


def self_labels(problem):
    at = problem.examples.truth_at
    return [problem.examples.truth[a:b] for a, b in pairwise(at)]


def hull_value(found, omega, w):
    total = 0.0
    for share, (normals, losses) in zip(omega, found, strict=True):
        g = np.append(losses, 0.0)
        h = np.append(1.0 - np.divide(normals @ w, losses, out=np.ones(len(losses)), where=losses > 0), 1.0)
        top = 0.0
        for a in range(len(g)):
            for b in range(len(g)):
                t = np.linspace(0, 1, 2001)
                top = max(top, ((t * g[a] + (1 - t) * g[b]) * (t * h[a] + (1 - t) * h[b])).max())
        total += share * top
    return total


@pytest.mark.parametrize("search", [lens_search, bisecting_search, sarawagi_search])
def test_any_search_separates_and_never_breaks_the_certificate(search):
    exact, found, reg = chains(9, "slack", Hamming(normalize=False))
    best = optimum(found, exact.omega, reg)
    data = exact.rows.dense, self_labels(exact), Hamming(normalize=False)
    problem = Problem(exact.structure, *data, search=search, offsets=exact.rows_at)
    for make in (n_slack, one_slack, bcfw, sgd):
        fit = minimise(make(problem, reg), tol=1e-6, max_iter=40)
        assert fit.dual <= best + 1e-7 and fit.primal >= objective(found, exact.omega, reg, fit.w) - 1e-9
        if search is lens_search:
            assert fit.status == "converged" or make in (bcfw, sgd)
            assert all(line.certified == 1.0 for line in fit.history)
        else:
            assert any(line.certified < 1.0 for line in fit.history)


def test_a_search_that_needs_cones_says_so():
    problem, _, reg = chains(1, "slack", search=angular_search)
    with pytest.raises(TypeError, match="cone"):
        minimise(n_slack(problem, reg), max_iter=1)


class Pairs(Custom):
    """Chains again, in plain Python."""

    width, n_shared = 3, 9

    def parts(self, y, n_rows):
        return [t * 3 + k for t, k in enumerate(y)] + [n_rows * 3 + a * 3 + b for a, b in pairwise(y)]

    def score(self, theta, y):
        flat = np.concatenate([theta.own.ravel(), theta.shared])
        return float(flat[self.parts(y, len(y))].sum())

    def loss(self, y_true, y):
        return float((np.asarray(y_true) != np.asarray(y)).sum())

    def losses(self, target):
        return np.arange(len(target) + 1.0)

    def labels(self, theta):
        return [np.array(y) for y in np.ndindex(*[3] * len(theta.own))]

    def argmax(self, theta, target, lam):
        return max(self.labels(theta), key=lambda y: self.score(theta, y) + lam * self.loss(target, y))

    def argmax_in_band(self, theta, target, lam, lo, hi):
        inside = [y for y in self.labels(theta) if lo < self.loss(target, y) < hi]
        return max(inside, key=lambda y: self.score(theta, y) + lam * self.loss(target, y), default=None)


@pytest.mark.parametrize("rescaling", ["margin", "slack"])
def test_a_structure_in_python_is_trained_to_the_same_optimum(rescaling):
    structure, X, Y, offsets = tiny_chains(np.random.default_rng(10), n=3)
    compiled = Problem(structure, X, Y, Hamming(normalize=False), rescaling, offsets=offsets)
    plain = Problem(Pairs(), X, Y, "hamming", rescaling, offsets=offsets)
    one = minimise(bcfw(compiled, 0.2), tol=1e-6)
    for make in (bcfw, sgd, one_slack):
        other = minimise(make(plain, 0.2), tol=1e-2 if make is not sgd else 0.3, max_iter=100)
        assert other.status == "converged"
        assert other.dual <= one.primal and one.dual <= other.primal

    class Wrong(Pairs):
        def parts(self, y, n_rows):
            return [10**6]

    with pytest.raises(ValueError, match="parts"):
        Problem(Wrong(), X, Y, offsets=offsets)


def test_a_path_starts_where_it_was():
    problem, found, _ = chains(11, "slack")
    regs = [1.0, 0.3, 0.1, 0.03]
    for make in (bcfw, one_slack, n_slack):
        for reg, fit in path(make(problem, 1.0), regs, tol=1e-5, max_iter=1000):
            assert fit.status == "converged"
            assert_fit(fit, found, problem.omega, reg, 1e-5, optimum(found, problem.omega, reg))
    for reg, fit in path(averaged(sgd(problem, 1.0)), regs, tol=1e-3, max_iter=20):
        assert_fit(fit, found, problem.omega, reg, 1e-3, optimum(found, problem.omega, reg))


def test_limits_callbacks_and_interrupts_leave_a_certificate():
    problem, found, reg = chains(12, "slack")
    best = optimum(found, problem.omega, reg)
    seen = []
    fit = minimise(bcfw(problem, reg), tol=1e-12, callbacks=[seen.append, lambda m: m.n_passes >= 3])
    assert fit.status == "stopped" and tuple(seen) == fit.history and fit.n_passes == 3
    assert_fit(fit, found, problem.omega, reg, 1e-12, best)
    fit = minimise(plain_bcfw(problem, reg), tol=0.0, max_iter=10**9, max_time=0.2)
    assert fit.status == "max_time"
    assert_fit(fit, found, problem.omega, reg, 0.0, best)
    fit = minimise(bcfw(problem, reg), max_iter=0)
    assert fit.status == "max_iter" and fit.n_passes == 0 and not fit.w.any()
    assert_fit(fit, found, problem.omega, reg, 0.0, best)
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    fit = minimise(plain_bcfw(problem, reg), tol=0.0, max_iter=10**9, max_time=60.0)
    assert fit.status == "interrupted" and fit.history[-1].seconds < 30
    assert_fit(fit, found, problem.omega, reg, 0.0, best)


def test_compiling_is_not_counted(monkeypatch):
    problem, _, reg = chains(18, "slack")
    begin = time.perf_counter()
    monkeypatch.setattr("taut.solvers.drive.compile_seconds", lambda: time.perf_counter() - begin)
    fit = minimise(bcfw(problem, reg), max_time=1e-3)
    assert fit.status == "converged" and fit.history[-1].seconds < 1e-3


RUN = """
import os, signal, sys, time
import numpy as np
sys.path.insert(0, {tests!r})
from solver_laws import tiny_chains
from taut.solvers import *
structure, X, Y, offsets = tiny_chains(np.random.default_rng(0), 60, 4, longest=5)
problem = Problem(structure, X, Y, offsets=offsets)
average = lambda p, reg: averaged(sgd(p, reg, batch_size=4))
makers = {{"bcfw": (bcfw, 100, 20), "sgd": (average, 300, 5), "1-slack": (one_slack, 40, 5)}}

def train(name, keep):
    make, passes, _ = makers[name]
    return minimise(make(problem, 1e-3), tol=0.0, max_iter=passes, checkpoint=keep)

rng = np.random.default_rng(1)
for name, (_, _, kills) in makers.items():
    started = time.perf_counter()
    whole, path = train(name, None), {folder!r} + name
    train(name, Checkpoint(path + " whole", every=1, seconds=0.0))
    seconds, cut = time.perf_counter() - started, 0
    for moment in rng.uniform(0.0, seconds / kills, size=kills):
        child = os.fork()
        if not child:
            train(name, Checkpoint(path, every=1, seconds=0.0))
            os._exit(0)
        time.sleep(moment)
        os.kill(child, signal.SIGKILL)
        cut += os.WIFSIGNALED(os.waitpid(child, 0)[1])
    again = train(name, Checkpoint(path, every=1, seconds=0.0))
    same = np.array_equal(whole.w, again.w), (whole.primal, whole.dual) == (again.primal, again.dual)
    print(name, cut, again.n_passes == whole.n_passes, *same)
"""


def test_killed_at_random_moments_and_resumed_it_ends_in_the_same_model(tmp_path):
    code = RUN.format(tests=os.path.dirname(__file__), folder=f"{tmp_path}/")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    lines = [line.split() for line in done.stdout.splitlines()]
    assert [line[0] for line in lines] == ["bcfw", "sgd", "1-slack"]
    assert all(line[2:] == ["True"] * 3 for line in lines), done.stdout
    assert int(lines[0][1]) == 20, done.stdout  # killed, none had finished


def test_a_torn_checkpoint_and_a_full_disk_are_reported_and_the_previous_one_is_used(tmp_path, caplog, monkeypatch):
    problem, _, reg = chains(13, "slack")
    whole = minimise(bcfw(problem, reg), tol=0.0, max_iter=12)
    kept = tmp_path / "run"
    minimise(bcfw(problem, reg), tol=0.0, max_iter=7, checkpoint=Checkpoint(kept, seconds=0.0))
    kept.write_bytes(kept.read_bytes()[:-100])
    again = minimise(bcfw(problem, reg), tol=0.0, max_iter=12, checkpoint=Checkpoint(kept, seconds=0.0))
    assert "truncated" in caplog.text
    assert np.array_equal(again.w, whole.w) and again.dual == whole.dual and again.n_passes == 12

    def full(*_):
        raise OSError(28, "No space left on device")

    caplog.clear()
    before = kept.read_bytes()
    monkeypatch.setattr("taut.solvers.checkpoint.write", full)
    other = minimise(bcfw(problem, reg), tol=0.0, max_iter=14, checkpoint=Checkpoint(kept, seconds=0.0))
    assert "No space left" in caplog.text and kept.read_bytes() == before and other.n_passes == 14


def test_a_checkpoint_of_another_problem_is_refused(tmp_path):
    problem, _, reg = chains(14, "slack")
    minimise(bcfw(problem, reg), max_iter=2, tol=0.0, checkpoint=Checkpoint(tmp_path / "run", seconds=0.0))
    other, _, _ = chains(15, "slack")
    for solver in (bcfw(other, reg), bcfw(problem, 2 * reg), sgd(problem, reg)):
        with pytest.raises(container.FileError, match="another problem"):
            minimise(solver, max_iter=2, checkpoint=Checkpoint(tmp_path / "run"))


START = """
import time
from taut.solvers import Problem, bcfw, minimise
from taut.structures import Chain, MultiLabel
import numpy as np
start = time.process_time()
rng = np.random.default_rng(0)
for structure, X, Y in (
    (Chain(3), [rng.normal(size=(4, 5)) for _ in range(20)], [rng.integers(3, size=4) for _ in range(20)]),
    (MultiLabel(4, "full"), rng.normal(size=(20, 5)), rng.integers(2, size=(20, 4))),
):
    minimise(bcfw(Problem(structure, X, Y), 0.1), max_iter=1)
print(time.process_time() - start)
"""


def test_a_second_process_starts_training_at_once():
    """Within 1.5 seconds of the import, kernels compiled by an earlier one; CPU seconds, as other processes are none of its."""
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", START], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 1.5
    assert "compiles" not in done.stderr


def test_progress_tells_the_gap_and_what_is_left():
    problem, _, reg = chains(16, "slack")
    lines = []
    fit = minimise(bcfw(problem, reg), tol=1e-6, callbacks=[Progress(1e-6, write=lines.append, every=0.0)])
    assert len(lines) == len(fit.history) and "gap" in lines[-1]
    slow = [Measure(k, float(k), 0, 1.0 + 0.1 / k, 1.0, 1.0) for k in range(1, 11)]  # the gap is 1e-3 after 100 seconds
    assert abs(remaining(slow, 1e-3) - 90.0) < 10.0
    assert remaining(slow[:2], 1e-3) is None


def test_bad_input_is_named():
    structure, X, Y, offsets = tiny_chains(np.random.default_rng(17))

    def broken(match, **changes):
        given = {"structure": structure, "X": X, "Y": Y, "offsets": offsets, **changes}
        with pytest.raises(ValueError, match=match):
            Problem(**given)

    holed = X.copy()
    holed[0, 0] = np.nan
    broken("finite", X=holed)
    broken("finite", X=np.where(np.isnan(holed), np.inf, X))
    broken("at least one", X=[], offsets=None, Y=[])
    broken("offsets", offsets=offsets[:-1])
    broken("one label per example", Y=Y[:-1])
    broken(r"`Y\[2\]`", Y=[*Y[:2], Y[2] + 7, *Y[3:]])
    broken(">= 0", sample_weight=[1, -1, 1, 1, 1, 1])
    broken("all zero", sample_weight=np.zeros(6))
    broken("shape", sample_weight=np.ones(5))
    broken("finite", sample_weight=[np.nan, 1, 1, 1, 1, 1])
    broken("rescaling", rescaling="slak")
    broken("search", search="lens")
    broken("searches maximise", search=lens_search, rescaling="margin")
    broken("oracle_tol", oracle_tol=-1.0)
    broken("n_jobs", n_jobs=0)
    lines = [np.array([(t, t + 1) for t in range(len(y) - 1)]).reshape(-1, 2) for y in Y]
    Problem(Tree(3), X, Y, offsets=offsets, edges=lines)
    broken("no edges per example", edges=lines)
    broken("edges", structure=Tree(3), edges=[lines[0] + 10**6 * np.ones((1, 2), int), *lines[1:]])
    broken("one array", structure=Tree(3), edges=lines[1:])
    problem = Problem(structure, X, Y, offsets=offsets)
    for make in (bcfw, sgd, one_slack, n_slack):
        for reg in (0.0, -1.0, np.nan, np.inf):
            with pytest.raises(ValueError, match="reg"):
                make(problem, reg)
    for changes in ({"tol": -1.0}, {"max_iter": -1}, {"max_time": 0.0}, {"tol": np.nan}):
        with pytest.raises(ValueError, match=next(iter(changes))):
            minimise(bcfw(problem, 1.0), **changes)
    with pytest.raises(ValueError, match="eps"):
        n_slack(problem, 1.0, eps=-1.0)
    with pytest.raises(ValueError, match="batch_size"):
        sgd(problem, 1.0, batch_size=0)
    with pytest.raises(ValueError, match="regs"):
        list(path(bcfw(problem, 1.0), [1.0, -1.0]))
    broken("finite squares", X=X * 1e200)
