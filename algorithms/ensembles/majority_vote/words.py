"""The captions of the majority vote."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from algorithms.ensembles.majority_vote.solver import limit_of, right_curve
from algorithms.maths.words import counted, number, percent, signed

if TYPE_CHECKING:
    from algorithms.ensembles.majority_vote import Model, Shot


def _simulated(model: Model) -> str:
    """What the simulation and the lines say."""
    votes, lines = counted(model.elections, "simulated vote"), counted(model.voters, "random line")
    verb = "is" if model.voters == 1 else "vote"
    return f"{percent(model.simulated)} of {votes}; {lines} {verb} right on {percent(model.lines_right)} of the disc."


def _one(shot: Shot) -> str:
    model = shot.model
    return f"One voter is right with the probability {number(model.probability)}, and was right in {_simulated(model)}"


def _more(shot: Shot) -> str:
    """The probability, and what the last two voters have changed."""
    model = shot.model
    before = right_curve(model.p, model.correlation, model.voters)[max(model.voters - 3, 0)]
    gain = signed(float(f"{model.probability - before:.2g}"))
    return (
        f"The majority of {model.voters} voters is right with the probability {number(model.probability)} ({gain} by "
        f"the last two, who decide where the others differ by one vote), and was right in {_simulated(model)}"
    )


def _voted(shot: Shot) -> str:
    """The simulation beside the exact probability."""
    model = shot.model
    error = 2.0 * math.sqrt(model.probability * (1.0 - model.probability) / model.elections)
    most = percent(limit_of(model.p, model.correlation))
    ending = "" if model.correlation == 0.0 else f" With more and more voters it would tend to {most}."
    return (
        f"{counted(model.voters, 'voter')} voted {counted(model.elections, 'time')}, and the majority was right in "
        f"{percent(model.simulated)} of the votes; the exact probability is {percent(model.probability)}, and two "
        f"standard errors are {percent(error)}.{ending}"
    )


CAPTIONS = {"initial": _one, "voters": _more, "elections": _voted}
