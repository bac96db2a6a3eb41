# What a fresh clone needs: python3 (3.11 or newer, with venv), make, git. All else goes into .venv from requirements.lock.

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
# what of it exists by now
CODE := $(wildcard pipeline tests benchmarks)

export DVC_NO_ANALYTICS := 1
export GX_ANALYTICS_ENABLED := false
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help setup data repro test lint schemas bench lock clean

help:  ## list the targets
	@sed -nE 's/^([a-z]+):[^#]*## (.*)/  make \1\t\2/p' Makefile | expand -t 16

setup: $(READY)  ## make .venv from the lock

# The stamp is the last thing written, so a set-up that was cut short starts anew. uv comes from the lock as well.
$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "python 3.11 or newer is needed, this is " + sys.version)'
	$(PYTHON) -m venv .venv
	sed -n '/^uv==/,/^ *# via/p' requirements.lock > .venv/uv.txt
	$(BIN)/python -m pip install --quiet --require-hashes --no-deps -r .venv/uv.txt
	$(BIN)/uv pip sync --quiet --python $(BIN)/python --require-hashes --compile-bytecode requirements.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	touch $@

data: setup  ## make releases of the demo dumps in output/release/10e and output/release/11e
	$(BIN)/datasheets run raw/demo --output output

repro: setup  ## run the stages of dvc.yaml that are not up to date, as params.yaml says
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/dvc repro

test: setup  ## run the tests on all cores (ARGS="-k weapons": some of them)
	$(BIN)/pytest -n auto $(ARGS)

lint: setup  ## style, format, types, and whether the lock holds what pyproject.toml asks for
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy $(addprefix -p ,$(CODE))
	$(BIN)/uv pip check --quiet --python $(BIN)/python

schemas: setup  ## make docs/tables.md, docs/expectations.md and docs/contracts anew from schemas
	$(BIN)/python -c 'from pathlib import Path; from pipeline import contracts; print(*contracts.write(Path("docs")), sep="\n")'

bench: setup  ## measure the speed
	$(BIN)/python -m benchmarks

lock: setup  ## make requirements.lock anew from pyproject.toml, keeping what still fits (UPGRADE=1: newest)
	$(BIN)/uv pip compile --quiet pyproject.toml --group dev --group dvc --universal --python-version 3.11 \
	  --generate-hashes --no-emit-index-url --custom-compile-command 'make lock' $(if $(UPGRADE),--upgrade) \
	  --output-file requirements.lock

clean:  ## remove all that was made, .venv too
	rm -rf .venv output .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find pipeline tests benchmarks -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true
