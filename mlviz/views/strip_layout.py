"""Where series stand on a strip over time: one lane below the other, and bars for the states under each series. No Qt.

Time runs to the right and is counted from 1; the height of a lane is 1, and y = 0 is the upper edge of the first one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from algorithms.data import Array, Sequences

BETWEEN_FEATURES, BETWEEN_SERIES = 0.1, 0.16
"""Gaps, in lanes."""
BAR, LARGEST_BAR = 0.055, 0.17
"""The height of a bar below a single lane, and the most that it may take where there are many."""
BLANK = 50
"""Moments that are seen while there are none."""
MARGIN = 0.06
"""The part of a lane that is left free above the largest and below the smallest value."""


@dataclass(frozen=True, slots=True)
class Lane:
    """One feature of one series, or its symbols: what values its lower and upper edge mean, and where they are."""

    series: int
    feature: int  # -1: symbols
    low: float
    high: float
    bottom: float

    @property
    def top(self) -> float:
        """The upper edge."""
        return self.bottom + 1.0


@dataclass(frozen=True, slots=True)
class Place:
    """What a place of the strip means: a time of a series, counted from 0 and not rounded, and a value there."""

    series: int
    feature: int  # -1: symbols
    time: float
    value: float

    @property
    def moment(self) -> int:
        """The nearest moment."""
        return math.floor(self.time + 0.5)

    @property
    def symbol(self) -> int:
        """The nearest symbol, where the lane has symbols."""
        return math.floor(self.value + 0.5)


@dataclass(frozen=True, slots=True, eq=False)
class StripLayout:
    """The lanes of a data set with so many bars below every series."""

    data: Sequences
    rows: int
    lanes: tuple[Lane, ...]
    bar: float
    """The height of a bar."""
    longest: int
    """Moments of time that are seen at least."""

    @classmethod
    def of(cls, data: Sequences, rows: int = 0, before: StripLayout | None = None) -> StripLayout:
        """The layout: the features of a series together, all series on one scale.

        What was seen in the layout ``before`` an edit is seen in this one, at the same scale as long as that suffices.
        """
        features = range(data.d) if data.d else (-1,)
        ranges = {feature: _range(data, feature) for feature in features}
        longest = max(len(one) for one in data.series) or BLANK
        if before is not None and before.data.d == data.d:
            longest = max(longest, before.longest)
            for lane in before.lanes_of(0) if data.d else ():
                low, high = _spread(data, lane.feature)
                ranges[lane.feature] = min(lane.low, low), max(lane.high, high)
        bar = min(BAR * math.sqrt(len(data.series) * len(features)), LARGEST_BAR)
        lanes, below = [], 0.0
        for series in range(len(data.series)):
            for feature in features:
                below -= 1.0
                lanes.append(Lane(series, feature, *ranges[feature], below))
                below -= BETWEEN_FEATURES
            below -= rows * bar * 1.25 + BETWEEN_SERIES - BETWEEN_FEATURES
        return cls(data, rows, tuple(lanes), bar, longest)

    @property
    def extent(self) -> tuple[float, float, float, float]:
        """Everything: left, right, bottom, top."""
        side = 0.5 + 0.01 * self.longest
        return 1.0 - side, self.longest + side, self.bars(len(self.data.series) - 1)[-1][0] - 0.03, 0.05

    def bars(self, series: int) -> list[tuple[float, float]]:
        """The lower and upper edge of every bar of a series, the first on top; without any, its own lower edge."""
        edge = self.lanes_of(series)[-1].bottom
        tops = [edge - (0.25 + 1.25 * row) * self.bar for row in range(self.rows)]
        return [(top - self.bar, top) for top in tops] or [(edge, edge)]

    def lanes_of(self, series: int) -> tuple[Lane, ...]:
        """The lanes of one series."""
        count = max(self.data.d, 1)
        return self.lanes[series * count : (series + 1) * count]

    def places(self) -> Array:
        """Where every moment is drawn, (n, 2): in the first lane of its series."""
        return np.concatenate([self.line(self.lanes_of(number)[0]) for number in range(len(self.data.series))])

    def line(self, lane: Lane) -> Array:
        """What is drawn in a lane, (T, 2)."""
        column = self.data.series[lane.series]
        values = column if lane.feature < 0 else column[:, lane.feature]
        return np.column_stack([np.arange(1.0, len(column) + 1.0), self.y(lane, values)])

    @staticmethod
    def y(lane: Lane, values: Array) -> Array:
        """How high values are drawn in a lane; halves, so that nothing overflows."""
        fraction = (0.5 * values - 0.5 * lane.low) / (0.5 * lane.high - 0.5 * lane.low)
        return np.asarray(lane.bottom + fraction)

    def series_at(self, y: float) -> int:
        """The series in whose lanes and bars a height lies; -1 for none."""
        for series in range(len(self.data.series)):
            if self.bars(series)[-1][0] - BETWEEN_SERIES / 2 <= y <= self.lanes_of(series)[0].top + BETWEEN_SERIES / 2:
                return series
        return -1

    def place_at(self, x: float, y: float) -> Place | None:
        """What a place means; above or below the lanes of a series the nearest of them; None between series."""
        series = self.series_at(y)
        if series < 0:
            return None
        lane = min(self.lanes_of(series), key=lambda one: max(one.bottom - y, y - one.top))
        fraction = min(max(y - lane.bottom, 0.0), 1.0)
        return Place(series, lane.feature, x - 1.0, lane.low + fraction * (lane.high - lane.low))

    def number_at(self, x: float, y: float) -> int:
        """The number of the moment at a place among the items of the data; -1 for none."""
        series, moment = self.series_at(y), math.floor(x - 0.5)
        if series < 0 or not 0 <= moment < len(self.data.series[series]):
            return -1
        return int(self.data.starts[series]) + moment

    def ticks(self, most: float) -> list[tuple[float, str]]:
        """What to write beside the lanes, at most about so many things for each: round values, or the symbols."""
        found = []
        for lane in self.lanes:
            if lane.feature < 0:
                step = math.ceil(len(self.data.symbols) / max(most, 1.0))
                marked = [(float(k), self.data.symbols[k]) for k in range(0, len(self.data.symbols), step)]
            else:
                marked = [(value, f"{value:.10g}") for value in round_values(lane.low, lane.high, most)]
            found += [(float(self.y(lane, np.array(value))), text) for value, text in marked]
        return found


def round_values(low: float, high: float, most: float) -> list[float]:
    """At most about so many round numbers in a range, at equal distances."""
    wide = 0.5 * high - 0.5 * low
    rough = 2.0 * wide / max(most, 1.0)
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(size * digit for digit in (1.0, 2.0, 5.0, 10.0) if size * digit >= 0.999 * rough)
    first, last = math.ceil(low / step), math.floor(high / step)
    return [float(f"{number * step:.12g}") for number in range(first, last + 1)]


def _range(data: Sequences, feature: int) -> tuple[float, float]:
    """The values at the edges of the lanes of a feature: a little more than there are, alike for all series."""
    if feature < 0:
        return -0.5, len(data.symbols) - 0.5
    low, high = _spread(data, feature)
    if not math.isfinite(low):
        return -1.0, 1.0
    if not high > low:
        room = max(0.5 * abs(low), 0.5)
        return low - room, high + room
    room = MARGIN * (high - low)
    return low - room, high + room


def _spread(data: Sequences, feature: int) -> tuple[float, float]:
    """The least and the largest value of a feature; without any, nothing lies between these."""
    low = min((float(one[:, feature].min()) for one in data.series if len(one)), default=math.inf)
    return low, max((float(one[:, feature].max()) for one in data.series if len(one)), default=-math.inf)
