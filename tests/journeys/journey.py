"""A user's way through the whole program, run in a process of its own by ``test_journey.py``.

It starts the program as ``mlviz`` does, plays every panel to its end, steps back, scrubs, changes the look and quits.
"""

import sys

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from algorithms import all_algorithms, find
from mlviz import app
from mlviz.data.spec import load_data

PATIENCE_MS = 60_000


def travel(window):
    """The steps of the journey; each ``yield`` gives a condition to wait for."""
    player = window.player
    assert window.document.algorithm == "k_means"
    yield lambda: player.shown is not None and player.position == 0
    for algorithm in all_algorithms():
        window.apply(window.document.with_data(load_data(algorithm.example)).with_algorithm(algorithm.key), "journey")
        key = algorithm.key
        yield lambda key=key: player.algorithm is find(key) and player.steps > 0 and player.shown is not None
        player.set_speed(float("inf"))
        player.set_playing(True)
        yield lambda: not player.running and not player.playing and player.position == player.steps - 1
        assert player.engine.state == "finished", player.engine.reason
        last = player.steps - 1
        player.step(-1)
        assert player.position == max(last - 1, 0)
        player.step_phase(-1)
        player.seek(last // 2)
        yield lambda last=last: player.shown.step == last // 2
        player.jump("start")
        assert player.position == 0
    window.toggle_theme()
    window.toggle_presenter()
    yield lambda: window.presenting
    window.toggle_presenter()
    window.undo()
    window.redo()
    yield lambda: player.shown is not None
    window.set_param(
        window.document.method.fields[0].name, window.document.params[window.document.method.fields[0].name]
    )
    print("arrived")
    window.close()


def start():
    window = next(w for w in QApplication.topLevelWidgets() if w.objectName() == "main_window")
    steps = travel(window)
    state = {"wait": next(steps), "left": PATIENCE_MS}
    timer = QTimer(window, objectName="journey", interval=10)

    def look():
        state["left"] -= 10
        if state["left"] < 0:
            print("the journey got stuck", file=sys.stderr)
            QApplication.exit(3)
        elif state["wait"]():
            try:
                state["wait"], state["left"] = next(steps), PATIENCE_MS
            except StopIteration:
                timer.stop()
                QApplication.quit()

    timer.timeout.connect(look)
    timer.start()


if __name__ == "__main__":
    application = app.application()
    QTimer.singleShot(0, start)
    sys.exit(app.main())
