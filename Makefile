# Cipherassay. Two commands matter:
#
#   make report    verify the ciphers, generate their C, measure it here, write report/index.html
#   make test      everything that a change must pass: formats, lints, types, tests
#
# Both first set up what they need: .venv (Python, the command is .venv/bin/assay) and target/ (Rust).
#
#   make lint      only formats, lints and types       make bless   accept the golden texts as they come out now
#   make setup     only set up                         make clean   remove everything that was set up or made
#   make test-all  the tests, with slow ones of which another of the kind is in `make test`
#
# REPORT_OPTIONS="--full" measures 100,000 inputs as the HP paper did; ASSAY_NO_INSTALL=1 installs no system package.

SHELL := /bin/bash
BIN := .venv/bin
REPORT_OPTIONS ?=
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
ENGINE_SOURCES := $(shell find crates -name '*.rs' -o -name '*.toml') Cargo.toml $(wildcard Cargo.lock)

.PHONY: all report test test-all lint lint-rust lint-python rust-test python-test bless setup clean help
.DEFAULT_GOAL := help

help:
	@sed -n '/^# Cipherassay/,/^$$/s/^# \{0,1\}//p' Makefile

setup: .venv/.engine

report: .venv/.engine
	@scripts/bootstrap packages report
	$(BIN)/assay report -o report $(REPORT_OPTIONS)

test: lint rust-test python-test

test-all:
	ASSAY_SLOW=1 $(MAKE) test

lint: lint-rust lint-python

lint-rust: .venv/.python
	@scripts/bootstrap rust-lint

lint-python: .venv/.engine
	$(BIN)/ruff check .
	$(BIN)/mypy

rust-test: .venv/.python
	cargo test --workspace --exclude cipherassay-python --features cipherassay-circuit/sat -q

python-test: .venv/.engine
	@scripts/bootstrap packages test
	$(BIN)/pytest -q -n $(JOBS)

bless: .venv/.engine
	ASSAY_BLESS=1 $(BIN)/pytest -q -m golden

clean:
	rm -rf .venv target report .cache

# The Python environment: made anew when the dependencies change.
.venv/.python: pyproject.toml scripts/bootstrap
	@scripts/bootstrap python

# The engine: built when a Rust source is newer. cargo itself builds only what changed.
.venv/.engine: .venv/.python $(ENGINE_SOURCES)
	@scripts/bootstrap engine
