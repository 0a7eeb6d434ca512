# Every target does its own set-up in $(VENV). Variables a reader may want to set:
#   PYTHON      the interpreter that makes the environment (default: python3, or the first >= 3.10 found)
#   PIP_ARGS    further arguments for pip, for example an index that offers a CPU build of torch
#   TORCH_SPEC  the torch that the test suite compares with
#   JOBS        test processes that run side by side
#   N           random programs of one fuzz run
VENV ?= .venv
PIP_ARGS ?=
TORCH_SPEC ?= torch==2.13.*
JOBS ?= 2
N ?= 300
PYTEST_ARGS ?=

PY := $(VENV)/bin/python
PIP := $(PY) -m pip --disable-pip-version-check install --quiet $(PIP_ARGS)
MADE := $(VENV)/.made

.DEFAULT_GOAL := help
.PHONY: help demo test test-slow test-all-pythons fuzz bench lint format typecheck docs docs-serve docs-tables clean

help:  ## list the targets
	@awk -F ':.*##' '/^[a-z-]+:.*##/ {printf "  %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(MADE)/run  ## run the two demonstration kernels (needs no torch)
	@$(PY) -m openpto_gym.demo

test: $(MADE)/test  ## run the test suite, torch comparisons included
	$(PY) -m pytest -n $(JOBS) $(PYTEST_ARGS)

test-slow: $(MADE)/test  ## run the tests marked slow
	$(PY) -m pytest -n $(JOBS) -m slow $(PYTEST_ARGS)

test-all-pythons: $(MADE)/run  ## run the torch-free tests on every Python 3.10-3.14 found here
	$(PY) tools/all_pythons.py $(PYTEST_ARGS)

fuzz: $(MADE)/run  ## run N random kernels on both engines and compare (FUZZ_ARGS=--first=1000 for others)
	$(PY) tools/fuzz_engines.py -n $(N) $(FUZZ_ARGS)

bench: $(MADE)/test  ## time kernels, products, scaling and first calls; writes docs/benchmarks.md (some minutes, wants a quiet machine)
	$(PY) bench/run.py --write
	$(PY) bench/gemm.py
	$(PY) bench/scaling.py
	$(PY) bench/latency.py
	$(PY) bench/lint.py

lint: $(MADE)/dev  ## ruff: rules and layout
	$(PY) -m ruff check
	$(PY) -m ruff format --check

format: $(MADE)/dev  ## let ruff lay the code out
	$(PY) -m ruff check --fix
	$(PY) -m ruff format

typecheck: $(MADE)/dev  ## mypy, strict, over src
	$(PY) -m mypy

docs: $(MADE)/docs  ## build the documentation site in site/, English and Chinese; a warning fails
	$(PY) tools/build_site.py

docs-serve: $(MADE)/docs  ## build the site and show it on http://127.0.0.1:8000
	$(PY) tools/build_site.py --serve

docs-tables: $(MADE)/run  ## write the generated pages and type stubs again
	$(PY) tools/api_table.py --write
	$(PY) tools/contract_table.py --write
	$(PY) tools/rule_pages.py --write
	$(PY) tools/api_stub.py --write
	$(PY) tools/lint_table.py --write
	$(PY) tools/mutants_page.py --write

clean:  ## remove the environments and everything that was built
	rm -rf $(VENV) .venvs build dist site .pytest_cache .mypy_cache .ruff_cache .hypothesis

# Stamps: one per set of packages, made again when pyproject.toml changes.
$(MADE)/venv:
	@sh tools/make_venv.sh $(VENV)
	@mkdir -p $(MADE) && touch $@

$(MADE)/run: $(MADE)/venv pyproject.toml
	$(PIP) -e .
	@touch $@

$(MADE)/test: $(MADE)/run
	$(PIP) -e '.[test]' '$(TORCH_SPEC)'
	@touch $@

$(MADE)/docs: $(MADE)/run
	$(PIP) -e '.[docs]'
	@touch $@

$(MADE)/dev: $(MADE)/run
	$(PIP) -e '.[dev]'
	@touch $@
