"""A monkey: chooses actions of every sort, seeded, for hands at a window."""

from __future__ import annotations

import json
import random
from typing import Any

from algorithms import all_algorithms
from algorithms._checks import examples
from algorithms.params import Field
from mlviz.data.spec import all_sources
from tests.monkey.hands import TEXTS, Action, Hands

DATA = ("blobs(n=60)", "moons(n=120)", "line(n=80,slope=100,noise=10)", "circles(n=30)", "swiss_roll(n=90)", "iris")
DATA += ("digits", "blobs(n=5000)", "gaussians_5d(n=50)", "casino(n=80)", "grid(rows=6,columns=7)")
KEYS = ("Space", "Right", "Left", "Home", "End", "Escape", "Tab", "Plus", "Minus", "1", "2", "3", "B", "E", "S", "M")
KEYS += ("Delete", "Up", "Down", "PageUp", "PageDown", "Return", "F1", "F2", "Backspace", "A", "Z")
MODIFIERS = (0, 0, 0, 0, 0, 0x02000000, 0x04000000, 0x08000000)
"""Mostly none; Shift, Control, Alt."""
NEVER = ("quit",)
CLIPS = ("1,2\n3,4\n", "x\ty\n1\t2\n3\t4", "no table", "", "a,b\n0,1\n1,2\n", "[[1,2],[3,4]]", "1 2 3 4 5 6")
HOW_OFTEN = {"method": 5, "data": 4, "odd": 1, "param": 10, "trigger": 12, "key": 8, "type": 1, "clip": 1, "file": 1}
HOW_OFTEN |= {"stroke": 9, "hover": 2, "double": 1, "wheel": 2, "use": 14, "dock": 1, "resize": 1, "rest": 6}
HOW_OFTEN |= {"dialogs": 2, "seek": 4}
INSIDE = ("method", "data", "param", "trigger", "seek", "key", "use")
"""What may happen while a mouse button is down."""


class Monkey:
    """Chooses what the hands do next."""

    def __init__(self, seed: int, hands: Hands) -> None:
        self.rng = random.Random(seed)
        self.hands = hands

    def choose(self) -> Action:
        """The next action."""
        return self._of(self.rng.choices(list(HOW_OFTEN), list(HOW_OFTEN.values()))[0])

    def _of(self, kind: str) -> Action:
        return [kind, *getattr(self, f"_{kind}", tuple)()]

    def _method(self) -> Action:
        return [self.rng.choice([method.key for method in all_algorithms()])]

    def _data(self) -> Action:
        return [self.rng.choice([*DATA, *(f"{source.name}()" for source in all_sources())])]

    def _odd(self) -> Action:
        names = list(examples.degenerate(self.hands.window.document.method))
        return [self.rng.choice(names or [""]), self.rng.choice([1.0, 1.0, 1e-99, 1e98, 1e200])]

    def _param(self) -> Action:
        fields = self.hands.window.document.method.fields
        if not fields:
            return ["", None]
        field = self.rng.choice(fields)
        return [field.name, self._value(field)]

    def _value(self, field: Field) -> Any:
        if field.kind == "choice":
            return self.rng.choice(field.choices)
        if field.kind == "bool":
            return self.rng.random() < 0.5
        if field.kind in ("int", "float") and field.low is not None and field.high is not None:
            value = self.rng.choice([field.low, field.default, min(field.high, max(field.low, field.default * 2))])
            return int(value) if field.kind == "int" else float(value)
        return json.loads(json.dumps(field.default))

    def _trigger(self) -> Action:
        specs = self.hands.window.actions_table.specs
        return [self.rng.choice([spec.name for spec in specs if spec.name not in NEVER])]

    def _key(self) -> Action:
        return [self.rng.choice(KEYS), self.rng.choice(MODIFIERS)]

    def _type(self) -> Action:
        return [self.rng.choice(TEXTS)]

    def _clip(self) -> Action:
        return [self.rng.choice(CLIPS)]

    def _file(self) -> Action:
        return [self.rng.choice(self.hands.files)]

    def _canvas(self) -> int:
        return self.rng.choice([0, 0, 0, 1, 2, 3])

    def _place(self) -> list[float]:
        return [round(self.rng.random(), 3), round(self.rng.random(), 3)]

    def _stroke(self) -> Action:
        places = [self._place() for _ in range(self.rng.randint(1, 6))]
        inside = self._of(self.rng.choice(INSIDE)) if self.rng.random() < 0.4 else []
        button = self.rng.choice(["left"] * 6 + ["right", "middle"])
        return [self._canvas(), button, self.rng.choice(MODIFIERS), places, inside]

    def _hover(self) -> Action:
        return [self._canvas(), [self._place() for _ in range(4)]]

    def _double(self) -> Action:
        return [self._canvas(), self._place()]

    def _wheel(self) -> Action:
        return [self._canvas(), self.rng.choice([-120, 120]), self.rng.randint(1, 40)]

    def _use(self) -> Action:
        found = self.hands.usable()
        return [self.rng.choice(found)[0] if found else [], round(self.rng.random(), 6)]

    def _dock(self) -> Action:
        return [self.rng.randrange(4), self.rng.choice(["toggle", "toggle", "float", "Left", "Right", "Bottom"])]

    def _resize(self) -> Action:
        return [self.rng.randint(700, 1500), self.rng.randint(500, 950)]

    def _rest(self) -> Action:
        return [self.rng.choice([0, 20, 100])]

    def _seek(self) -> Action:
        return [self.rng.random()]
