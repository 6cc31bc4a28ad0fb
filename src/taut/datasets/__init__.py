"""Readers of the formats that people have, loaders of a few well-known data sets, and generators with a known model.

Every `load_...` returns a `Dataset`, which unpacks as `X, Y`. Every text format has an `iter_...` beside it, which yields in
pieces of `chunk` rows what `load_...` returns at once, and needs memory for one piece. Gzipped files are read as they are.
A file that is not what its format promises raises `DataError`: file, line, expected, found.
"""

from .arff import iter_arff, load_arff
from .conll import iter_conll, load_conll
from .cora import load_cora
from .errors import DataError
from .folder import data_folder
from .generated import Generated, Truth, make_chain, make_hierarchy, make_multilabel
from .json_lines import iter_json_lines, load_json_lines
from .letters import load_letters
from .openml import fetch_multilabel
from .rcv1 import load_rcv1
from .record import Dataset
from .resplit import Split, resplit
from .snakes import load_snakes
from .svmlight import iter_svmlight, load_svmlight

__all__ = [
    "DataError",
    "Dataset",
    "Generated",
    "Split",
    "Truth",
    "data_folder",
    "fetch_multilabel",
    "iter_arff",
    "iter_conll",
    "iter_json_lines",
    "iter_svmlight",
    "load_arff",
    "load_conll",
    "load_cora",
    "load_json_lines",
    "load_letters",
    "load_rcv1",
    "load_snakes",
    "load_svmlight",
    "make_chain",
    "make_hierarchy",
    "make_multilabel",
    "resplit",
]
