# Everything runs in .venv, which each target makes by itself from requirements.lock. Tests also
# need the engines that conventions are compared with, from requirements-engines.lock. Tests of
# adapters for learning libraries are skipped without `make learning`.
# The only thing needed beforehand is python3 with venv and pip.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
SHOWS  := $(VENV)/.shows
OTHERS := $(VENV)/.engines
LEARNS := $(VENV)/.learning
JOBS   ?= 2

.PHONY: demo test check format lint docs docs-check site gallery screenshot parity wheel wheel-check soak bench peers profile learning clean

demo: $(SHOWS)
	@$(BIN)/lanewise demo

test: $(OTHERS)
	$(BIN)/pytest -q -n $(JOBS) --dist loadgroup

# what CI runs; what needs one processor only goes side by side
check:
	$(MAKE) --output-sync=target -j$(JOBS) lint docs-check site
	$(MAKE) test
	$(MAKE) wheel-check

lint: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: $(STAMP)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(STAMP)
	$(BIN)/python tools/make_docs.py
	$(BIN)/python tools/make_picture.py

docs-check: $(STAMP)
	$(BIN)/python tools/make_docs.py --check

# the documents as a site with search, in build/site; warnings and dead links are errors
site: $(STAMP)
	$(BIN)/python tools/make_site.py

# docs/gallery.png: all models that come with Lanewise
gallery: $(STAMP)
	$(BIN)/python tools/make_gallery.py

# docs/viewer.png, in Debian's chromium
screenshot: $(STAMP)
	$(BIN)/python tools/make_screenshot.py

# docs/parity.md: everything beside MuJoCo, on all models at hand; minutes
parity: $(OTHERS)
	$(BIN)/python tools/make_parity.py

# the wheel in dist, with compiled kernels for common processors
wheel: $(STAMP)
	$(BIN)/python tools/build_kernels.py
	rm -f dist/*.whl
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation -w dist .

# the wheel, in an environment with nothing but what it declares; the bits of all its kernels
wheel-check: wheel
	$(BIN)/python tools/check_wheel.py
	$(BIN)/python tools/golden.py

# random worlds of random models for a long time, compared with MuJoCo and with themselves
MINUTES ?= 60
soak: $(OTHERS)
	$(BIN)/python tools/soak.py --minutes $(MINUTES)

bench: $(STAMP)
	$(BIN)/python -m bench

# docs/peers.svg: MJX and MuJoCo Warp beside Lanewise and MuJoCo, on one core; many minutes
peers: $(STAMP)
	$(BIN)/python -m bench.peers

# time per stage beside MuJoCo's: make profile MODEL=path.xml
MODEL ?= lanewise/models/humanoid.xml
profile: $(STAMP)
	@$(BIN)/python -m bench.stages $(MODEL)

# built again whenever the lock or the project's metadata changes
$(STAMP): requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

# what the demo needs and no more: it is for who has just arrived
$(SHOWS): requirements.lock pyproject.toml
	@echo "installing what the demo needs in $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c requirements.lock hatchling
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation -c requirements.lock -e '.[viewer]'
	@touch $@

$(OTHERS): $(STAMP) requirements-engines.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock -r requirements-engines.lock
	@touch $@

# the libraries that lanewise.gym has adapters for, which need a PyTorch that is there already. Their
# lock is complete: RLlib would ask for an older Gymnasium, and others for a PyTorch of their choice
learning: $(LEARNS)

$(LEARNS): $(OTHERS) requirements-learning.lock
	$(BIN)/python -c 'import torch'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -r requirements-learning.lock
	@touch $@

clean:
	rm -rf $(VENV) build dist lanewise/kernels .pytest_cache .ruff_cache .mypy_cache .hypothesis MUJOCO_LOG.TXT
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
