"""Famous graphs that come with the laboratory."""

from __future__ import annotations

from mlviz.data.builtin import Builtin

GRAPHS: tuple[Builtin, ...] = ()
