"""`taut fit`, `predict`, `score`, `inspect`: the same as the estimators, from files, and errors in one line."""

import json
import re
import signal
import subprocess
import sys
import time
import webbrowser
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.feature_extraction import FeatureHasher
from typer.testing import CliRunner

import taut
from taut.cli import app, main
from taut.datasets import load_arff, load_conll, load_json_lines, load_letters, load_svmlight, make_chain, make_multilabel
from taut.estimators import PathCV, PerSequence
from taut.features import window_features
from taut.metrics import example_f1, span_f1

SETS = make_multilabel(40, 3, 3, noise=0.2, rng=0)


def run(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result.stdout


def failed(monkeypatch, capsys, *arguments: object) -> tuple[int, str]:
    """Exit code and the only line on the error stream, through the entry point."""
    monkeypatch.setattr(sys, "argv", ["taut", *map(str, arguments)])
    with pytest.raises(SystemExit) as stop:
        main()
    (line,) = capsys.readouterr().err.splitlines()
    return stop.value.code, line


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One file per format; the second of each pair is for prediction."""
    at = tmp_path_factory.mktemp("data")
    rows = [",".join([*(f"{x:.6f}" for x in x_i), *map(str, y_i)]) for x_i, y_i in zip(SETS.X, SETS.Y, strict=True)]
    head = "".join(f"@attribute {name} numeric\n" for name in ("red", "green", "blue"))
    names = "".join(f"@attribute {name} {{0,1}}\n" for name in ("warm", "cold", "dark"))
    (at / "sets.arff").write_text(f"@relation x\n{head}{names}@data\n" + "\n".join(rows) + "\n")
    other = head.replace("green", "grey")
    (at / "other.arff").write_text(f"@relation x\n{other}{names}@data\n" + "\n".join(rows) + "\n")
    classes = SETS.X.argmax(axis=1) + 4
    lines = [f"{c} " + " ".join(f"{j + 1}:{v:.5f}" for j, v in enumerate(x)) for c, x in zip(classes, SETS.X, strict=True)]
    (at / "classes.svm").write_text("\n".join(lines) + "\n")
    tree = "".join(f"{x:.4f},{'a/b' if x > 0.5 else 'a' if x > 0 else 'c'}\n" for x in SETS.X[:, 0])
    (at / "tree.arff").write_text(f"@relation x\n@attribute size numeric\n@attribute class hierarchical a,a/b,c\n@data\n{tree}")
    (at / "tags.conll").write_text("the DT B-NP\ncat NN I-NP\nsat VBD B-VP\n. . O\n\nit PRP B-NP\nran VBD B-VP\n")
    (at / "bare.conll").write_text("the DT\ncat NN\n\nit PRP\nran VBD\n")
    words = make_chain(8, 128, 3, length=(2, 4), rng=1)
    np.savez(
        at / "letters.npz", pixels=np.concatenate(words.X) > 0, labels=np.concatenate(words.Y),
        offsets=np.cumsum([0, *(len(y) for y in words.Y)]), fold=np.arange(8) % 2,
    )  # fmt: skip
    run("fit", at / "sets.arff", at / "sets.taut", "--labels", -3, "--loss", "f1", "--edges", "full", "-q")
    run("fit", at / "classes.svm", at / "classes.taut", "-q")
    run("fit", at / "tree.arff", at / "tree.taut", "-q")
    run("fit", at / "tags.conll", at / "tags.taut", "--hash-bits", 10, "-q")
    edges = [[[0, i] for i in range(1, len(y))] for y in words.Y]
    rows = [{"features": x[:, :3].tolist(), "labels": y.tolist()} for x, y in zip(words.X, words.Y, strict=True)]
    trees = [row | {"edges": e} for row, e in zip(rows, edges, strict=True)]
    texts = [{"features": [{"word": word} for word in ["the", "cat", "sat"]], "labels": ["D", "N", "V"]}] * 3
    for name, examples in [("rows", rows), ("trees", trees), ("texts", texts)]:
        (at / f"{name}.jsonl").write_text("".join(json.dumps(example) + "\n" for example in examples))
        run("fit", at / f"{name}.jsonl", at / f"{name}.taut", "-q", *(["--vocabulary"] if name == "texts" else []))
    run("fit", at / "letters.npz", at / "letters.taut", "-q", "--rescaling", "margin")
    return at


def test_models_are_those_of_the_estimators(folder):
    X, Y = load_arff(folder / "sets.arff", -3)
    expected = taut.MultiLabelSSVM(loss="f1", edges="full", random_state=0).fit(X, Y)
    model = taut.load(folder / "sets.taut")
    assert np.array_equal(model.coef_, expected.coef_) and np.array_equal(model.pairwise_, expected.pairwise_)
    assert model.classes_.tolist() == ["warm", "cold", "dark"] and list(model.feature_names_in_) == ["red", "green", "blue"]
    shown = json.loads(run("score", folder / "sets.taut", folder / "sets.arff", "--json"))
    assert shown["example_f1"] == example_f1(Y, expected.predict(X))

    X, Y = load_conll(folder / "tags.conll")
    rows = PerSequence(FeatureHasher(2**10)).fit_transform([window_features(x) for x in X])
    expected = taut.ChainSSVM(random_state=0).fit(rows, Y)
    assert np.array_equal(taut.load(folder / "tags.taut").coef_, expected.coef_)
    shown = json.loads(run("score", folder / "tags.taut", folder / "tags.conll", "--json"))
    assert shown["span_f1"] == span_f1(Y, expected.predict(rows))

    data = load_letters(folder / "letters.npz")
    letters = [np.array(data.label_names)[y] for y in data.Y]
    assert taut.load(folder / "letters.taut").score(data.X, letters) > 0.9
    assert taut.load(folder / "letters.taut").rescaling == "margin"

    X, _ = load_svmlight(folder / "classes.svm")
    model = taut.load(folder / "classes.taut")
    assert model.classes_.tolist() == [4, 5, 6]
    printed = run("predict", folder / "classes.taut", folder / "classes.svm").split()
    assert list(map(int, printed)) == model.predict(X).tolist()


@pytest.mark.parametrize(
    "name", ["sets.arff", "classes.svm", "tree.arff", "tags.conll", "letters.npz", "rows.jsonl", "trees.jsonl", "texts.jsonl"]
)
def test_every_format_is_predicted_scored_and_inspected(folder, name):
    data, model = folder / name, (folder / name).with_suffix(".taut")
    found = [json.loads(line) for line in run("predict", model, data, "--json").splitlines()]
    names = set(taut.load(model).classes_.tolist())
    assert len(found) >= 2 and all(set(labels) <= names for labels in found)
    assert all(0 <= value <= 1 for value in json.loads(run("score", model, data, "--json")).values())
    rows = json.loads(run("score", model, data, "--json", "--per-label"))["labels"]
    assert {row["label"] for row in rows} == names and all(0 <= row["f1"] <= 1 for row in rows)
    assert "F1" in run("score", model, data, "--per-label")
    shown = json.loads(run("inspect", model, "--json", "--top", 4))
    assert shown["status"] == "converged" and shown["relative_gap"] <= 1e-3 and shown["certified"] == 1
    sizes = [abs(row["weight"]) for row in shown["weights"]]
    assert len(sizes) <= 4 and sizes == sorted(sizes, reverse=True)
    assert "strongest weights" in run("inspect", model)
    history = [json.loads(line) for line in model.with_suffix(".history.jsonl").read_text().splitlines()]
    assert "<svg" in model.with_suffix(".html").read_text()
    assert history[-1]["primal"] == shown["objective"] and history[-1]["gap"] <= 1e-3 * shown["objective"]


def test_weights_carry_the_names_of_the_file(folder):
    shown = json.loads(run("inspect", folder / "sets.taut", "--json", "--label", "cold"))
    assert {row["label"] for row in shown["weights"]} == {"cold"}
    assert {row["feature"] for row in shown["weights"]} <= {"red", "green", "blue"}
    assert all({row["first"], row["second"]} <= {"warm", "cold", "dark"} for row in shown["pairs"])


def test_sequences_are_printed_as_they_were_read(folder):
    with_labels = run("predict", folder / "tags.taut", folder / "tags.conll")
    assert [line.split()[:2] for line in with_labels.split("\n")[:2]] == [["the", "DT"], ["cat", "NN"]]
    bare = run("predict", folder / "tags.taut", folder / "bare.conll")
    assert [len(line.split()) for line in bare.splitlines()] == [3, 3, 0, 3, 3, 0]


def test_trees_are_those_of_the_estimator(folder):
    X, Y = load_json_lines(folder / "trees.jsonl")
    model = taut.load(folder / "trees.taut")
    assert np.array_equal(taut.TreeSSVM(random_state=0).fit(X, Y).coef_, model.coef_)
    found = [json.loads(line) for line in run("predict", folder / "trees.taut", folder / "trees.jsonl", "--json").splitlines()]
    assert found == [y.tolist() for y in model.predict(X)]
    assert run("predict", folder / "trees.taut", folder / "trees.jsonl").count("\n\n") == len(X)


def test_a_vocabulary_names_the_columns(folder):
    """Texts that training did not have are left out; hashed, columns have no names."""
    shown = json.loads(run("inspect", folder / "texts.taut", "--json"))
    assert {row["feature"] for row in shown["weights"]} == {"word=the", "word=cat", "word=sat"}
    run("fit", folder / "tags.conll", folder / "named.taut", "--vocabulary", "-q")
    shown = json.loads(run("inspect", folder / "named.taut", "--json", "--top", 999))
    assert "w[0]=cat" in {row["feature"] for row in shown["weights"]}
    named, hashed = (run("predict", folder / f"{name}.taut", folder / "bare.conll") for name in ("named", "tags"))
    assert named == hashed


def test_missing_values_get_the_means_of_the_training_data(folder, tmp_path):
    head = "@relation x\n@attribute size numeric\n@attribute big {0,1}\n@data\n"
    (folder / "gaps.arff").write_text(head + "0,0\n?,0\n1,0\n9,1\n10,1\n")
    (tmp_path / "later.arff").write_text(head + "?,0\n?,0\n")
    run("fit", folder / "gaps.arff", tmp_path / "m.taut", "--labels", -1, "--missing", "mean", "--kind", "sets", "-q")
    expected = taut.MultiLabelSSVM(random_state=0).fit([[0.0], [5.0], [1.0], [9.0], [10.0]], [[0], [0], [0], [1], [1]])
    model = taut.load(tmp_path / "m.taut")
    assert np.array_equal(model.coef_, expected.coef_)
    found = [json.loads(line) for line in run("predict", tmp_path / "m.taut", tmp_path / "later.arff", "--json").splitlines()]
    assert found == [["big"] if on else [] for on in expected.predict([[5.0], [5.0]])[:, 0]]


def test_folds_of_letters(folder, tmp_path):
    """Trained on one fold, judged on the others."""
    run("fit", folder / "letters.npz", tmp_path / "m.taut", "--fold", "1", "--test", folder / "letters.npz", "-q")
    data = load_letters(folder / "letters.npz")
    names = np.array(data.label_names)
    X, Y = ([part[i] for i in (1, 3, 5, 7)] for part in (data.X, data.Y))
    expected = taut.ChainSSVM(random_state=0).fit(X, [names[y] for y in Y])
    assert np.array_equal(taut.load(tmp_path / "m.taut").coef_, expected.coef_)
    scored = json.loads(run("score", tmp_path / "m.taut", folder / "letters.npz", "--fold", "0", "--json"))
    wrong = 1 - expected.score([data.X[i] for i in (0, 2, 4, 6)], [names[data.Y[i]] for i in (0, 2, 4, 6)])
    assert scored["position_error"] == pytest.approx(wrong) and f"{wrong:.3f}" in (tmp_path / "m.html").read_text()


def test_valid_chunks_are_kept_to(folder, tmp_path):
    run("fit", folder / "tags.conll", tmp_path / "m.taut", "--transitions", "bio", "-q")
    assert taut.load(tmp_path / "m.taut").transitions == "bio"


def test_c_is_chosen_by_cross_validation(folder, tmp_path):
    options = ("--labels", -3, "--loss", "f1", "--cv", 3, "--json", "-q")
    shown = json.loads(run("fit", folder / "sets.arff", tmp_path / "m.taut", *options))
    X, Y = load_arff(folder / "sets.arff", -3)
    search = PathCV(taut.MultiLabelSSVM(loss="f1", random_state=0), cv=3, scoring="example-f1").fit(X, Y)
    assert shown["C"] == search.best_estimator_.C


def test_a_checkpoint_is_gone_on_with(folder, tmp_path):
    """A run that was cut off after four passes and goes on ends as one that was not, to the last bit."""
    arguments = ("fit", folder / "sets.arff", tmp_path / "m.taut", "--labels", -3, "--checkpoint", tmp_path / "run", "-q")
    run(*arguments, "--max-iter", 4)
    assert (tmp_path / "run").exists() and taut.load(tmp_path / "m.taut").n_iter_ == 4
    run(*arguments)
    X, Y = load_arff(folder / "sets.arff", -3)
    expected = taut.MultiLabelSSVM(random_state=0).fit(X, Y)
    again = taut.load(tmp_path / "m.taut")
    assert np.array_equal(again.coef_, expected.coef_) and again.n_iter_ == expected.n_iter_ and again.status_ == "converged"


def test_ctrl_c_writes_the_model_with_its_certificate(folder, tmp_path):
    """The signal comes while the solver works: exit code 0, a whole model, and a gap that holds."""
    code = "from taut.cli import main; main()"
    options = ["--labels", -3, "--C", 1e9, "--tol", 0, "--max-iter", 10**9, "-q"]
    arguments = map(str, ["fit", folder / "sets.arff", tmp_path / "m.taut", *options])
    process = subprocess.Popen([sys.executable, "-c", code, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    history, limit = tmp_path / "m.history.jsonl", time.monotonic() + 60
    while time.monotonic() < limit and not (history.exists() and history.read_text().count("\n") >= 3):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    shown, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    model = taut.load(tmp_path / "m.taut")
    assert model.status_ == "interrupted" and b"interrupted" in shown and (tmp_path / "m.html").exists()
    assert 0 <= model.dual_objective_ <= model.primal_objective_ < np.inf
    assert model.duality_gap_ == pytest.approx(model.primal_objective_ - model.dual_objective_)


def test_a_hierarchy_is_closed_under_ancestors(folder):
    lines = run("predict", folder / "tree.taut", folder / "tree.arff").splitlines()
    assert "a,a/b" in lines and "a/b" not in lines


def test_pipes(folder):
    """Data from the standard input, predictions to the output; a reader that stops early is no reason to complain."""
    code = "from taut.cli import main; main()"
    command = [sys.executable, "-c", code, "predict", str(folder / "classes.taut")]
    text = (folder / "classes.svm").read_bytes()
    done = subprocess.run(command, input=text, capture_output=True, check=True)
    assert done.stdout.decode() == run("predict", folder / "classes.taut", folder / "classes.svm")
    broken = subprocess.run(command, input=b"1 x:y\n", capture_output=True, check=False)
    assert broken.returncode == 2
    assert broken.stderr.decode().startswith("taut: standard input, line 1: expected")


def test_the_page_has_the_scores_of_training_and_test_data(folder, tmp_path):
    files = (folder / "classes.svm", tmp_path / "m.taut", "--test", folder / "classes.svm", "--report", tmp_path / "page.html")
    run("fit", *files, "--max-iter", 2, "--tol", 1, "-q")
    text = (tmp_path / "page.html").read_text()
    assert "training data" in text and "test data" in text and "accuracy" in text and not (tmp_path / "m.html").exists()


def test_not_converging_is_told_and_no_failure(folder, tmp_path):
    result = CliRunner().invoke(
        app, ["fit", str(folder / "classes.svm"), str(tmp_path / "m.taut"), "--max-iter", "1", "--tol", "0", "--json", "-q"]
    )
    assert result.exit_code == 0
    assert json.loads(result.stdout)["status"] == "max_iter"
    assert "max_iter=1" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["fit", "{}/none.arff", "{}/m.taut"], "No such file"),
        (["fit", "{}/sets.arff", "{}/sets.arff"], "different files"),
        (["fit", "{}/sets.arff", "{}/m.html"], "different files"),
        (["fit", "{}/sets.txt", "{}/m.taut"], "--format"),
        (["fit", "{}/sets.arff", "{}/m.taut"], "expected"),
        (["fit", "{}/sets.arff", "{}/m.taut", "--labels", "-3", "--kind", "chain"], "`--kind chain`"),
        (["fit", "{}/sets.arff", "{}/m.taut", "--labels", "-3", "--kind", "classes"], "one label per example"),
        (["fit", "{}/classes.svm", "{}/m.taut", "--edges", "full"], "`--edges full`"),
        (["fit", "{}/classes.svm", "{}/m.taut", "-C", "-1"], "`C` must be positive"),
        (["fit", "{}/classes.svm", "{}/m.taut", "--loss", "f2"], "'f2'"),
        (["fit", "{}/sets.arff", "{}/m.taut", "--labels", "-3", "--fold", "1"], "`--fold` is for letters"),
        (["fit", "{}/letters.npz", "{}/m.taut", "--fold", "7"], "expected folds among [0, 1]"),
        (["fit", "{}/letters.npz", "{}/m.taut", "--fold", "0,1", "--test", "{}/letters.npz"], "in other folds than 0,1"),
        (["fit", "{}/letters.npz", "{}/m.taut", "--transitions", "bio"], "labels must be 'O', 'B-x' or 'I-x'"),
        (["fit", "{}/classes.svm", "{}/m.taut", "--transitions", "bio"], "is for chains"),
        (["fit", "{}/trees.jsonl", "{}/m.taut", "--kind", "chain"], "`--kind chain`"),
        (["predict", "{}/trees.taut", "{}/rows.jsonl"], "expected examples with edges"),
        (["predict", "{}/rows.taut", "{}/trees.jsonl"], "expected examples without edges"),
        (["fit", "{}/gaps.arff", "{}/m.taut", "--labels", "-1"], "found ?"),
        (["predict", "{}/sets.arff", "{}/sets.arff"], "not a taut file"),
        (["predict", "{}/sets.taut", "{}/other.arff"], "found 'grey' where it has 'green'"),
        (["predict", "{}/classes.taut", "{}/sets.arff", "--format", "svmlight"], "line 1: expected"),
        (["score", "{}/tags.taut", "{}/bare.conll"], "expected labels; found none"),
        (["inspect", "{}/sets.taut", "--label", "hot"], "found 'hot'"),
    ],
)
def test_bad_input_exits_with_2_and_one_line(folder, monkeypatch, capsys, arguments, told):
    code, line = failed(monkeypatch, capsys, *(text.format(folder) for text in arguments), *(["-q"] * (arguments[0] == "fit")))
    assert code == 2
    assert line.startswith("taut: ") and told in line


def test_failures_exit_with_1(folder, monkeypatch, capsys):
    def break_down(*_: object) -> None:
        raise PermissionError(13, "Permission denied", "m.taut")

    monkeypatch.setattr(taut.estimators.base.StructuredSVM, "save", break_down)
    code, line = failed(monkeypatch, capsys, "fit", folder / "classes.svm", folder / "m.taut", "-q")
    assert (code, line) == (1, "taut: [Errno 13] Permission denied: 'm.taut'")


def test_the_demo_compares_what_it_trains(tmp_path, monkeypatch):
    rows = json.loads(run("demo", "--examples", 40, "--json", "--report", tmp_path / "pages"))
    pages = {page.name for page in (tmp_path / "pages").glob("*.html")}
    assert len(pages) == 1 + sum(row["method"] != "one-vs-rest" for row in rows)
    assert {*re.findall(r'href="(.*?)"', (tmp_path / "pages" / "index.html").read_text()), "index.html"} == pages
    expected = {("digit strings", 3), ("superposed digits", 5), ("digits in a hierarchy", 5)}
    tasks = [row["task"] for row in rows]
    assert {(task, tasks.count(task)) for task in tasks} == expected
    for row in rows:
        assert row["seconds"] > 0 and all(value is None or 0 <= value <= 1 for value in row["errors"].values())
        if row["method"] != "one-vs-rest":
            assert 0 <= row["gap"] <= 0.1 and row["certified"] == 1
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.setattr(sys.modules["taut.cli.demo"], "_has_screen", lambda: True)
    page = tmp_path / "again" / "index.html"
    shown = run("demo", "--examples", 40, "--report", page.parent)
    assert opened == [page.as_uri()] and str(page) in shown
    assert all(word in shown for word in ("digit strings", "one-vs-rest", "margin", "slack", "f1", "gap", "exact"))
    assert all(f"{100 * row['errors']['hamming']:.1f}" in shown for row in rows)


def test_the_demo_opens_a_browser_only_where_somebody_watches(monkeypatch):
    demo = sys.modules["taut.cli.demo"]
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    for terminal, display in [(True, ":0"), (False, ":0"), (True, "")]:
        monkeypatch.setattr(sys, "stdout", SimpleNamespace(isatty=lambda answer=terminal: answer))
        monkeypatch.setenv("DISPLAY", display)
        assert demo._has_screen() == (terminal and bool(display))
