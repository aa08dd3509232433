"""A typeset formula, drawn from its outlines: sharp on every screen, in the colour of the text around it."""

from __future__ import annotations

import functools

from PySide6.QtCore import QByteArray, QRectF, QSize
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QSizePolicy, QWidget

UNIT = 100.0
"""The size in which formulae are set, before they are drawn in that of the font."""


INK = "#010203"
"""The colour in which they are set, before they are drawn in that of the text; no other part of the drawing has it."""


def typeset(latex: str, colour: str = "#000000") -> bytes:
    """The formula as SVG. Raises ValueError with a sentence when it cannot be set."""
    return _set(latex).replace(INK, colour).encode()


@functools.lru_cache(maxsize=256)
def _set(latex: str) -> str:
    import ziamath  # the first formula takes a third of a second: not before somebody asks for help

    ziamath.config.svg2 = False  # outlines in their places; symbols that are used again are drawn wrongly by Qt
    try:
        return str(ziamath.Latex(latex, size=UNIT, color=INK).svg())
    except Exception as error:  # whatever its parser stumbles over
        raise ValueError(f"The formula {latex!r} cannot be set: {error!r}.") from error


class Formula(QWidget):
    """One formula on a line of its own; smaller where the line is too narrow for it."""

    def __init__(self, latex: str, parent: QWidget | None = None) -> None:
        super().__init__(parent, objectName="formula")
        self.latex = latex
        self._outlines: tuple[str, QSvgRenderer] | None = None
        self.setAccessibleName(latex)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def _renderer(self) -> QSvgRenderer:
        """The outlines in the colour of the text; read once for each colour."""
        colour = QColor(self.palette().color(QPalette.ColorRole.WindowText)).name()
        if self._outlines is None or self._outlines[0] != colour:
            self._outlines = colour, QSvgRenderer(QByteArray(typeset(self.latex, colour)))
        return self._outlines[1]

    def _natural(self) -> tuple[float, float]:
        """The size in the font of the widget, in logical pixels."""
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
        width, height = self._natural()
        scale = min(1.0, self.width() / width, self.height() / height)
        painter = QPainter(self)
        self._renderer().render(painter, QRectF(0.0, 0.0, width * scale, height * scale))
