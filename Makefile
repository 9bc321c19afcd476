# Every target that needs the environment builds it first, inside the checkout (.venv), and again only when
# pyproject.toml, constraints.txt or requirements-no-deps.txt changes.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed

.PHONY: help verify test coverage mutation lint bench trials notebooks latex clean

help:  ## show this list
	@sed -nE 's/^([a-z]+):.*## (.*)/make \1\t\2/p' Makefile

$(STAMP): pyproject.toml constraints.txt requirements-no-deps.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	    -c constraints.txt -e '.[torch,production,notebooks,test,dev]'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -r requirements-no-deps.txt
	@touch $@

verify: $(STAMP)  ## prove the catalogue and hold the installed libraries to it
	@mkdir -p build
	$(BIN)/posproofs verify --json build/verify.json
	@$(BIN)/python -m tests.production.outcomes build/verify.json

test: $(STAMP)  ## run the tests on two processes
	$(BIN)/python -m pytest -n 2 --dist worksteal -q

coverage: $(STAMP)  ## run the tests of the kernel alone under branch coverage, which must be full
	@mkdir -p build
	$(BIN)/python -m coverage run --data-file=build/coverage --branch --source=derivations.kernel \
	    -m pytest tests/derivations/kernel -q
	$(BIN)/python -m coverage report --data-file=build/coverage --show-missing --skip-covered --fail-under=100

mutation: $(STAMP)  ## change the kernel in thousands of places and record which changes its tests notice (up to an hour)
	$(BIN)/python -m tests.mutation --jobs 2 --record

lint: $(STAMP)  ## ruff, mypy and the import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --strict derivations posproofs trials tests
	$(BIN)/lint-imports

bench: $(STAMP)  ## run the time measurements, which `make test` leaves out
	$(BIN)/python -m pytest tests/bench -q -s -m bench

trials: $(STAMP)  ## a million random near-identities against the kernel, resumed where the last run stopped
	$(BIN)/python -m trials

notebooks: $(STAMP)  ## run every notebook again and store it with its outputs
	$(BIN)/python -m posproofs.export.notebooks build notebooks

latex: $(STAMP)  ## write every derivation to build/latex and typeset them all; any warning is an error
	@command -v latexmk >/dev/null || { echo "latexmk is not installed; .ci/run lists the packages" >&2; exit 2; }
	$(BIN)/posproofs export all --format latex -o build/latex
	cd build/latex && latexmk -pdf -Werror -halt-on-error -interaction=nonstopmode -silent posproofs.tex
	@test -s build/latex/posproofs.log
	@! grep -E 'Overfull|Underfull|Warning' build/latex/posproofs.log

clean:  ## remove the environment and what tools leave behind
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
