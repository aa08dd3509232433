"""A file that appears when it is complete: written beside its place, and put there at the end. No Qt."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from mlviz.session.files import permissions


@contextlib.contextmanager
def placed(path: Path) -> Iterator[Path]:
    """Gives the name to write to. What was at ``path`` stays there when anything goes wrong or is called off."""
    handle, name = tempfile.mkstemp(prefix=f".{path.stem[:40]}.", suffix=path.suffix.lower(), dir=path.parent)
    os.close(handle)
    part = Path(name)
    try:
        yield part
        part.chmod(permissions(path))
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def write(path: Path, content: bytes) -> None:
    """Write the whole file or nothing. A device or a pipe is written to as it is."""
    if path.exists() and not path.is_file():
        path.write_bytes(content)
        return
    with placed(path) as part:
        part.write_bytes(content)
