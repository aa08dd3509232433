"""Bad files made from good ones, deterministically: the same number gives the same file."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.corpus.seeds import crafted, seeds, unzipped, zipped

ODD = (b"nan", b"inf", b"1e999", b"-1", b"", b"\0", b"99999999999999999999", b"1e-320", b"<b>", b"\xff\xfe", b"'", b'"')
ODD += (b",,,", b"\r\n", b"[[[[", b"}}", "中😀".encode(), b"&amp;", b"0x10", b"1_000", b"NULL", b"=1+1")
Mutation = Callable[[bytes, random.Random], bytes]


def cut(content: bytes, rng: random.Random) -> bytes:
    """The end is missing."""
    return content[: rng.randrange(len(content))]


def flipped(content: bytes, rng: random.Random) -> bytes:
    """Some bits are wrong."""
    made = bytearray(content)
    for _ in range(rng.choice([1, 2, 8, 40])):
        made[rng.randrange(len(made))] ^= 1 << rng.randrange(8)
    return bytes(made)


def filled(content: bytes, rng: random.Random) -> bytes:
    """A piece is all zeros, or all ones: lengths and counts become 0, or as large as they can be."""
    start, size = rng.randrange(len(content)), rng.choice([1, 4, 8, 64])
    return content[:start] + rng.choice([b"\0", b"\xff", b"\x7f"]) * size + content[start + size :]


def repeated(content: bytes, rng: random.Random) -> bytes:
    """A piece is there twice, or a thousand times."""
    start, size = rng.randrange(len(content)), rng.choice([1, 10, 200])
    return content[:start] + content[start : start + size] * rng.choice([2, 1000]) + content[start + size :]


def without(content: bytes, rng: random.Random) -> bytes:
    """A piece is missing."""
    start, size = rng.randrange(len(content)), rng.choice([1, 4, 30])
    return content[:start] + content[start + size :]


def swapped(content: bytes, rng: random.Random) -> bytes:
    """Words and numbers are others than expected."""
    for _ in range(rng.choice([1, 3])):
        start = rng.randrange(len(content))
        content = content[:start] + rng.choice(ODD) + content[start + rng.choice([0, 1, 3]) :]
    return content


MUTATIONS: tuple[Mutation, ...] = (cut, flipped, filled, repeated, without, swapped)


def mutated(content: bytes, rng: random.Random) -> bytes:
    """The content with something wrong; of an archive also a member, packed again so that its sums are right."""
    mutation = rng.choice(MUTATIONS)
    if content[:2] == b"PK" and rng.random() < 0.6:
        parts = unzipped(content)
        name = rng.choice([name for name in parts if parts[name]])
        return zipped(parts | {name: mutation(parts[name], rng)})
    return mutation(content, rng)


def corpus(folder: Path, each: int) -> Iterator[tuple[str, bytes]]:
    """Every crafted file, and for every seed so many mutations, some of them under the ending of another format."""
    good = seeds(folder)
    yield from crafted()
    endings = sorted({Path(name).suffix for name in good})
    for name, content in good.items():
        for number in range(each):
            rng = random.Random(f"{name} {number}")
            ending = rng.choice(endings) if number % 8 == 7 else Path(name).suffix
            yield f"{name.replace('.', '_')}-{number}{ending}", mutated(content, rng)
