# make run     open the laboratory (without a display: draw a tour of it into out/)
# make test    lint, types and the whole test suite
# make clean   remove everything that these two made
#
# Both prepare the machine first (.ci/prepare.py); the stamps in .venv let the next call start at once.

PYTHON ?= python3
BIN := .venv/bin
STAMPS := .venv/.stamps

.PHONY: run test clean

run: $(STAMPS)/headless
	@if [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ]; then \
		$(MAKE) --no-print-directory $(STAMPS)/window && exec $(BIN)/mlviz; \
	else \
		echo "There is no display: drawing a tour of the laboratory into out/ instead of opening a window."; \
		QT_QPA_PLATFORM=offscreen $(BIN)/mlviz tour --out out; \
	fi

test: export QT_QPA_PLATFORM = offscreen
test: export OPENBLAS_NUM_THREADS = 1
test: $(STAMPS)/headless
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/python -m pytest -n 2

$(STAMPS)/environment: pyproject.toml .ci/prepare.py
	@$(PYTHON) .ci/prepare.py environment
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/headless: $(STAMPS)/environment
	@$(PYTHON) .ci/prepare.py headless
	@touch $@

$(STAMPS)/window: $(STAMPS)/environment
	@$(PYTHON) .ci/prepare.py window
	@touch $@

clean:
	rm -rf .venv out dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
