"""What the test suite costs: ``python -m pytest -p tests.cost ...`` adds up the CPU seconds of every file and method.

CPU time, of this process and of those that it waited for, says what a test costs on a busy machine too; so does the
time in which the main thread slept, without the time in which it waited for a core. It is a measurement for people, not
a test: nothing fails here. With ``MLVIZ_COST`` set, every test is written to that file, both figures.
"""

import json
import os
import re
import time
from collections import Counter
from pathlib import Path

SHOWN = 25
"""Rows of each table."""


def cpu() -> float:
    """Seconds that this process and the processes it has waited for have computed."""
    return sum(os.times()[:4])


def asleep() -> float:
    """Seconds in which the main thread waited for something else than a core, since it began; nought where unknown."""
    try:
        running, queued, _ = Path(f"/proc/self/task/{os.getpid()}/schedstat").read_text().split()
    except OSError:
        return 0.0
    return time.monotonic() - (int(running) + int(queued)) / 1e9


class Costs:
    """Adds up what the tests cost; with several workers each measures its own, and the main process adds."""

    def __init__(self) -> None:
        self.mark = (cpu(), asleep())
        self.tests: Counter[str] = Counter()
        self.sleep: Counter[str] = Counter()
        self.elsewhere = 0.0

    def since(self) -> tuple[float, float]:
        """Seconds computed and slept since the last call."""
        before, self.mark = self.mark, (cpu(), asleep())
        return self.mark[0] - before[0], self.mark[1] - before[1]

    def pytest_runtest_logstart(self) -> None:
        """Whatever came before a test, such as collecting, is not its cost."""
        self.elsewhere += self.since()[0]

    def pytest_runtest_makereport(self, item, call) -> None:
        """Setting up, the test itself and tearing down are reported one by one."""
        item.user_properties.append((f"cpu {call.when}", self.since()))

    def pytest_runtest_logreport(self, report) -> None:
        computed, slept = dict(report.user_properties).get(f"cpu {report.when}", (0.0, 0.0))
        self.tests[report.nodeid] += computed
        self.sleep[report.nodeid] += slept

    def pytest_terminal_summary(self, terminalreporter) -> None:
        from algorithms import all_algorithms

        write = terminalreporter.write_line
        files, functions, methods, sleepers = Counter(), Counter(), Counter(), Counter()
        for name, seconds in self.sleep.items():
            sleepers[name.partition("[")[0]] += seconds
        keys = sorted((algorithm.key for algorithm in all_algorithms()), key=len, reverse=True)
        for name, seconds in self.tests.items():
            files[name.partition("::")[0]] += seconds
            functions[name.partition("[")[0]] += seconds
            methods[next((key for key in keys if re.search(rf"(\[|-|/test_){key}(?![a-z])", name)), "any")] += seconds
        tables = {"CPU seconds of the files": files, "CPU seconds of the functions": functions}
        tables |= {"CPU seconds of the methods": methods, "Seconds that the functions slept": sleepers}
        for title, table in tables.items():
            write(f"\n{title}")
            for name, seconds in table.most_common(None if table is methods else SHOWN):
                write(f"{seconds:8.1f}  {name}")
        write(f"\n{sum(self.tests.values()):8.1f}  CPU seconds of all tests, and {self.elsewhere:.1f} around them")
        write(f"{sum(self.sleep.values()):8.1f}  seconds in which their main thread slept")
        if path := os.environ.get("MLVIZ_COST"):
            both = {name: (cost, self.sleep[name]) for name, cost in self.tests.most_common()}
            Path(path).write_text(json.dumps(both, indent=1))


def pytest_configure(config) -> None:
    config.pluginmanager.register(Costs(), "costs")
