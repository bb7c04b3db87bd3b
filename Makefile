# Cipherassay. Two commands matter:
#
#   make report    verify the ciphers, generate their C, measure it here, write report/index.html
#   make test      everything that a change must pass: formats, lints, types, tests
#
# Both first set up what they need: .venv (Python, the command is .venv/bin/assay) and target/ (Rust).
#
#   make wheel     the wheel and the source distribution, in dist/; make wheel-test: installed and tried, without Rust
#   make lint      only formats, lints and types       make bless   accept the golden texts as they come out now
#   make setup     only set up                         make clean   remove everything that was set up or made
#   make test-all  the tests, with slow ones of which another of the kind is in `make test`
#   make check     lints, types, and the tests that what changed since the last commit may affect
#   make docs      the documents as a site that opens from the disk, in site/
#   make accept    measure in a fresh clone how long set-up, report and tests take, against their goals
#   make fuzz      random descriptions through all levels against plain numbers, for SECONDS=600
#   make fuzz-passes   the properties of the passes on random programs, other ones each time (ASSAY_FUZZ=20 times the usual number)
#   make baseline FILE=best.csv   compare the figures of the last report with a list of the best
#
# REPORT_OPTIONS="--full" measures 100,000 inputs as the HP paper did; ASSAY_NO_INSTALL=1 installs no system package.

SHELL := /bin/bash
BIN := .venv/bin
REPORT_OPTIONS ?=
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
ENGINE_SOURCES := $(shell find crates -name '*.rs' -o -name '*.toml') Cargo.toml $(wildcard Cargo.lock)

ASSAY_FUZZ ?= 20
SECONDS ?= 600

.PHONY: all report wheel wheel-test test test-all check accept baseline fuzz fuzz-passes lint lint-rust lint-python rust-test \
	python-test bless docs setup clean help
.DEFAULT_GOAL := help

help:
	@sed -n '/^# Cipherassay/,/^$$/s/^# \{0,1\}//p' Makefile

setup: .venv/.engine
	@bash scripts/bootstrap page

report: .venv/.engine
	@bash scripts/bootstrap packages report
	$(BIN)/assay report -o report $(REPORT_OPTIONS)

test: lint rust-test python-test

test-all:
	ASSAY_SLOW=1 $(MAKE) test

check: lint-python
	@files=$$($(BIN)/python scripts/affected.py) && if [ -n "$$files" ]; then $(BIN)/pytest -q -n $(JOBS) $$files; fi

accept: .venv/.engine
	$(BIN)/python scripts/accept.py

baseline: .venv/.engine
	$(BIN)/python scripts/baseline.py $(FILE)

fuzz: .venv/.engine
	@bash scripts/bootstrap packages test
	$(BIN)/python scripts/fuzz.py --seconds $(SECONDS)

fuzz-passes: .venv/.engine
	ASSAY_FUZZ=$(ASSAY_FUZZ) cargo test --release -p cipherassay-program --test all

lint: lint-rust lint-python

lint-rust: .venv/.engine
	@bash scripts/bootstrap rust-lint

lint-python: .venv/.engine
	$(BIN)/ruff check .
	$(BIN)/mypy

rust-test: .venv/.engine
	@bash scripts/bootstrap rust-test

python-test: .venv/.engine
	-@bash scripts/bootstrap documents
	@bash scripts/bootstrap packages test
	@bash scripts/bootstrap page
	@bash scripts/bootstrap documents
	$(BIN)/pytest -q -n $(JOBS)

wheel: .venv/.python
	rm -rf dist
	@bash scripts/bootstrap page
	$(BIN)/maturin build --release --out dist
	$(BIN)/maturin sdist --out dist

wheel-test: wheel .venv/.engine
	ASSAY_SLOW=1 $(BIN)/pytest -q tests/project/test_wheel.py

docs: .venv/.engine
	@bash scripts/bootstrap documents
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict -q

bless: .venv/.engine
	ASSAY_BLESS=1 $(BIN)/pytest -q -m golden

clean:
	rm -rf .venv target report site .cache dist

# Scripts run through bash: in a source distribution no file may be executed.
# The Python environment: made anew when the dependencies change.
.venv/.python: pyproject.toml scripts/bootstrap
	@bash scripts/bootstrap python

# The engine: built when a Rust source is newer. cargo itself builds only what changed.
.venv/.engine: .venv/.python $(ENGINE_SOURCES)
	@bash scripts/bootstrap engine
