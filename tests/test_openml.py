"""Fetching without a network: scikit-learn's function is replaced, or the network is."""

import socket
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from taut.datasets import fetch_multilabel


def test_labels_become_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {}

    def fetch_openml(**keywords: Any) -> SimpleNamespace:
        asked.update(keywords)
        target = np.array([["TRUE", "FALSE"], ["FALSE", "FALSE"], ["TRUE", "TRUE"]], dtype=object)
        return SimpleNamespace(data=np.eye(3), target=target, feature_names=["a", "b", "c"], target_names=["p", "q"])

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch_openml)
    data = fetch_multilabel("yeast")
    assert asked["data_id"] == 40597 and data.Y.tolist() == [[1, 0], [0, 0], [1, 1]] and data.label_names == ["p", "q"]
    assert data.X.shape == (3, 3) and data.Y.dtype == np.int8
    with pytest.raises(ValueError, match=r"`name` must be one of birds, .*; it is 'moon'"):
        fetch_multilabel("moon")


@pytest.mark.filterwarnings("ignore:A network error occurred")
def test_without_a_network_the_error_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    def getaddrinfo(*_: Any, **__: Any) -> None:
        raise socket.gaierror("no such host")

    monkeypatch.setattr("socket.getaddrinfo", getaddrinfo)
    monkeypatch.setattr("time.sleep", lambda _: None)  # scikit-learn tries again after some seconds
    with pytest.raises(ConnectionError, match=r"scene must be fetched from openml.org .*no such host.*`load_arff`"):
        fetch_multilabel("scene", data_home=tmp_path)
