"""How fast a run is played: the speeds that can be chosen, the one that suits a run, and their words."""

import math

SPEEDS = (0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0, 120.0, 240.0, math.inf)
LEAST_AUTO = 4.0
LONGEST_PLAY = 30.0
"""Seconds that a run may take by itself to play."""


def suited_speed(count: int) -> float:
    """The least speed, but not a slow one, that plays so many frames within half a minute."""
    return next((speed for speed in SPEEDS if speed >= LEAST_AUTO and count <= LONGEST_PLAY * speed), math.inf)


def speed_words(speed: float) -> str:
    """A speed as the bar writes it."""
    if math.isinf(speed):
        return "max speed"
    return f"{speed:g} step{'' if speed == 1 else 's'}/s"


def auto_words(speed: float) -> str:
    """The speed that suits the run, no wider than a chosen one."""
    return "auto: max" if math.isinf(speed) else f"auto: {speed:g}/s"
