"""What a source of data gives, as a small picture: the one in hand while its knobs turn, and each in the list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from PySide6.QtCore import QLineF, QPoint, QPointF, QRectF, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QColor, QIcon, QImage, QPainter, QPaintEvent, QPen, QPixmap, QPolygonF
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from algorithms import DataError, ParamError
from algorithms.data import Array, Data, Distances, Graph, GraphSet, Points, Sequences, Strings
from mlviz.data.generators.pictures import is_grey_rows
from mlviz.data.spec import Recipe, find_source
from mlviz.session.projection import PrincipalPlane, Projection
from mlviz.ui.column_table import Index
from mlviz.ui.controls import ComboBox
from mlviz.views.scale import FEW, table_colours, value_colours
from mlviz.views.theme import LIGHT, Theme

MOST, FEWER = 600, 160
"""Points of the preview, and of a picture in the list."""
EXACT = 2_000
"""Up to here the preview shows the very points; of more, a draw of its own that looks the same."""
THUMB = QSize(60, 42)
SERIES, LINE = 4, 11.0
"""How many series are drawn under each other, and the height of a line of text."""
GRAPHS = 4
"""How many graphs of a set are drawn."""
_TURN = np.array([[0.82, -0.2], [0.5, 0.28], [0.0, 0.94]])
"""Three features seen from above and from the side, (3, 2)."""


def flat(points: Points, axes: tuple[int, int] = (0, 1)) -> Array:
    """Places (n, 2) at which a glance understands the points: three features in space, more by their components."""
    if points.d == 3:
        centred = points.X - points.X.mean(axis=0)
        return np.asarray(centred @ _TURN)
    if points.d > 3 and (axes == (0, 1) or points.image_shape is not None):
        return Projection.of(points, PrincipalPlane.of(points)).points(points)
    return Projection.of(points, axes).points(points)


def paint_data(painter: QPainter, area: QRectF, data: Data, axes: tuple[int, int], theme: Theme) -> None:
    """A small picture of the data, where there is one for their kind."""
    if not data.n:
        return
    if isinstance(data, Points) and is_grey_rows(data):
        paint_picture(painter, area, data.X)
    elif isinstance(data, Points):
        paint_points(painter, area, data, axes, theme)
    elif data.kind in PAINTERS:
        PAINTERS[data.kind](painter, area, data, theme)


def paint_picture(painter: QPainter, area: QRectF, grey: Array) -> None:
    """Rows of pixels from 0, black, to 1, white, as large as they fit."""
    pixels = np.ascontiguousarray(np.rint(255.0 * grey).astype(np.uint8))
    height, width = pixels.shape
    scale = min(area.width() / width, area.height() / height)
    at = QRectF(0.0, 0.0, scale * width, scale * height)
    at.moveCenter(area.center())
    painter.drawImage(at, QImage(pixels.data, width, height, width, QImage.Format.Format_Grayscale8))


def paint_graph(painter: QPainter, area: QRectF, graph: Graph, theme: Theme) -> None:
    """Nodes and edges, both axes at one scale."""
    if graph.positions is None or not graph.n:
        return
    span = np.ptp(graph.positions, axis=0)
    scale = min((side / width for side, width in zip((area.width(), area.height()), span) if width > 0), default=0.0)
    middle = (graph.positions.min(axis=0) + graph.positions.max(axis=0)) / 2
    at = (graph.positions - middle) * [scale, -scale] + [area.center().x(), area.center().y()]
    places = [QPointF(*place) for place in at.tolist()]
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(theme.border), 1.0))
    painter.drawLines([QLineF(places[one], places[two]) for one, two in graph.edges[:MOST].tolist()])
    groups = np.zeros(graph.n, dtype=np.int64) if graph.groups is None else graph.groups
    size = float(np.clip(area.height() / 12, 3.0, 7.0)) if graph.n <= 60 else 2.5
    for group in np.unique(groups).tolist():
        colour = theme.accent if graph.groups is None else theme.colour(group)
        painter.setPen(QPen(QColor(colour), size, c=Qt.PenCapStyle.RoundCap))
        painter.drawPoints(QPolygonF([places[node] for node in np.flatnonzero(groups == group).tolist()]))


def paint_distances(painter: QPainter, area: QRectF, distances: Distances, theme: Theme) -> None:
    """The table as a heat map."""
    side = min(area.width(), area.height())
    rows = np.unique(np.linspace(0, distances.n - 1, int(max(side, 2))).astype(np.intp))
    colours = np.ascontiguousarray(table_colours(theme, distances.table[np.ix_(rows, rows)]))
    image = QImage(colours.data, len(rows), len(rows), 3 * len(rows), QImage.Format.Format_RGB888)
    painter.drawImage(QRectF(area.center().x() - side / 2, area.center().y() - side / 2, side, side), image)


def paint_sequences(painter: QPainter, area: QRectF, sequences: Sequences, theme: Theme) -> None:
    """The first few series under each other: symbols as bands of colour, values as lines."""
    shown = sequences.series[:SERIES]
    height = area.height() / len(shown)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, not sequences.is_discrete)
    for number, series in enumerate(shown):
        row = QRectF(area.left(), area.top() + number * height, area.width(), height).adjusted(0, 1, 0, -1)
        width = row.width() / len(series)
        if sequences.is_discrete:
            for time, symbol in enumerate(series.tolist()):
                band = QRectF(row.left() + time * width, row.top(), max(width, 1.0), row.height())
                painter.fillRect(band, QColor(theme.colour(symbol)))
            continue
        low, span = float(series.min()), float(np.ptp(series)) or 1.0
        for column, values in enumerate(series.T):
            heights = (row.bottom() - (values - low) / span * row.height()).tolist()
            painter.setPen(QPen(QColor(theme.colour(column)), 1.5))
            painter.drawPolyline(QPolygonF([QPointF(row.left() + t * width, at) for t, at in enumerate(heights)]))


def paint_strings(painter: QPainter, area: QRectF, strings: Strings, theme: Theme) -> None:
    """The first texts, each in the colour of its class."""
    lines = max(int(area.height() / LINE), 1)
    font = painter.font()
    font.setPixelSize(round(LINE * 0.8))
    painter.setFont(font)
    for number, text in enumerate(strings.texts[:lines]):
        painter.setPen(QColor(theme.text if strings.y is None else theme.colour(int(strings.y[number]))))
        row = QRectF(area.left(), area.top() + number * LINE, area.width(), LINE)
        painter.drawText(row, Qt.AlignmentFlag.AlignVCenter, text[:200])


def paint_graphs(painter: QPainter, area: QRectF, graphs: GraphSet, theme: Theme) -> None:
    """The first few graphs in a square."""
    for number, graph in enumerate(graphs.graphs[:GRAPHS]):
        part = QRectF(area.left(), area.top(), area.width() / 2, area.height() / 2)
        part.translate((number % 2) * part.width(), (number // 2) * part.height())
        paint_graph(painter, part.adjusted(3, 3, -3, -3), graph, theme)


PAINTERS: dict[str, Callable[[QPainter, QRectF, Any, Theme], None]] = {
    "graph": paint_graph,
    "distances": paint_distances,
    "sequences": paint_sequences,
    "strings": paint_strings,
    "graph_set": paint_graphs,
}
"""How data of the other kinds look in a small rectangle."""


def paint_points(painter: QPainter, area: QRectF, points: Points, axes: tuple[int, int], theme: Theme) -> None:
    """The points in a rectangle, both axes stretched to fit; a few colours, one call for each."""
    rows = np.arange(points.n)
    if points.n > MOST:
        rows = np.random.default_rng(0).choice(points.n, MOST, replace=False)
    if points.n > EXACT:  # components of all of them would take longer than the picture
        points, rows = points.with_rows(points.X[rows], None if points.y is None else points.y[rows]), np.arange(MOST)
    at = flat(points, axes)[rows]
    low, span = at.min(axis=0), np.ptp(at, axis=0)
    fraction = (at - low) / np.where(span > 0, span, 1.0) + np.where(span > 0, 0.0, 0.5)
    x, y = area.left() + fraction[:, 0] * area.width(), area.bottom() - fraction[:, 1] * area.height()
    size = float(np.clip(area.height() / 20, 2.0, 6.0))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    groups, colours = _colours(points, rows, theme)
    for group in np.unique(groups).tolist():
        pen = QPen(colours[group], size)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        painter.setPen(pen)
        chosen = groups == group
        painter.drawPoints(QPolygonF([QPointF(*place) for place in zip(x[chosen].tolist(), y[chosen].tolist())]))


def _colours(points: Points, rows: Array, theme: Theme) -> tuple[Array, dict[int, QColor]]:
    """The group of each point and the colour of each group: by class, by value, or one for all."""
    if points.is_labelled and points.y is not None:
        groups = points.y[rows]
        return groups, {group: QColor(theme.colour(group)) for group in range(len(points.classes))}
    if points.is_valued and points.d > 1 and points.y is not None:
        low, span = points.y.min(), np.ptp(points.y)
        groups = np.rint(FEW * (points.y[rows] - low) / (span if span > 0 else 1.0)).astype(np.intp)
        rgb = value_colours(theme, np.arange(FEW + 1) / FEW).tolist()
        return groups, {group: QColor(*rgb[group]) for group in range(FEW + 1)}
    return np.zeros(len(rows), dtype=np.intp), {0: QColor(theme.accent)}


def at_most(recipe: Recipe, exact: int, otherwise: int) -> Recipe:
    """The recipe itself up to so many items, else one of a few that look the same: nobody waits for a preview."""
    source = find_source(recipe.name)
    most = {"points": (exact, otherwise), "graph_set": (GRAPHS, GRAPHS)}.get(source.kind)
    n = recipe.values.get("n", next((field.default for field in source.fields if field.name == "n"), 0))
    if most is None or n <= min(most[0], getattr(source, "quick", n) // 4):
        return recipe
    return Recipe(recipe.name, {**recipe.values, "n": min(n, most[1])})


class DataPreview(QWidget):
    """The picture of the data in hand, or for a while that of a recipe that is looked at.

    The data of a recipe are made when it is painted, so that nobody waits for what nobody sees.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("data_preview")
        self.setAccessibleName("Preview of the data")
        self._theme = LIGHT
        self._data: Data | None = None
        self._axes = (0, 1)
        self._recipe: Recipe | None = None
        self._made: Data | None = None
        self.set_theme(LIGHT)

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        self._theme = theme
        self.setFixedSize(round(theme.font * 12), round(theme.font * 8.4))
        self.update()

    def set_data(self, data: Data, axes: tuple[int, int]) -> None:
        """Show these data, along these features where they are points."""
        self._data, self._axes = data, axes
        self.look_at(None)
        self.update()

    def look_at(self, recipe: Recipe | None) -> None:
        """Show what this gives; None for the data in hand again."""
        if recipe != self._recipe:
            self._recipe, self._made = recipe, None
            self.update()

    @property
    def data(self) -> Data | None:
        """The data on show; None while the recipe is one that gives none."""
        if self._recipe is None:
            return self._data
        if self._made is None:
            try:
                self._made = at_most(self._recipe, EXACT, MOST).make()
            except (DataError, ParamError):
                return None
        return self._made

    def paintEvent(self, event: QPaintEvent) -> None:
        """A framed picture."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QColor(self._theme.border))
        painter.setBrush(QColor(self._theme.plot))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)
        made = self.data
        if made is not None:
            area = QRectF(self.rect()).adjusted(9, 9, -9, -9)
            axes = self._axes if self._recipe is None else self._recipe.axes
            paint_data(painter, area, made, axes, self._theme)
        painter.end()


def thumbnail(name: str, theme: Theme, ratio: float = 2.0) -> QIcon:
    """The picture of a generator or a built-in set with its usual settings."""
    recipe = at_most(Recipe(name, {}), FEWER, FEWER)
    pixmap = QPixmap(THUMB * ratio)
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(QColor(theme.plot))
    painter = QPainter(pixmap)
    area = QRectF(0, 0, THUMB.width(), THUMB.height()).adjusted(5, 5, -5, -5)
    paint_data(painter, area, recipe.make(), recipe.axes, theme)
    painter.end()
    return QIcon(pixmap)


class _Rows(QStyledItemDelegate):
    """A row with its picture; between the groups a line with the name of the next."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        if _is_line(index):
            return QSize(1, option.fontMetrics.height() + 8)
        hint = super().sizeHint(option, index)
        return QSize(hint.width(), max(hint.height(), THUMB.height() + 6))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        if not _is_line(index):
            super().paint(painter, option, index)
            return
        text = str(index.data() or "")
        area = option.rect.adjusted(6, 0, -6, 0)
        painter.setPen(option.palette.mid().color())
        start = area.left() + (option.fontMetrics.horizontalAdvance(text) + 6 if text else 0)
        painter.drawLine(start, area.center().y(), area.right(), area.center().y())
        painter.setPen(option.palette.placeholderText().color())
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)


def _is_line(index: Index) -> bool:
    return bool(index.data(Qt.ItemDataRole.AccessibleDescriptionRole) == "separator")


class SourceChooser(ComboBox):
    """The list of generators and built-in sets with a picture of each; the one under the mouse is previewed."""

    looked_at = Signal(str)
    """The name of a source that is pointed at in the open list; empty when the list has closed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMaxVisibleItems(12)
        self._theme = LIGHT
        self._drawn_in: Theme | None = None
        self._undrawn: list[int] = []
        self._timer = QTimer(self, objectName="source_pictures", interval=0)
        self._timer.timeout.connect(self._draw_next)
        self.highlighted.connect(self._highlighted)

    def set_theme(self, theme: Theme) -> None:
        """Colours from now on."""
        self._theme = theme

    def showPopup(self) -> None:
        """Draw the pictures the first time they are to be seen in this look, one in each turn of the event loop."""
        if self._drawn_in is None:
            self.setItemDelegate(
                _Rows(self)
            )  # not sooner: it would be asked for the size of every row of a closed list
        if self._drawn_in is not self._theme:
            self._drawn_in = self._theme
            self._undrawn = [row for row in range(self.count()) if self.itemData(row)]
            blank = QPixmap(THUMB)
            blank.fill(Qt.GlobalColor.transparent)
            for row in self._undrawn:
                if self.itemIcon(row).isNull():
                    self.setItemIcon(row, QIcon(blank))  # the words stay where they are when the picture comes
            self.view().setIconSize(THUMB)
            self._timer.start()
        super().showPopup()

    def hidePopup(self) -> None:
        """Back to the source that is chosen."""
        super().hidePopup()
        self.looked_at.emit("")

    @Slot()
    def _draw_next(self) -> None:
        """Draw the picture of the row that is nearest to what is in view."""
        if not self._undrawn:
            self._timer.stop()
            return
        top = self.view().indexAt(QPoint(4, 4)).row()
        row = next((row for row in self._undrawn if row >= top), self._undrawn[0])
        self._undrawn.remove(row)
        self.setItemIcon(row, thumbnail(self.itemData(row), self._theme))

    def _highlighted(self, row: int) -> None:
        self.looked_at.emit(self.itemData(row) or "")
