# Every target does its own set-up in .venv; nothing is installed outside this folder.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
SOURCES := pyproject.toml

.PHONY: demo test soak lint format bench clean help

help:  ## show this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.serve: $(SOURCES) | $(BIN)/python
	$(BIN)/python -m pip install --quiet -e '.[serve]'
	@touch $@

$(VENV)/.dev: $(SOURCES) | $(BIN)/python
	$(BIN)/python -m pip install --quiet -e '.[serve,dev]'
	@touch $(VENV)/.serve $@

# torch comes first and by version: a CPU build of it is enough, and a bare range would fetch gigabytes.
$(VENV)/.train: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet 'torch==2.13.0'
	$(BIN)/python -m pip install --quiet -e '.[serve,train,dev]'
	@touch $@

demo: $(VENV)/.serve  ## make 60 conversations, replay them, score six policies (under 90 seconds)
	$(BIN)/proverl demo

lint: $(VENV)/.dev  ## ruff and mypy
	$(BIN)/ruff check src tests examples benchmarks acceptance docs
	$(BIN)/ruff format --check src tests examples benchmarks acceptance docs
	$(BIN)/mypy

test: $(VENV)/.dev lint  ## the tests, a sample of each law (at most 3 minutes on 2 cores)
	$(BIN)/pytest -n 2

soak: $(VENV)/.train build/foreign/.done  ## the full counts, foreign clients, training on tiny models (at most 60 minutes)
	$(BIN)/pytest -n 2 -m soak --timeout 1200
	PYTHONPATH=examples PROVERL_SERVERS=library:server $(BIN)/pytest -n 2 -m 'soak or not soak' --timeout 1200 tests/servers -k library
	$(BIN)/pytest -n 2 --hypothesis-profile soak tests/world/test_state.py tests/world/test_session.py \
		tests/world/test_changes.py tests/test_strict_json.py tests/world/test_values.py
	rm -rf build/tiny
	runs/tiny.sh build/tiny

build/foreign/.done: tests/foreign/package.json
	mkdir -p build/foreign
	cp tests/foreign/package.json build/foreign/
	cd build/foreign && npm install --silent --no-audit --no-fund
	@touch $@

bench: $(VENV)/.dev  ## the speed figures, as ratios to a peer in the same run
	for script in benchmarks/*.py; do $(BIN)/python $$script; done

format: $(VENV)/.dev  ## write the sources in the one format
	$(BIN)/ruff format src tests examples benchmarks acceptance docs
	$(BIN)/ruff check --fix src tests examples benchmarks acceptance docs

clean:  ## remove everything that was built
	rm -rf $(VENV) build out .mypy_cache .ruff_cache .pytest_cache .hypothesis
