"""Features of tokens from the columns of their neighbours: the windows of CRFsuite and CRF++."""

import re
from collections.abc import Sequence
from functools import lru_cache

__all__ = ["CHUNKING", "window_features"]

#: The templates that CRFsuite's example and CRF++'s use for the chunks of CoNLL-2000.
CHUNKING = (
    *("w[-2]", "w[-1]", "w[0]", "w[1]", "w[2]", "w[-1]|w[0]", "w[0]|w[1]"),
    *("pos[-2]", "pos[-1]", "pos[0]", "pos[1]", "pos[2]"),
    *("pos[-2]|pos[-1]", "pos[-1]|pos[0]", "pos[0]|pos[1]", "pos[1]|pos[2]"),
    *("pos[-2]|pos[-1]|pos[0]", "pos[-1]|pos[0]|pos[1]", "pos[0]|pos[1]|pos[2]"),
)

_PART = re.compile(r"(.+)\[([-+]?\d+)\]")


def window_features(
    sentence: Sequence[Sequence[str]],
    templates: Sequence[str] = CHUNKING,
    columns: Sequence[str] = ("w", "pos"),
) -> list[dict[str, str | bool]]:
    """One dictionary of features per token, for hashers and vectorizers, or for CRFsuite.

    The template `w[-1]|w[0]` has as its value the text of the column `w` of the token before and of the token itself. Templates
    that reach beyond the sentence are left out; its first token has the feature `first`, its last one `last`.

    Parameters
    ----------
    sentence : sequence of tuples
        The columns of each token, as `load_conll` returns them.
    templates : sequence of str
    columns : sequence of str
        The name of each column.

    Examples
    --------
    >>> window_features([("The", "DT"), ("cat", "NN")], ["w[0]", "pos[-1]|pos[0]"])
    [{'w[0]': 'The', 'first': True}, {'w[0]': 'cat', 'pos[-1]|pos[0]': 'DT|NN', 'last': True}]
    """
    if sentence is None or isinstance(sentence, (str, dict)):
        raise ValueError(f"`sentence` must be a list of tokens, each a tuple of texts; found {type(sentence).__name__}.")
    parsed = _parsed(tuple(templates), tuple(columns))
    for t, token in enumerate(sentence):
        if isinstance(token, str) or not hasattr(token, "__len__") or len(token) != len(columns):
            raise ValueError(f"`sentence[{t}]` must have one text per column, {tuple(columns)}; it is {token!r}. Set `columns`.")
    features: list[dict[str, str | bool]] = [{} for _ in sentence]
    for template, parts in parsed:
        before, after = max(-min(at for _, at in parts), 0), max(max(at for _, at in parts), 0)
        for t in range(before, len(sentence) - after):
            features[t][template] = "|".join([sentence[t + at][column] for column, at in parts])
    if features:
        features[0]["first"] = True
        features[-1]["last"] = True
    return features


@lru_cache
def _parsed(templates: tuple[str, ...], columns: tuple[str, ...]) -> list[tuple[str, list[tuple[int, int]]]]:
    """Per template its name and its parts: number of the column, position relative to the token."""
    parsed = []
    for template in templates:
        matches = [_PART.fullmatch(part) for part in template.split("|")]
        parts = [(columns.index(match[1]), int(match[2])) for match in matches if match and match[1] in columns]
        if len(parts) < len(matches):
            raise ValueError(f"a template must be parts `column[offset]` between |, with columns {columns}; found {template!r}.")
        parsed.append((template, parts))
    return parsed
