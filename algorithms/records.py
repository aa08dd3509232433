"""The decorator ``dataclass`` of the standard library, which here works when a class is first used.

To make a frozen dataclass with slots, up to six functions are compiled, which takes 0.7 ms; the start of the program
declares 160 such classes and uses a third of them. Here a class has its slots at once. The rest is made by the standard
library as ever, the first time that anybody asks for any of it: an instance, the fields, a comparison.
"""

from __future__ import annotations

import dataclasses
import inspect
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, get_origin

ADDED = ("__init__", "__repr__", "__setattr__", "__delattr__", "__match_args__", "__getstate__", "__setstate__")
COMPARISON = ("__eq__", "__hash__")
DECLARATION = ("__dataclass_fields__", "__dataclass_params__")
"""What the standard library adds to a frozen class with slots, the first two unless the class has it already."""
_making = threading.RLock()

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls: type | None = None, /, **options: Any) -> Any:
        """As ``dataclasses.dataclass``, of which only those wait that are frozen and have slots."""
        if cls is not None or not (options.get("frozen") and options.get("slots")):
            return dataclasses.dataclass(cls, **options)
        return lambda declared: _with_slots(declared, options)


class _Later:
    """Stands for something that the standard library would have added; whoever asks for it has it made."""

    def __init__(self, name: str, make: Callable[[], None]) -> None:
        self.name = name
        self.make = make

    def __get__(self, instance: object, owner: type) -> Any:
        self.make()
        return getattr(owner if instance is None else instance, self.name)


def _with_slots(declared: type, options: dict[str, Any]) -> type:
    """The class with its fields as slots, and the rest for later."""
    namespace = {name: value for name, value in vars(declared).items() if name not in ("__dict__", "__weakref__")}
    fields = [name for name, kind in inspect.get_annotations(declared).items() if not _is_class_variable(kind)]
    taken = {slot for base in declared.__mro__[1:-1] for slot in vars(base).get("__slots__", ())}
    names = [name for name in ADDED + COMPARISON * options.get("eq", True) if name not in namespace]
    waiting = {name: _Later(name, lambda: make()) for name in (*names, *DECLARATION)}
    own = {name: value for name, value in namespace.items() if name not in fields}
    slots = {"__slots__": tuple(name for name in fields if name not in taken), "__qualname__": declared.__qualname__}
    made = type(declared)(declared.__name__, declared.__bases__, own | waiting | slots)
    bases = declared.__bases__

    def make() -> None:
        with _making:
            if not waiting:
                return
            twin = type(made)(made.__name__, bases, {**namespace, "__qualname__": made.__qualname__})
            twin = dataclasses.dataclass(**options)(twin)
            if vars(twin)["__slots__"] != vars(made)["__slots__"]:
                raise TypeError(f"The fields of {made.__qualname__} cannot be told from its annotations.")
            for name, value in vars(twin).items():
                if value is not own.get(name) and name not in (*fields, "__slots__", "__qualname__"):
                    setattr(made, name, value)
            for name in waiting:
                if vars(made)[name] is waiting[name]:
                    delattr(made, name)
            waiting.clear()

    return made


def _is_class_variable(kind: Any) -> bool:
    """Whether an annotation, as text or as what it means, is no field."""
    if isinstance(kind, str):
        return kind.removeprefix("typing.").startswith("ClassVar")
    return kind is ClassVar or get_origin(kind) is ClassVar
