# Everything a person needs: `make demo` grades the example class, `make test` runs the tests.
# Each target sets up .venv by itself; a second call installs nothing.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test attacks selftest browser peer-suite lint build locale bench clean

demo: $(READY)
	@rm -rf demo && cp -r examples/class demo
	@$(BIN)/headcheck grade quiz bug_hunt --course demo

# Two processes at most: each takes about 1 GB with its jail.
PYTEST := $(BIN)/python -m pytest -n auto --maxprocesses 2 --dist loadscope

test: $(READY)
	$(PYTEST) $(ARGS)

attacks: $(READY)
	HEADCHECK_ATTACKS=all $(BIN)/python -m pytest tests/attacks

selftest: $(READY)
	$(BIN)/headcheck selftest --no-write

browser: $(READY)
	HEADCHECK_BROWSER=1 $(PYTEST) tests/browser

peer-suite: $(READY)
	$(BIN)/python tests/peer/peer_suite.py

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/headcheck build --check
	$(BIN)/python locale/catalogs.py --check

build: $(READY)
	$(BIN)/headcheck build

locale: $(READY)
	$(BIN)/python locale/catalogs.py

bench: $(READY)
	$(BIN)/python benchmarks/one_submission.py
	$(BIN)/python benchmarks/jail.py
	$(BIN)/python benchmarks/start.py
	$(BIN)/python benchmarks/page.py
	$(BIN)/python benchmarks/class.py

clean:
	rm -rf $(VENV) demo

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	    || { echo "headcheck needs Python 3.11 or newer; name one with: make PYTHON=python3.12 ..."; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
	@touch $(READY)
