"""What the test suite costs: ``python -m pytest -p tests.cost ...`` adds up the CPU seconds of every file and method.

CPU time, of this process and of those that it waited for, says what a test costs on a busy machine too. It is a
measurement for people, not a test: nothing fails here. With ``MLVIZ_COST`` set, every test is written to that file.
"""

import json
import os
import re
from collections import Counter
from pathlib import Path

SHOWN = 25
"""Rows of each table."""


def cpu() -> float:
    """Seconds that this process and the processes it has waited for have computed."""
    return sum(os.times()[:4])


class Costs:
    """Adds up what the tests cost; with several workers each measures its own, and the main process adds."""

    def __init__(self) -> None:
        self.mark = cpu()
        self.tests: Counter[str] = Counter()
        self.elsewhere = 0.0

    def since(self) -> float:
        """Seconds since the last call."""
        before, self.mark = self.mark, cpu()
        return self.mark - before

    def pytest_runtest_logstart(self) -> None:
        """Whatever came before a test, such as collecting, is not its cost."""
        self.elsewhere += self.since()

    def pytest_runtest_makereport(self, item, call) -> None:
        """Setting up, the test itself and tearing down are reported one by one."""
        item.user_properties.append((f"cpu {call.when}", self.since()))

    def pytest_runtest_logreport(self, report) -> None:
        self.tests[report.nodeid] += dict(report.user_properties).get(f"cpu {report.when}", 0.0)

    def pytest_terminal_summary(self, terminalreporter) -> None:
        from algorithms import all_algorithms

        write = terminalreporter.write_line
        files, functions, methods = Counter(), Counter(), Counter()
        keys = sorted((algorithm.key for algorithm in all_algorithms()), key=len, reverse=True)
        for name, seconds in self.tests.items():
            files[name.partition("::")[0]] += seconds
            functions[name.partition("[")[0]] += seconds
            methods[next((key for key in keys if re.search(rf"(\[|-|/test_){key}(?![a-z])", name)), "any")] += seconds
        for title, table in (("files", files), ("functions", functions), ("methods", methods)):
            write(f"\nCPU seconds of the {title}")
            for name, seconds in table.most_common(None if title == "methods" else SHOWN):
                write(f"{seconds:8.1f}  {name}")
        write(f"\n{sum(self.tests.values()):8.1f}  CPU seconds of all tests, and {self.elsewhere:.1f} around them")
        if path := os.environ.get("MLVIZ_COST"):
            Path(path).write_text(json.dumps(dict(self.tests.most_common()), indent=1))


def pytest_configure(config) -> None:
    config.pluginmanager.register(Costs(), "costs")
