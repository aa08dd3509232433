"""Methods that fit many others: how far they are, the setting that is pointed at, and points that were kept aside.

A setting that is clicked becomes the parameters of its own method, which opens with them. That the points kept aside
were looked at belongs to the session, not to the document: no Undo takes it back.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Slot

from algorithms import DataError
from algorithms.contract import AnySnapshot
from algorithms.method_choice import Method, parse_method
from algorithms.params import ParamError, as_dict
from algorithms.records import dataclass
from mlviz.session.document import Document
from mlviz.ui.run_progress import RunProgress
from mlviz.ui.what_happens import Offer
from mlviz.worker.workplace import WORKPLACE

if TYPE_CHECKING:
    from mlviz.ui.window import MainWindow

MOST_OPENED = 200
"""Data sets of which it is remembered that their test points were looked at."""
OPEN_METHOD, OPEN_LOCK = "open method", "open lock"
KEY_LENGTH = 16


@dataclass(frozen=True, slots=True)
class Setting:
    """A method with its parameters, some of which were varied."""

    method: Method
    varied: tuple[str, ...]

    @property
    def title(self) -> str:
        """The name of the method."""
        return self.method.algorithm.title

    @property
    def words(self) -> str:
        """What was varied, and whatever else differs from its default: ``C = 10, sigma = 0.5``."""
        fields, values = self.method.algorithm.fields, as_dict(self.method.params)
        named = [field.name for field in fields if field.name in self.varied or values[field.name] != field.default]
        return ", ".join(f"{name} = {values[name]}" for name in named)

    def kept_in(self, document: Document) -> Document:
        """The document, in which the method will have these parameters when it is chosen."""
        return document.with_memory(self.method.algorithm.key, as_dict(self.method.params))


class TrialsController(QObject):
    """What the window does with a method that has :class:`Trials`."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.progress = RunProgress()
        self.progress.cancelled.connect(self.cancel)
        self._opened: dict[str, str] = {}
        """When the test points of a data set were first looked at; the keys say nothing about what the data are."""
        self._seen: tuple[object, str] = (None, "")
        """The latest run that has shown what the test points say, and what is to be said about that."""
        self._news: tuple[object, str] = (None, "")
        """What has become of the cluster, and in which run."""

    # -- how far it is -------------------------------------------------------------------------------------------

    def poll(self) -> None:
        """Say how far the run is, while it goes on, and what has become of a cluster."""
        player = self._window.player
        engine = player.engine
        if news := WORKPLACE.news():
            self._news = engine, news
            self._window.statusBar().showMessage(news, 15_000)
        trials = None if engine is None else engine.algorithm.trials
        if engine is None or trials is None or not player.running or not player.steps:
            self.progress.forget()
            return
        done, total = trials.progress(engine.timeline.frame(player.steps - 1).snapshot.model)
        if done < total:
            self.progress.show_run(engine, done, total, self._window.ticker.clock())
        else:
            self.progress.forget()

    @Slot()
    def cancel(self) -> None:
        """Stop computing; what has been found stays."""
        player = self._window.player
        if player.engine is not None:
            player.engine.cancel()
            player.set_playing(False)
        self.progress.forget()

    # -- the setting that is pointed at --------------------------------------------------------------------------

    def setting(self, document: Document, model: Any = None) -> Setting | None:
        """The method and its parameters that a document points at, or else those of the model on show."""
        trials = document.method.trials
        if trials is None or trials.setting is None:
            return None
        try:
            found = trials.setting(document.make_params(), model)
            return None if found is None else Setting(parse_method(found[0]), found[1])
        except (DataError, ParamError):
            return None

    def pointing(self, document: Document, name: str) -> Document:
        """The document after its parameter ``name`` was dragged or clicked: a method keeps what was pointed at."""
        trials = document.method.trials
        meant = self.setting(document) if trials is not None and name == trials.handle else None
        return document if meant is None else meant.kept_in(document)

    def say_setting(self, name: str) -> None:
        """In one line, after a drag or a click: whose parameters have been set, and what to do with that."""
        trials, meant = self._window.document.method.trials, self.setting(self._window.document)
        if trials is not None and name == trials.handle and meant is not None:
            text = f"{meant.title} has {meant.words} from now on. A double click opens it; Undo takes it back."
            self._window.statusBar().showMessage(text, 10_000)

    @Slot()
    def open_setting(self) -> None:
        """Go to the method whose setting is looked at, with its parameters; can be undone like any choice."""
        window = self._window
        meant, title = self._on_show(), window.document.method.title
        if meant is None:
            window.statusBar().showMessage(f"{title} points at no setting of a method.", 6000)
            return
        window.go_on_with(meant.kept_in(window.document), meant.method.algorithm.key)
        window.statusBar().showMessage(f"{meant.title} with {meant.words}; Undo goes back to {title}.", 10_000)

    def _on_show(self) -> Setting | None:
        """What was clicked, or else the setting of the model on show."""
        document, shown = self._window.document, self._window.player.frame_of(self._window.document)
        return self.setting(document, None if shown is None else shown.snapshot.model)

    # -- the points that are kept aside --------------------------------------------------------------------------

    @property
    def opened(self) -> dict[str, str]:
        """What is kept in a session about test points that were looked at."""
        return dict(self._opened)

    def recall(self, kept: Any) -> None:
        """What another session knows about them, too."""
        pairs = kept.items() if isinstance(kept, dict) else ()
        for key, when in list(pairs)[:MOST_OPENED]:
            if isinstance(key, str) and isinstance(when, str) and len(key) == KEY_LENGTH and len(when) <= 40:
                self._opened.setdefault(key, when)

    def further_warning(self, snapshot: AnySnapshot) -> str:
        """What is to be said besides: that a cluster is not there, and that test points were asked before this run."""
        engine = self._window.player.engine
        trials = None if engine is None else engine.algorithm.trials
        if trials is None:
            return ""
        news = self._news[1] if self._news[0] is engine else ""
        return " ".join(filter(None, (news, self._asked_before(engine) if trials.opened(snapshot.model) else "")))

    def _asked_before(self, engine: object) -> str:
        """A sentence where the test points of the data were asked before this run; from now on they have been."""
        if self._seen[0] is not engine:
            keys = self._keys()
            before = next((self._opened[key] for key in keys if key in self._opened), "")
            for key in keys:
                self._opened.setdefault(key, before or f"{datetime.now():%d %B %Y, %H:%M}")
            while len(self._opened) > MOST_OPENED:
                del self._opened[next(iter(self._opened))]
            said = f"The test points of these data were opened before ({before}): this is no last word any more."
            self._seen = engine, said if before else ""
        return self._seen[1]

    def _keys(self) -> list[str]:
        """What these data are known by: as they came, and as they are."""
        found = {self._window.given.sha256[:KEY_LENGTH], self._window.document.data.sha256[:KEY_LENGTH]}
        return sorted(found)

    @Slot()
    def open_lock(self) -> None:
        """Have the points that were kept aside say what they say."""
        trials = self._window.document.method.trials
        if trials is not None:
            self._window.set_param(trials.lock, "open")

    # -- what is offered below the pseudo-code -------------------------------------------------------------------

    def offers(self, snapshot: AnySnapshot) -> tuple[Offer, ...]:
        """What can be done with the frame on show, each as a link."""
        document = self._window.document
        trials = document.method.trials
        if trials is None or not self._window.player.runs(document):
            return ()
        found, meant = [], self._on_show()
        if meant is not None:
            found.append(Offer(OPEN_METHOD, f"Open {meant.title} with {meant.words}", "Or double-click a cell"))
        done, total = trials.progress(snapshot.model)
        if document.params.get(trials.lock) == "locked" and done == total:
            again = any(key in self._opened for key in self._keys())
            text = "Open the test points once more" if again else "Open the test points: only this once"
            found.append(Offer(OPEN_LOCK, text, "What the points that were kept aside say of the choice"))
        return tuple(found)

    @Slot(str)
    def take(self, name: str) -> None:
        """An offer was taken."""
        if name == OPEN_METHOD:
            self.open_setting()
        elif name == OPEN_LOCK:
            self.open_lock()
