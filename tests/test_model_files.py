"""Files of models: what is loaded is what was saved, bit for bit, and a damaged file is told."""

import contextlib
import copy
import pickle
import warnings

import numpy as np
import pytest
from test_estimators import ALL, CASES, SETS

import taut
from taut import container
from taut.container import FileError
from taut.estimators import NotSaved
from taut.losses import Cost, Hamming, Tabulated
from taut.search import lens_search


def same(one, other):
    """Equal, arrays to the last bit and of one type."""
    if isinstance(one, np.ndarray):
        return (
            type(other) is np.ndarray and one.dtype == other.dtype and one.tobytes() == other.tobytes() and one.shape == other.shape
        )
    if isinstance(one, (Hamming, Cost)):
        return same(vars(one), vars(other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    return type(one) is type(other) and one == other


@ALL
def test_the_same_model_comes_back(case, tmp_path):
    model, X, Y, _ = case
    model.fit(X, Y).save(tmp_path / "model.taut")
    other = taut.load(tmp_path / "model.taut")
    assert type(other) is type(model)
    assert same(other.get_params(), model.get_params())
    drop = ("_structure", "_sklearn_version")
    one, two = ({key: value for key, value in vars(m).items() if key not in drop} for m in (model, other))
    assert same(one, two)
    assert all(np.array_equal(a, b) for a, b in zip(other.predict(X), model.predict(X), strict=True))
    other.save(tmp_path / "again.taut")
    assert (tmp_path / "again.taut").read_bytes() == (tmp_path / "model.taut").read_bytes()
    assert np.array_equal(other.fit(X, Y).coef_, model.coef_)


def test_parameters_come_back(tmp_path):
    X = SETS.X
    for params in (
        {"loss": Cost(np.array([[0.0, 1.5], [1.0, 0.0]])), "class_weight": {"a": 2.0, "b": 1.0}, "max_time": np.float64(60.0)},
        {"loss": Hamming(weights=[3.0]), "search": lens_search, "C": 1, "tol": np.float32(0.5), "random_state": np.int64(3)},
        {"class_weight": "balanced", "n_jobs": 2, "warm_start": True},
    ):
        Y = np.array(["a", "b"], dtype=object)[(X[:, 0] > 0).astype(int)]
        model = taut.MulticlassSSVM(**params).fit(X, Y)
        model.save(tmp_path / "model.taut")
        other = taut.load(tmp_path / "model.taut")
        assert other.classes_.dtype == object and (other.predict(X) == model.predict(X)).all()
        for name, value in other.get_params().items():
            assert (same(value, value) and repr(value) == repr(model.get_params()[name])) or value == model.get_params()[name]


def test_what_files_cannot_hold_is_marked(tmp_path):
    model = taut.MultiLabelSSVM(
        loss=Tabulated(lambda fp, fn, n_positive, n: fp + 2.0 * fn), callbacks=[print], random_state=np.random.default_rng(0)
    ).set_params(callbacks=None).fit(SETS.X, SETS.Y)  # fmt: skip
    model.set_params(callbacks=[print]).save(tmp_path / "model.taut")
    other = taut.load(tmp_path / "model.taut")
    assert other.loss == NotSaved("Tabulated") and other.random_state == NotSaved("Generator") and other.callbacks is None
    assert (other.predict(SETS.X) == model.predict(SETS.X)).all()
    with pytest.raises(ValueError, match="NotSaved"):
        other.fit(SETS.X, SETS.Y)


def test_damaged_and_foreign_files_are_told(tmp_path):
    model, X, Y, _ = CASES["chains"]
    path = tmp_path / "model.taut"
    model.fit(X, Y).save(path)
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    for _ in range(500):  # test_container has 10^4
        broken = bytearray(whole)
        match rng.integers(3):
            case 0:
                broken = broken[: rng.integers(len(whole))]
            case 1:
                broken[rng.integers(len(whole))] ^= 1 << rng.integers(8)
            case _:
                broken += bytes(rng.integers(1, 200))
        path.write_bytes(broken)
        with pytest.raises(FileError):
            taut.load(path)
    path.write_bytes(pickle.dumps(model))
    with pytest.raises(FileError, match="not a taut file"):
        taut.load(path)
    with pytest.raises(FileNotFoundError):
        taut.load(tmp_path / "none")


@pytest.mark.parametrize(
    "change",
    [
        lambda header, arrays: header.update(estimator="Pipeline"),
        lambda header, arrays: header.update(estimator="PerSequence"),
        lambda header, arrays: header.update(format=2),
        lambda header, arrays: header["params"].update(loss=["call", "os.system"]),
        lambda header, arrays: header["params"].update(shell="rm"),
        lambda header, arrays: header["learnt"].update(__class__=None),
        lambda header, arrays: header["learnt"].pop("classes_"),
        lambda header, arrays: header["learnt"].update(coef_=["array", "missing"]),
        lambda header, arrays: header["learnt"].update(pairwise_=None),
        lambda header, arrays: arrays.update(coef_=arrays["coef_"][:, 1:]),
        lambda header, arrays: arrays.update(intercept_=arrays["intercept_"].astype(np.float32)),
        lambda header, arrays: arrays.update(classes_=arrays["classes_"][:1]),
    ],
)
def test_well_formed_files_that_are_no_models_are_told(change, tmp_path):
    model, X, Y, _ = CASES["chains"]
    model.fit(X, Y).save(tmp_path / "model.taut")
    header, arrays = container.read(tmp_path / "model.taut")
    change(header, arrays)
    container.write(tmp_path / "model.taut", "model", header, arrays)
    with pytest.raises(FileError):
        taut.load(tmp_path / "model.taut")


def places(entry):
    """Every container in a JSON value, with the keys of its items."""
    keys = entry if isinstance(entry, dict) else range(len(entry)) if isinstance(entry, list) else ()
    for key in list(keys):
        yield entry, key
        yield from places(entry[key])


def other_array(array, rng):
    """An array of another shape, type or content."""
    match rng.integers(5):
        case 0:
            return array[:-1] if array.ndim and len(array) else np.zeros(3)
        case 1:
            return array.astype(rng.choice([np.float32, np.int64, np.bool_])) if array.dtype.kind in "biuf" else np.arange(3)
        case 2:
            return array[None]
        case 3:
            return np.concatenate([array, array]) if array.ndim else array
    odd = array.copy()
    if odd.dtype.kind in "if" and odd.size:
        others = [-7, 3, 2**40] if odd.dtype.kind == "i" else [np.nan, np.inf, 1e308]
        odd.flat[rng.integers(odd.size)] = rng.choice(others)
    return odd


@ALL
def test_any_other_content_is_an_error_or_a_model(case, tmp_path, monkeypatch):
    """10^4 files in all, as if their checksums were right: other values anywhere in the header, other arrays."""
    model, X, Y, _ = case
    path = tmp_path / "model.taut"
    model.fit(X, Y).save(path)
    right, right_arrays = container.read(path)
    rng, taken = np.random.default_rng(1), 0
    odd = [None, True, -1, 3, 0.5, "", "coef_", [], {}, ["array", "classes_"], ["array", "coef_"], ["float", "nan"]]
    odd += [
        ["loss", "F1", {}],
        ["dict", [[["list", []], 1]]],
        ["measure", [1]],
        ["texts", ["a", "b"]],
        ["texts", 3],
        ["search", "lens"],
        ["not saved", "x"],
        [[[]]],
    ]
    for _ in range(10_000 // len(CASES) + 1):
        header, arrays = copy.deepcopy(right), dict(right_arrays)
        if rng.random() < 0.7:
            among = list(places(header))
            for where, key in [among[i] for i in rng.choice(len(among), size=rng.integers(1, 3))]:
                where[key] = odd[rng.integers(len(odd))]
        else:
            name = str(rng.choice(list(arrays)))
            arrays[name] = other_array(arrays[name], rng)
        monkeypatch.setattr("taut.estimators.files.read", lambda *_, content=(header, arrays): content)
        try:
            other = taut.load(path)
        except FileError:
            continue
        taken += 1
        with contextlib.suppress(TypeError, ValueError), np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert len(other.predict(X)) == len(X)  # parameters such as n_jobs are checked when they are used
    assert taken > 100


def test_subclasses_are_not_saved_as_what_they_are_not(tmp_path):
    class Mine(taut.ChainSSVM):
        pass

    _, X, Y, _ = CASES["chains"]
    with pytest.raises(FileError, match="Mine"):
        Mine().fit(X, Y).save(tmp_path / "model.taut")
