# Everything runs in an environment of its own (.venv); `python3` (3.11 or newer) and `make` are all you need.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
JOBS   ?= auto

# Compiled tests are kept: compiling their asserts anew costs each worker ten seconds.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help demo quick test test-all lint browser warm fuzz bench clean

help:
	@echo "make demo      an example: checked, drawn, moved, reported"
	@echo "make quick     lint and the quick ring of tests, for daily work"
	@echo "make test      lint and all tests but the slow ones"
	@echo "make test-all  the slow ones too"
	@echo "make lint      ruff, mypy and the layers"
	@echo "make bench     measures; make fuzz feeds the loader with nonsense"
	@echo "make clean     removes the environment and what was made"

demo: $(VENV)/.demo
	$(BIN)/python examples/demo.py

# Types are checked on one core while loops are compiled on the other.
# Every room, none of the long tests: the files that tests/quick.txt names.
quick: $(VENV)/.test
	@$(MAKE) --no-print-directory -j 2 lint warm
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup -m "not slow" $$(grep -v '^\#' tests/quick.txt)

test: $(VENV)/.test
	@$(MAKE) --no-print-directory -j 2 lint browser warm
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup -m "not slow"

test-all: $(VENV)/.test
	@$(MAKE) --no-print-directory -j 2 lint browser warm
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup

# Chromium for the tests in the browser, where there is none and apt may install it; else those tests are skipped.
browser: $(VENV)/.test
	@$(BIN)/python tests/browser/chromium.py

# Loops are compiled once, and not by each worker of the tests.
warm: $(VENV)/.test
	$(BIN)/python -m linkwork warm

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.test
	$(BIN)/python -m pip install --quiet --editable ".[bench]"
	$(BIN)/python benchmarks/model.py
	$(BIN)/python benchmarks/first_answers.py
	$(BIN)/python benchmarks/kernels.py
	$(BIN)/python benchmarks/kinematics.py
	$(BIN)/python benchmarks/reach.py
	$(BIN)/python benchmarks/dynamics.py
	$(BIN)/python benchmarks/simulate.py
	$(BIN)/python benchmarks/linear.py
	$(BIN)/python benchmarks/report.py
	$(BIN)/python benchmarks/workbench.py

# Coverage-guided fuzzing of the loader, for as many seconds as you like; needs the `fuzz` extra (CPython < 3.13).
SECONDS_OF_FUZZ ?= 60
fuzz: $(VENV)/.test
	$(BIN)/python -m pip install --quiet --editable ".[fuzz]"
	$(BIN)/python tests/fuzz/fuzz_loader.py -max_total_time=$(SECONDS_OF_FUZZ)

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Linkwork needs Python 3.11 or newer; try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 2; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --editable ".[view]"
	@touch $@

$(VENV)/.test: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[test]"
	@touch $@ $(VENV)/.demo

clean:
	rm -rf $(VENV) out .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
