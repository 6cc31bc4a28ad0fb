"""A walk through all public callables: each is called rightly, then with one argument wrong at a time.

A wrong call must end in an error that is raised on purpose, by taut or by scikit-learn's validation, and that says what was
expected. A public name that is neither walked nor excused here fails the last tests.
"""

import inspect
import linecache
import re
import traceback

import numpy as np
import pytest
import test_wrong_calls
from test_estimators import NODES, SETS
from test_package import FUNCTIONS, public_objects
from typer.testing import CliRunner

import taut
from taut import datasets, estimators, features, losses, metrics, oracles, plotting, report, search, solvers, structures
from taut.cli import app
from taut.losses import F1, Cost, Hamming, Tabulated
from taut.oracles import Points
from taut.solvers import Problem
from taut.structures import Chain, Custom, Graph, Hierarchy, Matching, Multiclass, MultiLabel, Tree

X, Y = SETS.X, SETS.Y
NAN, INF = float("nan"), float("inf")
EXPECTED = re.compile(
    r"must|expected|cannot|needs?\b|; use |has none|has: |not fitted|no such file|is a directory|not a directory", re.IGNORECASE
)

RAGGED, OBJECTS = [[0, 1], [1]], np.array([[None, {}], [1, "a"]], object)
MATRIX = [None, [], "text", RAGGED, np.where(Y > 5, 0, NAN), Y[:-1], Y[:, :-1], OBJECTS, Y + 2, np.zeros((0, 4))]
WEIGHTS = [[1.0], -np.ones(60), np.full(60, NAN), np.zeros(60), "text"]
VECTOR = [None, [], "text", [1.0], [NAN] * 4, [{}, None, 1, 2], [INF] * 4, np.zeros((2, 3, 4))]
SET = [None, [], "text", [1], [NAN] * 4, [{}, None, 1, 2], [2] * 4, [0.5] * 4, [1] * 9, RAGGED]
STATES = [None, [], "text", [1], [NAN] * 4, [{}, None, 1, 2], [9] * 4, [-5] * 4, [0.5] * 4, [1] * 9, RAGGED]
ROWS = [None, [], "text", [1.0, 2, 3], np.full((4, 3), NAN), OBJECTS, np.zeros((4, 5)), np.full((4, 3), INF), RAGGED]
FAR = [(0, 99)]
PAIRS = [[(0, 0)], FAR, "text", [1, 2], [(0.5, 1.0)], [(-1, 0)], RAGGED]
NEAR = [pairs for pairs in PAIRS if pairs is not FAR]  # where the pairs say how many nodes there are
COUNT = [0, -1, 1.5, NAN, None, "text"]
POSITIVE = [0.0, -1.0, NAN, INF]
LOSS = ["huber", None, 3]
SEQUENCES = [None, [], "text", [1, 2], [[1, [2]]], [["O"]], [[None, {}]], [["O"], ["O"]], [[NAN, 1.0], [1.0, 1.0, 1.0]]]

TAGS = [["B-a", "O"], ["O", "B-a", "I-a"]]
CLOSED, TREE = NODES.Y, NODES.truth.edges
POINTS = Points([1.0, 2.0], [1.0, 2.0])
FITTED = taut.MultiLabelSSVM(edges="full").fit(X, Y)
FOUND = FITTED.predict(X)
MODELS = [None, taut.MultiLabelSSVM()]

WALK: dict[str, list] = {}  # public name: (function, right arguments, {argument: wrong values})


def walk(name, function, right, /, **wrong):
    WALK.setdefault(name, []).append((function, right, wrong))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    (folder / "text").write_text("hello\nworld ? !\n")
    (folder / "empty").write_text("")
    (folder / "binary").write_bytes(bytes(range(256)))
    return [folder / "not there", folder, *(folder / name for name in ("text", "empty", "binary"))]


# metrics
for name in ("jaccard_accuracy", "example_f1", "exact_match", "hamming_loss", "micro_f1", "macro_f1"):
    sets = {"Y_true": MATRIX, "Y_pred": MATRIX, "sample_weight": WEIGHTS}
    walk(f"taut.metrics.{name}", getattr(metrics, name), {"Y_true": Y, "Y_pred": Y}, **sets)
for name in ("hierarchical_f1", "path_loss"):
    right = {"Y_true": CLOSED, "Y_pred": CLOSED, "hierarchy": TREE}
    broken = [None, [(0, 1), (1, 0)], *PAIRS]
    sets = {"Y_true": MATRIX, "Y_pred": MATRIX, "sample_weight": WEIGHTS, "hierarchy": broken}
    walk(f"taut.metrics.{name}", getattr(metrics, name), right, **sets)
for name in ("position_error", "sequence_error", "span_f1"):
    lists = {"Y_true": SEQUENCES, "Y_pred": SEQUENCES, "sample_weight": [[1.0], [-1.0, -1.0], [NAN, 1.0], "text"]}
    walk(f"taut.metrics.{name}", getattr(metrics, name), {"Y_true": TAGS, "Y_pred": TAGS}, **lists)
walk("taut.metrics.scorer", metrics.scorer, {"name": "jaccard"}, name=[None, "f2"])

# data: paths are in the test of files below
SIZES = {"n_samples": [0, -1, 1.5, "text"], "n_features": [0, -1], "noise": [-1.0, NAN, "text"], "rng": ["text", -1]}
walk("taut.datasets.make_multilabel", datasets.make_multilabel, {}, **SIZES, n_labels=COUNT, edges=PAIRS)
walk("taut.datasets.make_chain", datasets.make_chain, {}, **SIZES, n_states=COUNT, length=[(5, 2), (0, 2), 3])
walk("taut.datasets.make_hierarchy", datasets.make_hierarchy, {}, **SIZES, edges=[[(0, 1), (1, 0)], *NEAR])
walk("taut.datasets.load_rcv1", datasets.load_rcv1, {}, subset=[9, "text"], part=["dev"])
walk("taut.datasets.load_snakes", datasets.load_snakes, {}, part=["dev"])
walk("taut.datasets.resplit", datasets.resplit, {"train": (X, Y), "test": (X, Y), "seed": 0}, train=[None, X], test=[None, X])
walk(
    "taut.features.window_features", features.window_features, {"sentence": [("a", "b")]},
    sentence=[None, "text", ["a"], [("a", "b"), ("a",)], [1, 2]], templates=["w", ["z[0]"], ["w[x]"]],
)  # fmt: skip
walk(
    "taut.features.as_rows", features.as_rows, {"X": X, "width": 3},
    X=[None, "text", X[:, 0], X * NAN, OBJECTS, RAGGED, [], [[1.0]]], offsets=[[0, 3], "text"],
)  # fmt: skip

# losses
walk("taut.losses.resolve", losses.resolve, {"loss": "f1"}, loss=LOSS)
tabled = {"loss": [*LOSS, Cost([[0, 1], [1, 0]]), Tabulated(None), Tabulated(lambda *_: -1.0)], "n_positive": [-1, 9], "n": [-1]}
walk("taut.losses.count_table", losses.count_table, {"loss": F1(), "n_positive": 1, "n": 3}, **tabled)
walk("taut.losses.commensurable", losses.commensurable, {"weights": [1, 2]}, weights=[[-1, 1], [NAN, 1]])


def sets_judged_by(loss):
    structure = MultiLabel(4)
    return structure.loss_augmented(structure.potentials(np.zeros(4)), Y[0], loss)


def classes_judged_by(loss):
    structure = Multiclass(3)
    return structure.loss_augmented(structure.potentials(np.zeros(3)), 0, loss)


weights = [Hamming(weights=w) for w in ([1], [-1] * 4, [NAN] * 4, "text", [0.0] * 4)]
walk("taut.losses.Hamming", sets_judged_by, {"loss": Hamming()}, loss=weights)
walk("taut.losses.Tabulated", sets_judged_by, {"loss": F1()}, loss=[Tabulated(f) for f in (None, lambda *_: -1, lambda *_: NAN)])
matrices = ([[0, 1], [1, 0]], -np.ones((3, 3)), np.full((3, 3), NAN), np.ones((3, 3)), [1, 2, 3], "text", RAGGED)
walk("taut.losses.Cost", classes_judged_by, {"loss": "zero-one"}, loss=[Cost(matrix) for matrix in matrices])

# oracles and searches
numbers = [None, [], "text", [1.0], [NAN, 1], [INF, 1], [[1, 2], [1, 2]], [{}, None]]
walk("taut.oracles.Points", Points, {"h": [1.0, 2], "g": [1.0, 2]}, h=numbers, g=[*numbers, [-1, 1]])
walk("taut.oracles.Adversary", oracles.Adversary, {"n_labels": 3}, n_labels=COUNT)
walk("taut.oracles.cached", oracles.cached, {"oracle": POINTS}, oracle=[None, "text"])
walk("taut.oracles.checked", oracles.checked, {"oracle": POINTS}, oracle=[None, "text"])
network = {"n_nodes": 3, "edges": [(0, 1)], "capacity": [1.0]}
walk("taut.oracles.MinCut", oracles.MinCut, network, n_nodes=[-1], edges=[[(0, 9)], [1, 2]], capacity=[[-1.0], [], [NAN]])
walk("taut.oracles.MinCut.cut", oracles.MinCut(**network).cut, {"excess": [1.0, -1.0, 0.0]}, excess=[[1.0], [NAN] * 3])
program = {"structure": MultiLabel(4), "theta": MultiLabel(4).potentials(np.zeros(4)), "target": Y[0], "loss": "hamming"}
walk("taut.oracles.MILP", oracles.MILP, program, target=[[1], [2] * 4], loss=LOSS)
LIMITS = {"lam": POSITIVE, "threshold": [NAN], "tol": [-1.0, NAN], "max_queries": [0, -1]}
for name, extra in [
    ("lens", {}), ("angular", {"order": ["depth"]}), ("bisecting", {"precision": [-1, NAN]}), ("binary", {"span": [-1, NAN]}),
    ("sarawagi", {"xi": [-1.0, NAN]}),
]:  # fmt: skip
    function = getattr(search, f"{name}_search")
    walk(f"taut.search.{name}_search", function, {"oracle": POINTS}, oracle=[None, "text"], enough=[NAN], **LIMITS, **extra)
timed = {"search": search.lens_search, "oracle": POINTS, "max_time": 1.0}
walk("taut.search.timed_search", search.timed_search, timed, search=[None, "lens"], oracle=[None], max_time=POSITIVE, **LIMITS)

# structures
EDGES = [[(0, 1), (1, 2), (2, 0)], *PAIRS]
UNARY, MOVES = np.zeros((4, 3)), np.zeros((3, 3))
walk("taut.structures.Multiclass", Multiclass, {"n_classes": 3}, n_classes=COUNT)
walk("taut.structures.MultiLabel", MultiLabel, {"n_labels": 3}, n_labels=COUNT, edges=[*PAIRS, None, [(0, 1), (1, 0)], "all"])
walk("taut.structures.Hierarchy", Hierarchy, {"edges": [(0, 1)]}, edges=[[(0, 1), (1, 0)], None, *NEAR], n_nodes=[1, *COUNT[:4]])
walk("taut.structures.Chain", Chain, {"n_states": 3}, n_states=COUNT)
walk("taut.structures.Matching", Matching, {"n": 3}, n=COUNT[:4], m=[2, *COUNT[:4]], max_assignments=COUNT[:4])
walk("taut.structures.Graph", Graph, {"n_states": 3, "edges": [(0, 1)]}, n_states=COUNT, edges=[*NEAR], max_relaxations=[0])
walk("taut.structures.Tree", Tree, {"n_states": 3, "edges": [(0, 1)]}, n_states=COUNT, edges=[EDGES[0], *NEAR])
walk("taut.structures.chow_liu_tree", structures.chow_liu_tree, {"Y": Y}, Y=[*MATRIX[:5], *MATRIX[7:]])
OTHERS = {"scores": VECTOR, "unary": ROWS, "pairwise": ROWS, "start": [[1.0], [NAN] * 3, "text"], "end": [[1.0]], "edges": EDGES}
COST = Cost([[0, 1], [1, 0]])
CHOICES = {
    "rescaling": ["both"], "search": ["depth", None], "lam": [-1.0, 0.0], "tol": [-1.0], "max_queries": [0], "max_time": [0.0],
    "threshold": [NAN],
}  # fmt: skip
for structure, potentials, y, wrong_y, wrong_loss in [
    (Multiclass(4), {"scores": np.zeros(4)}, 1, [None, "text", 9, -5, 0.5, [1, 2], NAN], "f1"),
    (MultiLabel(4), {"unary": np.zeros(4)}, np.array([1, 0, 0, 1]), SET, COST),
    (MultiLabel(4, "full"), {"unary": np.zeros(4), "pairwise": np.ones(6)}, np.array([1, 0, 0, 1]), SET, COST),
    (Hierarchy([(0, 1), (0, 2), (2, 3)]), {"scores": np.zeros(4)}, np.array([1, 0, 0, 0]), [*SET, [0, 0, 1, 0]], COST),
    (Chain(3), {"unary": UNARY, "pairwise": MOVES}, np.array([0, 1, 2, 0]), STATES, "f1"),
    (Tree(3, [(0, 1), (1, 2), (1, 3)]), {"unary": UNARY, "pairwise": MOVES}, np.array([0, 1, 2, 0]), STATES, "f1"),
    (Graph(3, [(0, 1), (1, 2), (2, 0)]), {"unary": UNARY, "pairwise": MOVES}, np.array([0, 1, 2, 0]), STATES, "f1"),
    (Matching(4), {"scores": np.zeros((4, 4))}, np.array([0, 1, 3, 2]), [*STATES, [1, 1, 0, 2]], "f1"),
]:
    kind, theta = f"taut.structures.{type(structure).__name__}", structure.potentials(**potentials)
    flat = np.ndim(next(iter(potentials.values()))) == 1
    asked = [key for key in inspect.signature(structure.potentials).parameters if key in OTHERS]
    asked = [key for key in asked if not flat or key in potentials]
    wrong = {key: VECTOR[1:] if flat else OTHERS[key] for key in asked}
    if isinstance(structure, Graph):
        wrong["edges"] = PAIRS  # cycles are right here
    walk(f"{kind}.potentials", structure.potentials, potentials, **wrong)
    thetas, loss = [None, np.zeros(4)], [*LOSS, wrong_loss]
    walk(f"{kind}.score", structure.score, {"theta": theta, "y": y}, theta=thetas, y=wrong_y)
    walk(f"{kind}.loss", structure.loss, {"y_true": y, "y": y}, y_true=wrong_y, y=wrong_y, loss=loss)
    walk(f"{kind}.decode", structure.decode, {"theta": theta}, theta=thetas, clamp=wrong_y[1:])
    walk(f"{kind}.topk", structure.topk, {"theta": theta, "k": 2}, theta=thetas, k=COUNT)
    for method in ("oracle", "points", "loss_augmented"):
        extra = CHOICES if method == "loss_augmented" else {}
        right = {"theta": theta, "target": y, "loss": "hamming"}
        function = getattr(structure, method)
        walk(f"taut.structures.Structure.{method}", function, right, theta=thetas, target=wrong_y, loss=loss, **extra)
    for method in ("oracle", "loss_augmented"):
        WALK[f"taut.structures.MultiLabel.{method}"] = WALK[f"taut.structures.Structure.{method}"]
    if isinstance(structure, (Chain, Graph, Tree)):
        walk(f"{kind}.max_marginals", structure.max_marginals, {"theta": theta}, theta=thetas)
    if flat or isinstance(structure, Matching):
        doubled = {key: value if key == "pairwise" else np.stack([value, value]) for key, value in potentials.items()}
    else:
        doubled = {"unary": np.zeros((8, 3)), "pairwise": MOVES, "offsets": [0, 4, 8]}
    many = structure.potentials(**doubled)
    batch = {"thetas": many, "targets": [y, y]}
    short = {"thetas": [None, theta], "targets": [[], [y], [y, wrong_y[1]]], "loss": loss}
    walk("taut.structures.Structure.prepare_many", structure.prepare_many, batch, **short)
    function, extra = structure.loss_augmented_many, {"rescaling": ["both"], "tol": [-1.0]}
    walk("taut.structures.Structure.loss_augmented_many", function, batch, **short, **extra)
    walk("taut.structures.Structure.decode_many", structure.decode_many, {"thetas": many}, thetas=[None, theta], n_jobs=[0])

# solvers
PROBLEM = {"structure": MultiLabel(4), "X": X, "Y": list(Y), "loss": "hamming"}
walk(
    "taut.solvers.Problem", Problem, PROBLEM, structure=[None, "text"], X=[None, "text", X * NAN, OBJECTS, X[:-1], [], X[:, 0]],
    Y=[None, [], Y[:-1], Y[:, :-1], Y + 2], loss=LOSS, rescaling=["both"], sample_weight=WEIGHTS[:4], search=["depth"],
    offsets=[[0, 3], "text", [0, -1, 60]], oracle_tol=[-1.0, NAN], n_jobs=[0, 1.5],
)  # fmt: skip
SMALL = Problem(**PROBLEM)
for name, extra in [
    ("bcfw", {}), ("plain_bcfw", {}), ("sdca", {}), ("sgd", {"batch_size": [0, -1]}), ("n_slack", {"eps": [-1.0]}),
    ("one_slack", {}), ("Sgd", {"batch_size": [0]}), ("OneSlack", {}),
]:  # fmt: skip
    walk(f"taut.solvers.{name}", getattr(solvers, name), {"problem": SMALL, "reg": 1.0}, reg=POSITIVE, **extra)
start = {"solver": solvers.sgd(SMALL, 1.0), "max_iter": 1}
walk("taut.solvers.minimise", solvers.minimise, start, tol=[-1.0, NAN], max_iter=[-1, 1.5], max_time=POSITIVE[:3])
walk("taut.solvers.path", lambda **k: list(solvers.path(**k)), {**start, "regs": [1.0]}, regs=[[-1.0], [0.0], [NAN]])
walk("taut.solvers.Checkpoint", solvers.Checkpoint, {"path": "a"}, path=[None], every=[0], seconds=[-1.0, NAN])

# what is told about models
walk("taut.report.facts", report.facts, {"model": FITTED}, model=MODELS)
for name in ("scores", "label_scores"):
    right = {"model": FITTED, "Y": Y, "found": FOUND}
    walk(f"taut.report.{name}", getattr(report, name), right, model=MODELS, Y=MATRIX, found=MATRIX)
strongest = {"model": MODELS, "top": [-1, "text"]}
walk("taut.report.strongest_weights", report.strongest_weights, {"model": FITTED, "top": 2}, **strongest, label=["z"])
walk("taut.report.strongest_pairs", report.strongest_pairs, {"model": FITTED, "top": 2}, **strongest)
pages = {"model": MODELS, "path": [None], "judged": [[1], {"a": Y}, {"a": (Y[:-1], FOUND)}], "top": [-1]}
walk("taut.report.write_page", report.write_page, {"path": "/dev/null", "model": FITTED, "title": "t"}, **pages)
right = {"result": search.lens_search(POINTS), "oracle": POINTS}
walk("taut.plotting.draw_search", plotting.draw_search, right, result=[None], oracle=[None])
walk("taut.load", taut.load, {"path": None}, path=[None])

#: Readers and writers: called with paths where nothing is, of a folder, and of files with other content.
PATHS = {
    "load": taut.load,
    **{f"datasets.{name}": getattr(datasets, name) for name in ("load_arff", "load_svmlight", "load_conll", "load_json_lines")},
    **{f"datasets.{name}": getattr(datasets, name) for name in ("load_letters", "load_snakes", "load_cora")},
    "datasets.iter_arff": lambda path: list(datasets.iter_arff(path)),
    "datasets.iter_svmlight": lambda path: list(datasets.iter_svmlight(path)),
    "datasets.iter_json_lines": lambda path: list(datasets.iter_json_lines(path)),
    "datasets.iter_conll": lambda path: list(datasets.iter_conll(path)),
    "datasets.load_rcv1": lambda path: datasets.load_rcv1(1, "train", path),
}

#: Names that nobody can call wrongly in a way that taut could tell, and those whose wrong calls are elsewhere.
EXCUSED = {
    "records, made by taut": (
        "taut.SearchResult taut.search.SearchResult taut.search.Query taut.search.Trace taut.oracles.Answer taut.oracles.Cut "
        "taut.oracles.Program taut.oracles.TimeLimit taut.oracles.OracleError taut.oracles.Compiled taut.structures.BatchResult "
        "taut.structures.Potentials taut.solvers.Fit taut.solvers.Measure taut.datasets.Dataset taut.datasets.Generated "
        "taut.datasets.Truth taut.datasets.Split taut.datasets.DataError taut.estimators.Cost taut.estimators.Keep "
        "taut.estimators.NotSaved taut.plane.Ray taut.plane.Band taut.plane.Cone"
    ),
    "what others implement": "taut.oracles.Oracle taut.solvers.Solver taut.structures.Structure taut.structures.Custom",
    "no arguments": "taut.losses.ZeroOne taut.losses.F1 taut.losses.Jaccard taut.datasets.data_folder",
    "arithmetic on numbers, compiled into searches, without checks": (
        "taut.plane.balance taut.plane.capacity taut.plane.cone_suboptimality taut.plane.hull_bound taut.plane.lens "
        "taut.plane.lens_heights taut.plane.reflection taut.plane.steeper taut.plane.tangent_bound taut.plane.Cone.between"
    ),
    "take a solver's own state": (
        "taut.solvers.averaged taut.solvers.by_gap taut.solvers.permutation taut.solvers.uniform taut.solvers.BlockSolver "
        "taut.features.split_weights taut.features.join_weights taut.solvers.Progress"
    ),
    "in test_openml": "taut.datasets.fetch_multilabel",
    "in test_metrics": "taut.losses.Loss",
}
REASONS = {name: reason for reason, names in EXCUSED.items() for name in names.split()}

#: Methods by which parts of taut talk to each other about what they made themselves; users call the ones that are walked.
INNER = {
    "taut.structures": (
        "common target pool answer_kernel best_kernel parts_kernel prepare_kernel most_parts operations first_lam label words "
        "label_size own_edges unify example blank solved as_milp enumerate oracle loss_augmented prepare_many loss_augmented_many "
        "decode_many points potentials score decode topk loss parts argmax argmax_in_band losses"
    ),
    "taut.solvers": "advance primal rescale state restore answers answer surrogate stretches fingerprint due save load line",
    "taut.oracles": "argmax argmax_in_cone argmax_in_band extremes labels label_of must_offer relaxation_bound",
    "taut.plane": "contains",
    "taut.estimators": "of get_feature_names_out fit transform",
}


CALLS = [(name, k, argument) for name, entries in WALK.items() for k, entry in enumerate(entries) for argument in entry[2]]


def problem_with(call):
    """Why a wrong call was not told well; None if it was."""
    try:
        with np.errstate(all="ignore"):
            returned = call()
    except (ValueError, TypeError, OSError) as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        on_purpose = any(part in last.filename for part in ("/taut/", "/sklearn/")) and "raise" in linecache.getline(
            last.filename, last.lineno or 0
        )
        told = bool(EXPECTED.search(str(error)))
        return None if told and (on_purpose or isinstance(error, OSError) or "PathLike" in str(error)) else repr(error)
    except Exception as error:
        return f"not meant for users: {error!r}"
    return f"was taken: {returned!r:.100}"


@pytest.mark.parametrize(("name", "k", "argument"), CALLS, ids=[f"{name}-{k}-{argument}" for name, k, argument in CALLS])
@pytest.mark.filterwarnings("ignore")
def test_wrong_arguments_are_told(name, k, argument):
    function, right, wrong = WALK[name][k]
    for value in wrong[argument]:
        problem = problem_with(lambda value=value: function(**(right | {argument: value})))
        assert problem is None, f"{name}({argument}={value!r:.60}): {problem}"


@pytest.mark.parametrize("name", [name for name in WALK if name not in ("taut.load",)])
@pytest.mark.filterwarnings("ignore")
def test_right_arguments_are_taken(name, monkeypatch):
    monkeypatch.setattr("matplotlib.pyplot.subplots", lambda **_: (None, _Nowhere()))
    for function, right, _ in WALK[name]:
        function(**right)


class _Nowhere:
    """Axes that draw nothing."""

    def __getattr__(self, name):
        return _Nowhere()

    def __getitem__(self, key):
        return _Nowhere()

    def __call__(self, *_, **__):
        return _Nowhere()


@pytest.mark.parametrize("name", PATHS)
def test_wrong_paths_are_told(name, files):
    for path in files:
        problem = problem_with(lambda path=path: PATHS[name](path))
        assert problem is None, f"{name}({path.name}): {problem}"


@pytest.mark.parametrize("name", [command.name or command.callback.__name__ for command in app.registered_commands])
def test_wrong_options_of_commands_are_told(name, tmp_path):
    for arguments, words in [(["--no-such-option"], "No such option"), (["--seed", "x"], None), ([str(tmp_path / "a")] * 9, None)]:
        result = CliRunner().invoke(app, [name, *arguments])
        assert result.exit_code == 2 and "Usage" in result.output and (words is None or words in result.output), name


def walked(name):
    parts = name.split(".")
    return name in WALK or name in REASONS or (parts[0] == "taut" and ".".join(parts[1:]) in PATHS)


def by_another_name(thing):
    """Whether this estimator is called wrongly in test_wrong_calls."""
    return inspect.isclass(thing) and getattr(estimators, thing.__name__, None) is thing


def test_every_public_function_and_class_is_called_wrongly():
    names = [name for name, thing in public_objects() if callable(thing) and not by_another_name(thing)]
    missing = [name for name in names if not walked(name) and name != "taut.estimators.load"]
    assert not missing, f"call these wrongly in tests/test_wrong_calls_everywhere.py: {missing}"
    assert test_wrong_calls.WRONG


def test_every_public_method_is_called_wrongly():
    methods = [name for name, _ in FUNCTIONS if re.search(r"\.[A-Z]\w*\.\w+$", name)]
    ours = ("taut.estimators", *(f"taut.{name}" for name in estimators.__all__))
    missing = []
    for name in methods:
        module, method = ".".join(name.split(".")[:2]), name.rsplit(".", 1)[1]
        told = walked(name) or method in INNER.get(module, "").split() or name.startswith(ours)
        missing += [] if told else [name]
    assert not missing, f"call these wrongly in tests/test_wrong_calls_everywhere.py: {missing}"
    assert not [name for name in REASONS if name in WALK] and issubclass(Custom, object)
