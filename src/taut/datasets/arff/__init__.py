"""The format of Weka, with the ways that MULAN, MEKA and CLUS have to say what is a label."""

from .read import iter_arff, load_arff

__all__ = ["iter_arff", "load_arff"]
