"""A picture of pairs of features beside the list that chooses them."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QListWidgetItem, QWidget

from mlviz.data.exploring import Exploration
from mlviz.ui.explore_plots import Picture
from mlviz.views.theme import SPACING, Theme

CHECKED, UNCHECKED = Qt.CheckState.Checked, Qt.CheckState.Unchecked


class PicturePage(QWidget):
    """The picture; with more features than it can show, also the list of all of them."""

    changed = Signal()
    """Other features are on show."""

    def __init__(self, picture: Picture, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(f"{picture.objectName()}_page")
        self.picture = picture
        self.features = QListWidget(objectName=f"{picture.objectName()}_features")
        self.features.setAccessibleName("Features on show")
        self.features.setToolTip("Tick the features to look at")
        self.features.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.features.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.features.itemChanged.connect(self._ticked)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, SPACING, 0, 0)
        row.setSpacing(SPACING)
        row.addWidget(self.features)
        row.addWidget(picture, stretch=1)

    def set_exploration(self, seen: Exploration | None, theme: Theme) -> None:
        """Show another data set."""
        self.picture.set_exploration(seen, theme)
        names = () if seen is None else seen.points.features
        self.features.setVisible(len(names) > self.picture.limit)
        self.features.setFixedWidth(min(round(theme.font * 17), 240))
        if tuple(self.features.item(row).text() for row in range(self.features.count())) != names:
            self.features.blockSignals(True)  # the flags of a new item count as a change
            self.features.clear()
            for name in names if len(names) > self.picture.limit else ():
                item = QListWidgetItem(name, self.features)
                item.setFlags(
                    Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsUserCheckable | Qt.ItemFlag.ItemIsSelectable
                )
        self._show_ticks()

    @property
    def note(self) -> str:
        """What is not on show, as a sentence; empty when everything is."""
        seen = self.picture.seen
        if seen is None or self.picture.shown == seen.points.d:
            return ""
        most = f"; at most {self.picture.limit} fit" if self.picture.shown == self.picture.limit else ""
        return f"{self.picture.shown} of {seen.points.d:,} features are shown{most}. Tick others in the list. "

    def _show_ticks(self) -> None:
        chosen = set(self.picture.numbers)
        self.features.blockSignals(True)
        for row in range(self.features.count()):
            self.features.item(row).setCheckState(CHECKED if row in chosen else UNCHECKED)
        self.features.blockSignals(False)

    @Slot(QListWidgetItem)
    def _ticked(self, item: QListWidgetItem) -> None:
        """One feature more or less; one too many takes the place of the last one that was on show."""
        row, numbers = self.features.row(item), list(self.picture.numbers)
        if item.checkState() == UNCHECKED:
            numbers = [number for number in numbers if number != row]
        elif row not in numbers:
            numbers = [*numbers[: self.picture.limit - 1], row]
        if len(numbers) >= 2:
            self.picture.choose(tuple(sorted(numbers)))
        self._show_ticks()
        self.changed.emit()
