"""The paper's tables and figures, measured again: cells, raw lines, figures and the page that they make."""

from .page import page, write_page
from .plan import PARTS, cells_of, lines_of, measure
from .raw import Cell, Lines, Mean

__all__ = ["PARTS", "Cell", "Lines", "Mean", "cells_of", "lines_of", "measure", "page", "write_page"]
