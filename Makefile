# make run     open the laboratory (without a display: draw a tour of it into out/)
# make test    lint, types and the whole test suite
# make approve KEY=k_means   take what is drawn now for that method (a word of the test's name) as right; look at it!
# make hunt MINUTES=5        property tests with new examples for that long
# make test-busy             make test, three times in a row, while two busy loops run beside it
# make bench   measure our speed against scikit-learn, matplotlib and pyqtgraph (out/bench.json)
# make monkey  random actions in the window (SEED=1 ACTIONS=10000), and what went wrong
# make corpus  a thousand bad files of every format (EACH=40 of each good one): one sentence, 10 s, 1 GB
# make kills   save and autosave, each killed KILLS=200 times; STARTS=100 starts and ends of the program
# make soak MINUTES=60       play and edit for that long: memory, widgets, threads and files at rest
# make clean   remove everything that these made
#
# All prepare the machine first (.ci/prepare.py); the stamps in .venv let the next call start at once.

PYTHON ?= python3
BIN := .venv/bin
STAMPS := .venv/.stamps

# Whatever the shell says, bytecode is kept: the tests start a hundred processes, and each would compile everything anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test types suite test-busy approve hunt bench monkey corpus kills soak clean

run: $(STAMPS)/headless
	@if [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ]; then \
		$(MAKE) --no-print-directory $(STAMPS)/window && exec $(BIN)/mlviz; \
	else \
		echo "There is no display: drawing a tour of the laboratory into out/ instead of opening a window."; \
		QT_QPA_PLATFORM=offscreen $(BIN)/mlviz tour --out out; \
	fi

test approve hunt: export QT_QPA_PLATFORM = offscreen
test approve hunt: export OPENBLAS_NUM_THREADS = 1
test: $(STAMPS)/headless $(STAMPS)/bench
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	@$(MAKE) --no-print-directory --keep-going -j 2 types suite

# The two parts of "make test" that take long; side by side, for each of them leaves a core idle now and then.
types:
	$(BIN)/mypy

# Three workers for two cores: a test of the window sleeps a third of its time, until a thread or a timer is ready.
suite: $(STAMPS)/compiled
	$(BIN)/python -m pytest -n 3 --dist loadgroup

test-busy:
	.ci/busy $(MAKE) --no-print-directory test

approve: $(STAMPS)/headless $(STAMPS)/bench
	@if [ -z "$(KEY)" ]; then echo "Say which: make approve KEY=k_means"; exit 1; fi
	MLVIZ_APPROVE=1 $(BIN)/python -m pytest -q -rP tests/views -k "$(KEY)"

hunt: $(STAMPS)/headless
	$(BIN)/python -m tests.hunt $(or $(MINUTES),5)

bench: $(STAMPS)/headless $(STAMPS)/bench
	$(BIN)/python -m tests.benchmarks.bench

SEED ?= 1
ACTIONS ?= 10000
monkey: export QT_QPA_PLATFORM = offscreen
monkey: $(STAMPS)/headless
	$(BIN)/python -m tests.monkey.play --seed $(SEED) --actions $(ACTIONS)

KILLS ?= 200
STARTS ?= 100
kills: export QT_QPA_PLATFORM = offscreen
kills: $(STAMPS)/headless
	MLVIZ_KILLS=$(KILLS) MLVIZ_STARTS=$(STARTS) $(BIN)/python -m pytest -q tests/session/test_kill.py tests/ui/test_quit.py

soak: $(STAMPS)/headless
	$(BIN)/python -m tests.soak $(or $(MINUTES),60)

EACH ?= 40
corpus: $(STAMPS)/headless
	$(BIN)/python -m tests.corpus.run --each $(EACH)

$(STAMPS)/environment: pyproject.toml .ci/prepare.py
	@$(PYTHON) .ci/prepare.py environment
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/headless: $(STAMPS)/environment
	@$(PYTHON) .ci/prepare.py headless
	@touch $@

$(STAMPS)/window: $(STAMPS)/environment
	@$(PYTHON) .ci/prepare.py window
	@touch $@

# The opponents of the benchmarks. The tests need them too: they see to it that every row can still be measured.
$(STAMPS)/bench: $(STAMPS)/environment
	@$(BIN)/python -m pip install --disable-pip-version-check --quiet --editable .[bench]
	@touch $@

# Compiled once, and not by each of the workers at the same time; what is wrong with a file the tests will say.
$(STAMPS)/compiled: $(STAMPS)/headless $(STAMPS)/bench
	@$(BIN)/python -m pytest --collect-only -qq > /dev/null 2>&1 || true
	@touch $@

clean:
	rm -rf .venv out dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
