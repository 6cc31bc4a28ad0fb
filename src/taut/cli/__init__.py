"""The command line: `taut COMMAND --help` says what each command does.

Exit codes: 0 done, 2 usage or bad input, 1 failure.
"""

from . import demo, fit, inspect, predict, reproduce, score
from .app import app, main

__all__ = ["app", "demo", "fit", "inspect", "main", "predict", "reproduce", "score"]
