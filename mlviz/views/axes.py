"""An axis whose logarithmic scale writes only as many numbers as there is room for."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtGui import QFontMetricsF

_DIGITS = ((1.0, 2.0, 5.0), (1.0, 3.0), (1.0,))
"""Which numbers of a decade are written, the fullest choice first."""
Ticks = list[tuple[float | None, list[float]]]


class RoomyAxis(pg.AxisItem):
    """Linear axes are pyqtgraph's; logarithmic ones show 1, 2, 5 or 1, 3 or whole powers of ten."""

    def logTickValues(self, low: float, high: float, size: float, stdTicks: object) -> Ticks:
        """The written ticks, then the small ones between them."""
        font = self.style["tickFont"] or self.font()
        metrics = QFontMetricsF(font)
        each = 1.7 * metrics.height() if self.orientation in ("left", "right") else metrics.horizontalAdvance("5·10⁻⁵⁵")
        most = max(int(size / each), 2)
        decades = np.arange(np.floor(low), np.ceil(high) + 1)
        for digits in _DIGITS:
            values = _inside(decades, digits, low, high)
            if len(values) <= most:
                break
        else:
            values = values[:: -(-len(values) // most)]
        small = _inside(decades, tuple(range(1, 10)), low, high) if high - low <= 4 else []
        return [(1.0, values), (None, [value for value in small if value not in values])]

    def logTickStrings(self, values: list[float], scale: float, spacing: float | None) -> list[str]:
        """The numbers; none at the small ticks."""
        if spacing is None:
            return [""] * len(values)
        powers = super().logTickStrings(values, scale, spacing)
        numbers = [scale * 10.0**value for value in values]
        return [f"{number:.3g}" if 1e-3 < number < 1e4 else power for number, power in zip(numbers, powers)]


def _inside(decades: np.ndarray, digits: tuple[float, ...], low: float, high: float) -> list[float]:
    places = (decades[:, None] + np.log10(digits)).ravel()
    return [float(place) for place in places if low <= place <= high]
