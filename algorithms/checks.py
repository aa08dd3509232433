"""What every algorithm must satisfy: one ``check_*`` function per promise of the contract.

The test suite applies every check to every algorithm the registry finds, so a new file is tested before anybody has
written a test for it. A check takes the :class:`Algorithm`, returns nothing, and raises :class:`ContractError` with a
sentence that says what to mend. NumPy's warnings count as failures: a student must never see one.
"""

from __future__ import annotations

from algorithms._checks import answers, declaration, hard_cases, runs, skill, telling
from algorithms._checks.rule import Check, ContractError

__all__ = ["ALL_CHECKS", "Check", "ContractError"]

ALL_CHECKS: tuple[Check, ...] = tuple(
    value
    for module in (declaration, runs, telling, answers, skill, hard_cases)
    for name, value in vars(module).items()
    if name.startswith("check_")
)
