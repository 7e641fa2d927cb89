PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

TESTED := PYTHONDONTWRITEBYTECODE= OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 -q
JITTERED := $(TESTED) docs src/uneven tests/test_readme.py tests/test_examples.py tests/boosting/test_classifiers.py tests/boosting/test_real_data.py tests/fusion/test_carako.py tests/noise/test_uma.py tests/versionspace/test_compression.py

.DEFAULT_GOAL := help
.PHONY: help demo quick test jitter lowest check bench docs derived release format clean

help:  ## list the commands
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 12

$(STAMP): pyproject.toml published/pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("uneven needs Python 3.11 or newer, this is " + sys.version.split()[0]) if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[all]" --editable ./published
	@touch $@

demo: $(STAMP)  ## compare the methods on embedded data and write uneven-demo/report.html
	$(BIN)/uneven compare --demo --out uneven-demo

quick: $(STAMP)  ## unit tests only, in two minutes: no contract of scikit-learn, few random examples
	UNEVEN_PROFILE=quick $(TESTED) --dist loadfile tests --ignore tests/contract -m "not slow"

test: $(STAMP)  ## run every test
	$(BIN)/python -m tests.browser --install
	$(TESTED) --dist loadfile -m "full or not full" --durations=25 --durations-min=3

jitter: $(STAMP)  ## pages and learning tests again, every number moved by its last bit, once as a plain processor computes
	for seed in 1 2; do UNEVEN_JITTER=$$seed $(JITTERED) || exit 1; done
	UNEVEN_JITTER=3 NUMBA_CPU_NAME=generic OPENBLAS_CORETYPE=Prescott NPY_DISABLE_CPU_FEATURES="$$($(BIN)/python -W ignore -c 'import numpy; print(*numpy.show_config("dicts")["SIMD Extensions"]["found"])')" $(JITTERED)

lowest: $(STAMP)  ## tests of files, tables, command line and boosting with the lowest declared versions
	$(BIN)/nox --session lowest

check: $(STAMP)  ## lint, format check, types, direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

bench: $(STAMP)  ## speed, memory and learning, side by side with the alternatives
	$(BIN)/python -m benchmarks

docs: $(STAMP)  ## build the documentation site, build/site/index.html, and check its links and its search
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -m sphinx -W --keep-going -q -b html -d build/doctrees docs build/site
	$(BIN)/python docs/extensions/check_site.py build/site

derived: $(STAMP)  ## write again what is derived from the classes: tables in the docs, public names, kept model files, the list of exhibits
	$(BIN)/python -m tests.test_declarations
	$(BIN)/python -m tests.test_public_names
	$(BIN)/python -m tests.persistence.corpus
	$(BIN)/python -m uneven_published

release:  ## build sdist and wheels of both distributions in dist/, check them, and try them in clean environments
	PYTHON=$(PYTHON) .ci/release

format: $(STAMP)  ## apply the formatter and the safe lint fixes
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:  ## remove the environment, caches and reports
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis uneven-demo uneven-published docs/generated
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
