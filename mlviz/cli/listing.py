"""``mlviz list``: the algorithms, the generators and the built-in data, for people or for programs."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mlviz import __version__
from mlviz.cli.options import add_command

if TYPE_CHECKING:
    from algorithms.contract import Algorithm
    from mlviz.data.spec import Source


def add(commands: Any) -> None:
    """Declare the command."""
    parser = add_command(commands, "list", _list, "print the algorithms and their parameters")
    parser.add_argument("key", metavar="KEY", nargs="?", help="one algorithm, explained")
    parser.add_argument("--json", action="store_true", help="for other programs")


def _list(options: argparse.Namespace) -> int:
    from algorithms import all_algorithms, find
    from algorithms.params import json_schema
    from mlviz.data.builtin import all_builtin
    from mlviz.data.generators import all_generators

    if options.json:
        from mlviz.export.parameters import as_json, plain

        rows = [
            {
                "key": item.key,
                "title": item.title,
                "family": item.family,
                "summary": item.summary,
                "accepts": [kind.kind for kind in item.accepts],
                "target": item.target,
                "example": item.example,
                "params": json_schema(item.params),
            }
            for item in all_algorithms()
        ]
        made = [_described(item) | {"target": item.target} for item in all_generators()]
        real = [_described(item) for item in all_builtin()]
        everything = {"version": __version__, "algorithms": rows, "generators": made, "datasets": real}
        print(as_json(plain(everything)), end="")
        return 0
    if options.key is not None:
        _explain(find(options.key))
        return 0
    for algorithm in all_algorithms():
        print(f"{algorithm.key}  ({algorithm.family}: {algorithm.title})\n    {algorithm.summary}")
        _print_fields(algorithm.fields)
    print("\ndata generators")
    for generator in all_generators():
        print(f"  {generator.name}({', '.join(f'{field.name}={field.default}' for field in generator.fields)})")
        print(f"      {generator.doc}")
    print("\nbuilt-in data")
    for item in all_builtin():
        print(f"  {item.name}\n      {item.doc}")
    return 0


def _explain(method: Algorithm) -> None:
    """One method: what it does, what it takes, its knobs with their sentences, and how it is begun."""
    takes = " or ".join(kind.kind for kind in method.accepts) or "no data"
    print(f"{method.title} ({method.family})\n{method.summary}\n\ntakes {takes}", end="")
    print(f", with {method.target} as the target" if method.target in ("classes", "values") else "")
    for field in method.fields:
        print(f"\n  {field.name}: {field.describe()} [{field.default}]\n    {field.doc}")
        if field.suggest is not None:
            print(f"    For a table it is suggested {field.suggest.source}.")
    print(f"\nmlviz fit {method.key} --data {method.example!r}\n\n{method.reference}")


def _described(source: Source) -> dict[str, Any]:
    """A generator or a built-in set for other programs."""
    from algorithms.params import json_schema

    return {
        "key": source.name,
        "title": source.title,
        "group": source.group,
        "kind": source.kind,
        "doc": source.doc,
        "params": json_schema(source.params),
    }


def _print_fields(fields: Sequence[Any]) -> None:
    width = max((len(field.name) for field in fields), default=0)
    for field in fields:
        default = "" if field.kind == "points" else f" [{field.default}]"
        print(f"      {field.name:{width}}  {field.describe()}{default}")
