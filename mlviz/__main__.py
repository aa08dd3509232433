"""``python -m mlviz``."""

import sys

from mlviz.cli import main

if __name__ == "__main__":
    sys.exit(main())
