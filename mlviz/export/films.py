"""Films: frames as GIF, animated WebP, MP4, a numbered sequence of PNG, or a page that plays them. No Qt.

A writer takes one frame after the other and puts the file in its place only when it is complete; a cancelled film
leaves nothing behind. :class:`Encoder` runs a writer in a thread of its own, because packing takes longer than drawing.
"""

from __future__ import annotations

import contextlib
import os
import queue
import shutil
import tempfile
import threading
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from algorithms.data import DataError
from mlviz.export.replay_page import QUICK, ReplayPage

if TYPE_CHECKING:
    from PIL import Image

MOST_FRAMES, MOST_FILM_PIXELS = 600, 10**9
MOST_FRAME_PIXELS = 10_000_000
"""Of one frame, for several are in memory at a time."""
COLOURS = 128
"""In a GIF; more make the file larger and cannot be told apart in a diagram."""
WAITING = 4
"""Frames that may wait for the encoder before drawing waits for it."""


LARGE = 8_000_000
"""Bytes above which a film is a burden in a mail or on a page."""
PER_PIXEL = {".gif": 0.14, ".webp": 0.25, ".mp4": 0.05, ".html": 0.18, "": 0.3}
"""Bytes that a frame takes for each pixel, as measured for k-means, a support vector machine and a network."""


def size_words(suffix: str, frames: int, size: tuple[int, int]) -> str:
    """How large a film will be, roughly, and what would be smaller."""
    expected = {known: fraction * frames * size[0] * size[1] for known, fraction in PER_PIXEL.items()}
    most = f"at most {MOST_FRAMES} frames of {MOST_FRAME_PIXELS // 10**6} million pixels fit"
    words = f"{frames:,} frames, about {_bytes(expected[suffix])}; {most}."
    if expected[suffix] > LARGE and suffix in (".gif", ".webp", ".html"):
        words += f" MP4 is recommended: about {_bytes(expected['.mp4'])}."
    return words


def _bytes(count: float) -> str:
    """A size in words, rounded to what is known of it."""
    return f"{count / 1e6:.2g} MB" if count < 99.5e6 else f"{round(count / 1e6, -1):,.0f} MB"


@dataclass(frozen=True, slots=True)
class Timing:
    """Frames a second, and how long the film rests on its last frame, in seconds."""

    fps: float = 8.0
    hold: float = 2.0

    def durations(self, count: int) -> list[int]:
        """How long each frame is shown, in milliseconds."""
        return [round(1000 / self.fps)] * (count - 1) + [round(1000 / self.fps + 1000 * self.hold)]


class Writer(Protocol):
    """Takes frames and makes a file of them."""

    def add(self, frame: Image.Image) -> None:
        """One more frame (RGB)."""

    def finish(self) -> None:
        """Pack everything; no more frames will come."""

    def place(self) -> None:
        """Put the file in its place."""

    def abort(self) -> None:
        """Leave nothing behind."""


def film_writer(path: Path, timing: Timing, title: str = "") -> Writer:
    """The writer for a file name, or for a folder of PNG when the name has no ending."""
    makers: dict[str, Any] = {".gif": _Gif, ".webp": _WebP, ".mp4": _Mp4, ".html": _Page}
    if path.suffix == "":
        return _Sequence(path)
    return makers[path.suffix.lower()](path, timing, title)


def check_length(frames: int, path: Path, size: tuple[float, float] = (0.0, 0.0)) -> None:
    """Refuse a film that would not fit into memory or into anybody's patience; a sequence may be of any length."""
    if size[0] * size[1] > MOST_FRAME_PIXELS:
        raise DataError(
            f"A frame of {size[0]:,.0f} by {size[1]:,.0f} pixels is too large for a film: "
            f"{MOST_FRAME_PIXELS // 10**6} million are the most. Make it smaller."
        )
    pixels = frames * size[0] * size[1]
    if pixels > MOST_FILM_PIXELS and path.suffix:
        raise DataError(
            f"{frames:,} frames of {size[0]:,.0f} by {size[1]:,.0f} pixels are {pixels / 1e6:,.0f} million pixels; "
            f"a film holds at most {MOST_FILM_PIXELS / 1e6:,.0f} million. Make it smaller, or take fewer steps."
        )
    if frames > MOST_FRAMES and path.suffix:
        every = -(-frames // MOST_FRAMES)
        raise DataError(f"A film holds at most {MOST_FRAMES} frames, not {frames}; take one step in {every} or fewer.")


class _File:
    """A file that appears when it is complete."""

    def __init__(self, path: Path, timing: Timing, title: str) -> None:
        self._path, self._timing, self._title = path, timing, title
        handle, name = tempfile.mkstemp(prefix=f".{path.stem[:40]}.", suffix=path.suffix.lower(), dir=path.parent)
        os.close(handle)
        self._part = Path(name)

    def abort(self) -> None:
        self._part.unlink(missing_ok=True)

    def place(self) -> None:
        mask = os.umask(0)
        os.umask(mask)
        self._part.chmod(0o666 & ~mask)
        self._part.replace(self._path)


class _Gif(_File):
    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._frames: list[Image.Image] = []

    def add(self, frame: Image.Image) -> None:
        from PIL import Image  # a window that makes no film need not load it

        self._frames.append(frame.quantize(colors=COLOURS, dither=Image.Dither.NONE))

    def finish(self) -> None:
        first, *others = self._frames
        durations = self._timing.durations(len(self._frames))
        first.save(self._part, save_all=True, append_images=others, duration=durations, loop=0, optimize=False)


class _WebP(_File):
    """The frames wait on the disk, in a TIFF: unpacked, two hundred of them would take half a gigabyte of memory."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        from PIL import TiffImagePlugin

        self._folder = Path(tempfile.mkdtemp(prefix="mlviz-film-"))
        self._spool: Any = TiffImagePlugin.AppendingTiffWriter(str(self._folder / "frames.tiff"), new=True)
        self._count = 0

    def add(self, frame: Image.Image) -> None:
        frame.save(self._spool, "TIFF")
        self._spool.newFrame()
        self._count += 1

    def finish(self) -> None:
        from PIL import Image

        self._close()
        with Image.open(self._folder / "frames.tiff") as frames:
            durations = self._timing.durations(self._count)
            frames.save(self._part, "WEBP", save_all=True, lossless=True, **QUICK, duration=durations, loop=0)
        shutil.rmtree(self._folder)

    def _close(self) -> None:
        spool, self._spool = self._spool, None
        if spool is not None:
            spool.close()

    def abort(self) -> None:
        self._close()
        shutil.rmtree(self._folder, ignore_errors=True)
        super().abort()


class _Mp4(_File):
    def __init__(self, *arguments: Any) -> None:
        try:
            import av
        except ImportError as error:
            raise DataError("MP4 needs one more package; install it with: pip install 'mlviz[mp4]'") from error
        super().__init__(*arguments)
        self._av: Any = av
        self._container: Any = av.open(str(self._part), "w", format="mp4")
        self._stream: Any = None
        self._last: Image.Image | None = None

    def add(self, frame: Image.Image) -> None:
        even = (frame.width // 2 * 2, frame.height // 2 * 2)  # as the format demands
        frame = frame if frame.size == even else frame.crop((0, 0, *even))
        if self._stream is None:
            rate = Fraction(self._timing.fps).limit_denominator(1000)
            self._stream = self._container.add_stream("libx264", rate=rate, options={"crf": "18"})
            self._stream.width, self._stream.height = even
            self._stream.pix_fmt = "yuv420p"
        self._last = frame
        self._encode(self._av.VideoFrame.from_image(frame))

    def finish(self) -> None:
        assert self._last is not None
        for _ in range(round(self._timing.hold * self._timing.fps)):
            self._encode(self._av.VideoFrame.from_image(self._last))
        self._encode(None)
        self._container.close()

    def abort(self) -> None:
        self._container.close()
        super().abort()

    def _encode(self, frame: Any) -> None:
        for packet in self._stream.encode(frame):
            self._container.mux(packet)


class _Page(_File):
    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._page = ReplayPage(self._title, self._timing.fps, self._timing.hold)

    def add(self, frame: Image.Image) -> None:
        self._page.add(frame)

    def finish(self) -> None:
        self._part.write_text(self._page.text(), encoding="utf-8")


class _Sequence:
    """``frame-0000.png`` and so on in a folder, where they appear when all are complete."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
        self._parts = Path(tempfile.mkdtemp(prefix=".frames.", dir=folder))
        self._files: list[Path] = []

    def add(self, frame: Image.Image) -> None:
        path = self._parts / f"frame-{len(self._files):04d}.png"
        self._files.append(path)
        frame.save(path, compress_level=4)

    def finish(self) -> None:
        """Every frame is packed already."""

    def place(self) -> None:
        for path in self._files:
            path.replace(self._folder / path.name)
        self._parts.rmdir()

    def abort(self) -> None:
        shutil.rmtree(self._parts, ignore_errors=True)
        if self._made:
            with contextlib.suppress(OSError):  # somebody else has put something there meanwhile
                self._folder.rmdir()


class Encoder:
    """A writer in a thread of its own. ``add`` frames, then ``finish`` or ``cancel``, then wait until ``done``."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._frames: queue.Queue[Image.Image | None] = queue.Queue(maxsize=WAITING)
        self._cancelled = threading.Event()
        self.error: BaseException | None = None
        self.written = 0
        self._thread = threading.Thread(target=self._work, name="mlviz-film", daemon=True)
        self._thread.start()

    @property
    def busy(self) -> bool:
        """Whether the next frame would have to wait."""
        return self._frames.full()

    @property
    def done(self) -> bool:
        """Whether the thread has ended: the file is complete, or there is none."""
        return not self._thread.is_alive()

    def add(self, frame: Image.Image) -> None:
        """Hand over a frame; waits while too many are waiting. Nothing is accepted after a failure."""
        self._put(frame)

    def finish(self) -> None:
        """No more frames will come."""
        self._put(None)

    def cancel(self) -> None:
        """Drop everything; nothing stays behind."""
        self._cancelled.set()

    def wait(self) -> None:
        """Wait for the end, however it comes."""
        self._thread.join()

    def join(self) -> None:
        """Wait for the end, and raise what went wrong."""
        self.wait()
        if self.error is not None:
            raise self.error

    def _put(self, frame: Image.Image | None) -> None:
        while not self.done:
            with contextlib.suppress(queue.Full):
                self._frames.put(frame, timeout=0.05)
                return

    def _work(self) -> None:
        try:
            while not self._cancelled.is_set():
                try:
                    frame = self._frames.get(timeout=0.05)
                except queue.Empty:
                    continue
                if frame is None:
                    self._writer.finish()
                    if not self._cancelled.is_set():
                        self._writer.place()
                        return
                else:
                    self._writer.add(frame)
                    self.written += 1
            self._writer.abort()
        except BaseException as error:  # whoever waits for the film says it
            self.error = error
            self._writer.abort()
