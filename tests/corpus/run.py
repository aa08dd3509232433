"""``make corpus EACH=40``: more than a thousand bad files, and what becomes of each.

Each is read, or gives one sentence, within ten seconds and a gigabyte, and the process that reads lives on.
"""

from __future__ import annotations

import argparse
import collections
import sys
import tempfile
from pathlib import Path

from tests.corpus.mutations import corpus
from tests.corpus.reader import Reader

MOST_SECONDS, MOST_MEGABYTES = 10.0, 1024.0


def main() -> int:
    """Read them all and print what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", type=int, default=40, help="mutations of each good file")
    parser.add_argument("--keep", type=Path, default=Path("out") / "corpus", help="where files with faults are kept")
    options = parser.parse_args()
    counts: collections.Counter[str] = collections.Counter()
    slowest, largest = (0.0, ""), (0.0, "")
    with tempfile.TemporaryDirectory(prefix="mlviz-corpus-") as folder, Reader() as reader:
        for name, content in corpus(Path(folder), options.each):
            path = Path(folder) / name
            path.write_bytes(content)
            answer = reader.ask(path)
            fault = answer.fault
            fault = fault or (f"{answer.seconds:.1f} s" if answer.seconds > MOST_SECONDS else "")
            fault = fault or (f"{answer.megabytes:.0f} MB" if answer.megabytes > MOST_MEGABYTES else "")
            counts["faults" if fault else "sentences" if answer.said else "read"] += 1
            slowest, largest = max(slowest, (answer.seconds, name)), max(largest, (answer.megabytes, name))
            if fault:
                options.keep.mkdir(parents=True, exist_ok=True)
                (options.keep / name).write_bytes(content)
                print(f"{name}: {fault}", flush=True)
            path.unlink()
    print(f"{counts.total()} files: {dict(counts)}")
    print(f"slowest {slowest[0]:.1f} s ({slowest[1]}), most memory {largest[0]:.0f} MB ({largest[1]})")
    return min(counts["faults"], 1)


if __name__ == "__main__":
    sys.exit(main())
