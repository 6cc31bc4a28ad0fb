# The habits of this repository: `make help` lists them. Nothing is assumed but Python 3.11+, git and make: every target
# makes its own .venv first. The stamps install again when the dependencies (pyproject.toml) or the version change.

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
STATED := pyproject.toml src/taut/__init__.py

# The newest Python between 3.11 and 3.14 that really runs and can make environments: a name on the path proves nothing.
RUNS := import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info < (3, 15))
PYTHON = $(shell for p in python3.14 python3.13 python3.12 python3.11 python3 python; do \
	if $$p -c '$(RUNS)' >/dev/null 2>&1; then echo $$p; break; fi; done)

PYTEST_ARGS ?=
BENCH_ARGS ?=
RESULTS_ARGS ?=

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help demo test lint types docs picture bench bench-search bench-argmax bench-solvers results exact-search exact-argmax clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

demo: $(VENV)/.demo  ## train on handwritten digits, three ways, and compare: about a minute
	@$(BIN)/taut demo

test: $(VENV)/.dev  ## run the tests (PYTEST_ARGS="-k lens -x" narrows them)
	$(BIN)/python -m pytest $(PYTEST_ARGS)

lint: $(VENV)/.dev  ## check the style (.venv/bin/ruff check --fix mends what it can by itself)
	$(BIN)/ruff check .

types: $(VENV)/.dev  ## check the types, strictly
	$(BIN)/mypy

docs: $(VENV)/.docs  ## build the documentation; warnings are errors
	$(BIN)/sphinx-build -W --keep-going -q -b html -d docs/_build/doctrees docs docs/_build/html
	@echo "open docs/_build/html/index.html"

picture: $(VENV)/.demo  ## draw the README's picture again
	$(BIN)/python docs/make_picture.py

bench: bench-search bench-argmax bench-solvers  ## run every benchmark

bench-search: $(VENV)/.demo  ## all searches on the same sets: queries, time, exactness
	$(BIN)/python -m benchmarks.search

bench-argmax: $(VENV)/.dev  ## price of the exact slack argmax per structure, beside margin and the searches of the paper
	$(BIN)/python -m benchmarks.argmax
	$(BIN)/python -m benchmarks.hard

bench-solvers: $(VENV)/.dev  ## every solver on real data (BENCH_ARGS="--seconds 2 --data letters" makes it short)
	$(BIN)/python -m benchmarks.solvers $(BENCH_ARGS)
	$(BIN)/python -m benchmarks.solvers_page
	$(BIN)/python -m benchmarks.passes

results: $(VENV)/.peers  ## compute what docs/results.md lacks and write its tables (RESULTS_ARGS=--quick: a smoke run)
	$(BIN)/python -m benchmarks.accuracy $(RESULTS_ARGS)

exact-search: $(VENV)/.dev  ## count wrong answers of the exact searches on a million random sets
	$(BIN)/python -m benchmarks.exact_search

exact-argmax: $(VENV)/.dev  ## count wrong answers of all structures on a million questions
	$(BIN)/python -m benchmarks.exact_argmax

clean:  ## remove everything that was made, but for .venv
	rm -rf build dist taut-demo docs/_build docs/gallery docs/generated docs/sg_execution_times.rst
	rm -rf .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -path ./$(VENV) -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@if [ -z "$(PYTHON)" ]; then \
		echo "taut needs Python 3.11 to 3.14 with its venv and ensurepip modules; none was found on the path." >&2; \
		echo "Install one (on Debian also its python3-venv package), or say where it is: make PYTHON=/path/to/python" >&2; \
		exit 1; fi
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: $(STATED) | $(BIN)/python
	$(PIP) --editable '.[plot]'
	@touch $@

$(VENV)/.dev: $(STATED) | $(BIN)/python
	$(PIP) --editable '.[dev]'
	@touch $@

$(VENV)/.peers: $(STATED) | $(BIN)/python
	$(PIP) --editable '.[peers]'
	@touch $@

$(VENV)/.docs: $(STATED) | $(BIN)/python
	$(PIP) --editable '.[docs]'
	@touch $@
