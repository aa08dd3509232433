"""A user's way through the whole program, run in a process of its own by ``test_journey.py``.

It starts the program as ``mlviz`` does, plays a method for every kind of data to its end, steps back, scrubs, changes
the look and quits. Every method has a journey in ``test_methods.py``.
"""

import os
import sys
import traceback

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from algorithms import all_algorithms, find
from mlviz import app
from mlviz.data.spec import example_of

PATIENCE_MS = 240_000


def travel(window):
    """The steps of the journey; each ``yield`` gives a condition to wait for."""
    player = window.player
    assert window.document.algorithm == "k_means"
    yield lambda: player.shown is not None and player.position == 0
    for algorithm in {algorithm.data_kinds[0]: algorithm for algorithm in all_algorithms()}.values():
        window.apply(window.document.with_data(example_of(algorithm), algorithm.key), "journey")
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
    """Begin the journey once the window is there; look every few milliseconds whether the next step can be taken."""
    window = next(w for w in QApplication.topLevelWidgets() if w.objectName() == "main_window")
    steps = travel(window)
    state = {"wait": lambda: True, "left": PATIENCE_MS}
    timer = QTimer(window, objectName="journey", interval=10)

    def look():
        state["left"] -= 10
        if state["left"] < 0:
            give_up("the journey got stuck")
        elif state["wait"]():
            try:
                state["wait"], state["left"] = next(steps), PATIENCE_MS
            except StopIteration:
                timer.stop()
                QApplication.quit()
            except Exception:
                give_up(traceback.format_exc())

    timer.timeout.connect(look)
    timer.start()


def give_up(why):
    """End the process at once: a dialog would wait for somebody to close it."""
    print(why, file=sys.stderr, flush=True)
    os._exit(3)


if __name__ == "__main__":
    application = app.application()
    QTimer.singleShot(0, start)
    sys.exit(app.main())
