"""A typeset formula, drawn from its outlines: sharp on every screen, in the colour of the text around it."""

from __future__ import annotations

import threading

from PySide6.QtCore import QByteArray, QRectF, QSize
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QSizePolicy, QWidget

UNIT = 100.0
"""The size in which formulae are set, before they are drawn in that of the font."""


INK = b"#010203"
"""The colour in which formulae are set, before they are drawn in that of the text."""
MOST = 256
_set: dict[str, bytes] = {}
_press = threading.Lock()


def is_set(latex: str) -> bool:
    """Whether the formula is there without anybody waiting."""
    return latex in _set


def typeset(latex: str) -> bytes:
    """The formula as SVG, in any thread. Raises ValueError with a sentence when it cannot be set."""
    with _press:
        if latex not in _set:
            while len(_set) >= MOST:
                del _set[next(iter(_set))]
            _set[latex] = _typeset(latex)
        return _set[latex]


def _typeset(latex: str) -> bytes:
    import ziamath  # the first formula takes a third of a second: not before somebody asks for help

    ziamath.config.svg2 = False  # outlines in their places; symbols that are used again are drawn wrongly by Qt
    try:
        return str(ziamath.Latex(latex, size=UNIT, color=INK.decode()).svg()).encode()
    except Exception as error:  # whatever its parser stumbles over
        raise ValueError(f"The formula {latex!r} cannot be set: {error!r}.") from error


class Formula(QWidget):
    """One formula on a line of its own; smaller where the line is too narrow for it.

    With ``late`` it leaves room for a line until it has been set by somebody else and :meth:`show_set` is called.
    """

    def __init__(self, latex: str, late: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent, objectName="formula")
        self.latex = latex
        self._awaited = late and not is_set(latex)
        self._drawn: tuple[str, QSvgRenderer] | None = None
        self.setAccessibleName(latex)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def _renderer(self) -> QSvgRenderer:
        """Draws the outlines in the colour of the text; asked for often while a page is laid out."""
        colour = QColor(self.palette().color(QPalette.ColorRole.WindowText)).name()
        if self._drawn is None or self._drawn[0] != colour:
            outlines = typeset(self.latex).replace(INK, colour.encode())
            self._drawn = colour, QSvgRenderer(QByteArray(outlines))
        return self._drawn[1]

    def show_set(self) -> bool:
        """Show the formula if it has been set; whether it is on show."""
        if self._awaited and is_set(self.latex):
            self._awaited = False
            self.updateGeometry()
            self.update()
        return not self._awaited

    def _natural(self) -> tuple[float, float]:
        """The size in the font of the widget, in logical pixels."""
        if self._awaited:
            return 1.0, 2.0 * self.fontMetrics().height()
        view = self._renderer().viewBoxF()
        scale = 1.2 * self.fontMetrics().height() / 1.3 / UNIT
        return view.width() * scale, view.height() * scale

    def sizeHint(self) -> QSize:
        """As large as the text around it asks for."""
        width, height = self._natural()
        return QSize(round(width), round(height))

    def minimumSizeHint(self) -> QSize:
        """A formula can be made smaller to fit."""
        return QSize(0, 0)

    def heightForWidth(self, width: int) -> int:
        """The height at this width."""
        natural, height = self._natural()
        return round(height * min(1.0, width / natural))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the outlines."""
        if self._awaited:
            return
        width, height = self._natural()
        scale = min(1.0, self.width() / width, self.height() / height)
        painter = QPainter(self)
        self._renderer().render(painter, QRectF(0.0, 0.0, width * scale, height * scale))
