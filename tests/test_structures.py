"""Every structure, loss, rescaling and question against enumeration: 10^5 answers here, 10^6 by `make exact-argmax`."""

import numpy as np
import pytest
from structure_answers import Tally, check
from structure_catalogue import REAL_ROWS, ROWS

N_ANSWERS = 120_000
ALL = {**ROWS, **REAL_ROWS}


@pytest.mark.parametrize("name", ALL)
def test_every_answer_equals_enumeration(name):
    rng, tally = np.random.default_rng(20261119), Tally()
    while tally.answers.total() < N_ANSWERS / len(ALL):
        check(ALL[name], rng, tally)
        assert not tally.wrong, tally.wrong[0]
