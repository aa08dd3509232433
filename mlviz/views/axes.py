"""An axis that writes as many numbers as there is room for, in the way they are written on a blackboard."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QSizeF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPaintEngine, QPainter, QPixmap, QTransform

from mlviz.views.fitting_text import elided
from mlviz.views.plain_text import markup
from mlviz.views.theme import Theme

LARGE_LETTERS = 14.0
"""From this font size on only the round numbers are written below a plot."""

_DIGITS = ((1.0, 2.0, 5.0), (1.0, 3.0), (1.0,))
"""Which numbers of a decade are written, the fullest choice first."""
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
LARGE, SMALL = 1e6, 1e-3
"""From and below these sizes numbers are written with a power of ten."""
NAME_GAP, NAME_HEIGHT = 0.25, 26.0
"""The room that the name of an upright axis needs in addition, for each pixel that it is higher than usual."""
SMALLEST = 0.7
"""How far the letters of an axis' name may shrink; for a projector they do not, and the name is cut instead."""
SIMILAR = 0.8
FEW_LETTERS = 9
"""So many letters of a name below two bars or more are left at least, before names are left out."""
FEW = 3
"""With fewer numbers than this from 1, 2, 5 a logarithmic axis divides its range evenly instead."""
APART = 8.0
"""Pixels between two numbers of an axis at least; below a plot a digit's width where that is more."""
STRIDES = (1, 2, 5, 10, 20, 50, 100)
"""Every so manieth number is written where all of them are too near each other."""
LAST_DECADE = 308.0
"""There are no numbers beyond ten to this power."""
Ticks = list[tuple[float | None, list[float]]]


class RoomyAxis(pg.AxisItem):
    """Linear axes are pyqtgraph's where they have room; logarithmic ones show 1, 2, 5 or 1, 3 or powers of ten.

    An axis of bars shows names at 0, 1, 2 ... instead, as many as do not lie over each other.
    """

    _names: tuple[str, ...] = ()
    _room: float = math.inf  # that a name has, in pixels
    _painted: tuple[Any, ...] = ()
    _stamp: QPixmap | None = None
    _named = _page = ""
    _outgrown = (0.0, 0.0)  # from one span of the range to another
    _shrunk = 0.0
    dressing = False
    """While several things about its look change its name waits for the last of them."""
    shrinks = True
    """Whether its name may be written in smaller letters."""

    def set_names(self, names: tuple[str, ...]) -> None:
        """Write these at 0, 1, 2 ...; nothing: numbers again."""
        if names != self._names:
            self._names = names
            self.picture = None
            self.update()

    def paint(self, painter: QPainter, option: Any, widget: Any) -> None:
        """Paint it, and stamp a picture of it where it is painted again: words take as long as a thousand points."""
        screen = painter.paintEngine().type() == QPaintEngine.Type.Raster
        ratio = painter.deviceTransform().m11() / painter.transform().m11()  # also where a widget paints elsewhere
        now = (self.picture, painter.transform(), ratio)
        whole = screen and ratio.is_integer()  # a stamp between two pixels would be blurred
        if not whole or self.picture is None or now != self._painted:
            super().paint(painter, option, widget)
            self._painted, self._stamp = (self.picture, *now[1:]), None
            return
        place = painter.transform().mapRect(self.boundingRect()).toAlignedRect().adjusted(-1, -1, 1, 1)
        if self._stamp is None:
            self._stamp = QPixmap((QSizeF(place.size()) * ratio).toSize())
            self._stamp.setDevicePixelRatio(ratio)
            self._stamp.fill(Qt.GlobalColor.transparent)
            inside = QPainter(self._stamp)
            inside.setTransform(painter.transform() * QTransform.fromTranslate(-place.x(), -place.y()))
            self.picture.play(inside)
            inside.end()
        painter.resetTransform()
        painter.drawPixmap(place.topLeft(), self._stamp)

    def labelString(self) -> str:
        """The page that shows the name: pyqtgraph would take the name itself for one. Nobody here uses its units."""
        style = ";".join(f"{key}: {value}" for key, value in self.labelStyle.items())
        return f"<span style='{style}'>{markup(self._cut_name())} </span>"

    def _updateLabel(self) -> None:
        """Write the name where it is another one, or in another look: pyqtgraph has it written after any change."""
        page = self._page if self.dressing else self.labelString()
        if page != self._page:
            self._page = page
            super()._updateLabel()
        else:
            self.picture = None
            self.update()

    def _cut_name(self) -> str:
        """The name, or as much of it as can be written along the axis."""
        size = str(self.labelStyle.get("font-size", "")).removesuffix("pt")
        length = self.size().height() if self.orientation == "left" else self.size().width()
        if not size or length < 1.0:
            return str(self.labelText)
        font = QFont()
        font.setPointSizeF(float(size))
        room = length / (SMALLEST if self.shrinks and self.orientation == "left" else 1.0)
        return elided(str(self.labelText), QFontMetricsF(font), room)

    def resizeEvent(self, event: object = None) -> None:
        """Put the name of an upright axis in the middle, in smaller letters where it is longer than the axis."""
        label = getattr(self, "label", None)
        if label is not None and self._cut_name() != self._named:
            self._named, self._page = self._cut_name(), self.labelString()
            label.setHtml(self._page)
        super().resizeEvent(event)
        if label is not None and self.orientation == "left":
            length = label.boundingRect().width()
            scale = min(max(self.size().height() / max(length, 1.0), SMALLEST if self.shrinks else 1.0), 1.0)
            label.setScale(scale)
            label.setPos(label.pos().x(), int(self.size().height() / 2 + length * scale / 2))

    def _updateMaxTextSize(self, size: float) -> None:
        """The room for the numbers; one that was too small for a range is too small for a similar one.

        A wider axis leaves less room for the plot, which then shows another range with shorter numbers, for which the
        axis would be narrower again, and so on for ever. In a narrow plot these two ranges are not similar: the one at
        which it became narrower and at once wider again counts, too.
        """
        if self.orientation == "left":
            span = abs(self.range[1] - self.range[0])
            if size > self.textWidth:
                self._outgrown = min(span, self._shrunk or span), max(span, self._shrunk)
            elif size < self.textWidth:
                if SIMILAR * self._outgrown[0] < span < self._outgrown[1] / SIMILAR:
                    return
                self._shrunk = span
        super()._updateMaxTextSize(size)

    def _updateWidth(self) -> None:
        """As wide as the numbers and the name: pyqtgraph lets a name in large letters touch the numbers."""
        super()._updateWidth()
        if self.orientation == "left" and self.isVisible() and self.label.isVisible() and self.fixedWidth is None:
            width = self.minimumWidth() + NAME_GAP * max(self.label.boundingRect().height() - NAME_HEIGHT, 0.0)
            self.setMaximumWidth(width)
            self.setMinimumWidth(width)

    def generateDrawSpecs(self, p: object) -> tuple[Any, ...] | None:
        """What to draw; without a number that would be cut by the upper edge of the plot."""
        specs = super().generateDrawSpecs(p)
        if specs is None or self.orientation != "left":
            return specs
        line, ticks, texts = specs
        top = self.mapRectFromParent(self.geometry()).top() - self._margin()
        return line, ticks, [text for text in texts if text[0].top() >= top]

    def _margin(self) -> float:
        """How far the box around a number may stand over the edge with every digit still whole."""
        metrics = self._metrics()
        return 1.0 + metrics.ascent() - metrics.capHeight()

    def tickValues(self, low: float, high: float, size: float) -> Ticks:
        """Where to write: at the usual numbers, or at every bar, second bar ... that has a name."""
        if not self._names:
            pixels = (size - 2.0) / max(abs(high - low), 1e-300)  # pyqtgraph counts a pixel on either side as well
            return self._readable(super().tickValues(low, high, size), pixels)
        metrics = self._metrics()
        widest = max(metrics.horizontalAdvance(name) for name in self._names) + max(metrics.averageCharWidth(), APART)
        named = [place for place, name in enumerate(self._names) if name]
        apart = min((after - before for before, after in itertools.pairwise(named)), default=1)
        room = apart * max(size, 1.0) / max(high - low, 1e-9)
        least = FEW_LETTERS * metrics.averageCharWidth()
        # bars side by side that share a name would lose most of their names: shorter ones say more
        shorter = apart > 1 and widest > room
        step = max(1, math.ceil((min(widest, max(room, least)) if shorter else widest) / room))
        self._room = max(room, least) if shorter else math.inf
        return [(1.0, [float(place) for place in named[::step]])]

    def _metrics(self) -> QFontMetricsF:
        """Of the letters of the numbers."""
        return QFontMetricsF(self.style["tickFont"] or self.font())

    def _readable(self, levels: Ticks, pixels: float) -> Ticks:
        """The same ticks, those whose numbers would come too near to others without a number.

        Of the first level every second number is left, or every fifth ...; a further level is written as a whole or
        not at all. ``pixels`` is the length of one unit.
        """
        if not levels:
            return levels
        (spacing, values), *further = self._in_twos(levels, pixels)
        first = spacing or 1.0
        for stride in STRIDES:
            kept = values[::stride] if self.logMode else _multiples(values, first, stride)
            wider = first if self.logMode else first * stride
            written = self._extents(wider, kept, pixels)
            if self._are_apart(written):
                break
        ticks: Ticks = [(wider, kept), (None, [value for value in values if value not in kept])]
        for spacing, values in further:
            both = [*written, *self._extents(spacing, values, pixels)]
            if spacing is not None and stride == 1 and self._are_apart(both):
                written = both
                ticks.append((spacing, values))
            else:
                ticks.append((None, values))
        return [level for level in ticks if level[1]] or ticks[:1]

    def _in_twos(self, levels: Ticks, pixels: float) -> Ticks:
        """Numbers at -4, -2, 0 ... rather than at -5, 0, 5, where there is no room for all of -5, -4, -3 ..."""
        if self.logMode or len(levels) < 2 or self.style["maxTextLevel"] < 1:
            return levels
        (wide, values), (fine, between) = levels[:2]
        if wide is None or fine is None or not math.isclose(wide, 5.0 * fine):
            return levels
        every = sorted([*values, *between])
        twos = _multiples(every, fine, 2)
        if self._are_apart(self._extents(fine, every, pixels)) or not self._are_apart(
            self._extents(2.0 * fine, twos, pixels)
        ):
            return levels
        return [(2.0 * fine, twos), (None, [value for value in every if value not in twos]), *levels[2:]]

    def _extents(self, spacing: float | None, values: list[float], pixels: float) -> list[tuple[float, float]]:
        """Middle and size, in pixels, of the numbers of one level along the axis."""
        metrics = self._metrics()
        if self.orientation in ("left", "right"):
            return [(value * pixels, metrics.capHeight()) for value in values]
        texts = [] if spacing is None else self.tickStrings(values, self.scale, spacing)
        return [(value * pixels, metrics.horizontalAdvance(text)) for value, text in zip(values, texts)]

    def _are_apart(self, extents: list[tuple[float, float]]) -> bool:
        """Whether numbers with these middles and sizes can be told from each other."""
        upright = self.orientation in ("left", "right")
        least = APART if upright else max(APART, self._metrics().horizontalAdvance("0"))
        pairs = itertools.pairwise(sorted(extents))
        return all(after[0] - before[0] - (after[1] + before[1]) / 2 >= least for before, after in pairs)

    def tickSpacing(self, low: float, high: float, size: float) -> list[tuple[float, float]]:
        """The usual spacings; on an upright axis no first one whose numbers would lie over each other."""
        spacings: list[tuple[float, float]] = super().tickSpacing(low, high, size)
        if self.orientation in ("left", "right") and spacings:
            most = self._most(size)
            while (high - low) / spacings[0][0] > most + 1:
                spacings = [(2.0 * spacings[0][0], 0.0)]
        return spacings

    def tickStrings(self, values: list[float], scale: float, spacing: float | None) -> list[str]:
        """The numbers, none at the small ticks; very large and very small ones share one power of ten."""
        if spacing is None:
            return []
        if self._names:
            names, metrics = [self._names[int(value)] for value in values], self._metrics()
            room = self._room - metrics.averageCharWidth()
            return names if math.isinf(room) else [elided(name, metrics, room) for name in names]
        if self.logMode:
            return self.logTickStrings(values, scale, spacing)
        most = max((abs(value * scale) for value in values), default=0.0)
        if SMALL <= most < LARGE or most == 0.0:
            strings: list[str] = super().tickStrings(values, scale, spacing)
            return strings
        power = math.floor(math.log10(most) + 1e-9)
        places = max(0, math.ceil(-math.log10(spacing * scale / 10.0**power) - 1e-9))
        return [_with_power(value * scale / 10.0**power, power, places) for value in values]

    def logTickValues(self, low: float, high: float, size: float, stdTicks: object) -> Ticks:
        """The written ticks, then the small ones between them."""
        most = self._most(size)
        low, high = max(low, -LAST_DECADE), min(high, LAST_DECADE)
        if not low < high:  # all of it is beyond the numbers that have all their digits
            return []
        decades = np.arange(np.floor(low), np.ceil(high) + 1)
        for digits in _DIGITS:
            values = _inside(decades, digits, low, high)
            if len(values) <= most:
                break
        else:
            values = values[:: -(-len(values) // most)]
        if len(values) < min(FEW, most) and high - low < 1.0:
            values = _evenly(low, high, most)
        small = _inside(decades, tuple(range(1, 10)), low, high) if high - low <= 4 else []
        return [(1.0, values), (None, [value for value in small if value not in values])]

    def logTickStrings(self, values: list[float], scale: float, spacing: float | None) -> list[str]:
        """The numbers; none at the small ticks."""
        return [] if spacing is None else [_written(scale * 10.0**value) for value in values]

    def _most(self, size: float) -> int:
        """How many numbers have room."""
        metrics = self._metrics()
        each = 1.7 * metrics.height() if self.orientation in ("left", "right") else metrics.horizontalAdvance("5·10⁻⁵⁵")
        return max(int(size / each), 2)


class StepAxis(RoomyAxis):
    """Steps, degrees and the like are whole numbers, so nothing is written between them."""

    def tickSpacing(self, low: float, high: float, size: float) -> list[tuple[float, float]]:
        """The usual spacings, but none below one step."""
        spacings = [pair for pair in super().tickSpacing(low, high, size) if pair[0] >= 1]
        return spacings or [(1.0, 0.0)]


def _multiples(values: list[float], spacing: float, stride: int) -> list[float]:
    """Those at 0, ``stride``, twice ``stride`` ... spacings; the first of them where there are none."""
    return [value for value in values if round(value / spacing) % stride == 0] or values[:1]


def _inside(decades: np.ndarray, digits: tuple[float, ...], low: float, high: float) -> list[float]:
    places = (decades[:, None] + np.log10(digits)).ravel()
    return [float(place) for place in places if low <= place <= high]


def _evenly(low: float, high: float, most: int) -> list[float]:
    """Round numbers at equal distances between two powers of ten, as exponents."""
    least, greatest = 10.0**low, 10.0**high
    if not least < greatest:
        return []
    size = 10.0 ** math.floor(math.log10((greatest - least) / most))
    step = next(size * digit for digit in (1.0, 2.0, 5.0, 10.0) if (greatest - least) / (size * digit) <= most)
    numbers = step * np.arange(math.ceil(least / step), math.floor(greatest / step) + 1)
    return [float(place) for place in np.log10(numbers)]


def _written(number: float) -> str:
    """A single number: 250, 0.5, 10⁸, 2·10⁻⁷."""
    if 0.5 * SMALL < abs(number) < 0.999 * 1e4:
        return f"{number:.4g}"
    mantissa, power = f"{number:.2e}".split("e")
    shown = f"{float(mantissa):g}"
    raised = f"10{str(int(power)).translate(_RAISED)}"
    return raised if shown == "1" else f"{shown}·{raised}"


def _with_power(mantissa: float, power: int, places: int) -> str:
    if abs(mantissa) < 1e-9:
        return "0"
    return f"{mantissa:.{places}f}·10{str(power).translate(_RAISED)}"


def style_axes(plot: pg.PlotWidget, theme: Theme) -> None:
    """Axes in the theme's colours and fonts, with room for both the numbers and the name below them."""
    small = QFont()
    small.setPointSizeF(theme.letters(0.9))
    for side in ("left", "bottom"):
        axis = plot.getAxis(side)
        axis.dressing = True
        axis.setPen(pg.mkPen(theme.border, cosmetic=False))
        axis.setTextPen(pg.mkPen(theme.muted))
        axis.setStyle(tickFont=small, tickTextOffset=4)
        axis.setSIPrefixEnableRanges(())  # merely switched off, it would keep the factor of this moment for ever
        axis.enableAutoSIPrefix(False)  # "(x0.001)" beside a name is read as part of the name
        axis.shrinks = not theme.least
        axis.labelStyle = {"color": theme.text, "font-size": f"{theme.font:.0f}pt"}
        axis.dressing = False
        axis._updateLabel()
    plot.getAxis("left").setTickDensity(min(1.0, 10.0 / theme.font))
    plot.getAxis("bottom").setStyle(
        maxTextLevel=2 if theme.font < LARGE_LETTERS else 0
    )  # large numbers read like one number
    plot.getAxis("bottom").setHeight(axis_height(theme))


def axis_height(theme: Theme, named: bool = True) -> float:
    """The room for the numbers below a plot, and for the name of the axis where it has one."""
    lines = [0.9, 1.0] if named else [0.9]
    font = QFont()
    height = 10.0
    for factor in lines:
        font.setPointSizeF(theme.letters(factor))
        height += QFontMetricsF(font).height()
    return height
