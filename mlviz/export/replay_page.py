"""A run as one HTML file that plays in any browser without a network: the frames inside, a scrubber and four keys."""

from __future__ import annotations

import base64
import html
import io
import json
from string import Template
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from PIL import Image

QUICK: dict[str, Any] = {"method": 0, "quality": 30}
"""How hard WebP works at a lossless frame: harder takes five times as long for a fifth less."""
FINE: dict[str, Any] = {"method": 4, "quality": 85}
"""A frame of a page, packed by itself: less than half as large as without any loss, and nobody can tell."""


class ReplayPage:
    """Collects frames as packed pictures; :meth:`text` is the file."""

    def __init__(self, title: str, fps: float, hold: float) -> None:
        self._title, self._fps, self._hold = title, fps, hold
        self._frames: list[str] = []
        self._chapters: list[dict[str, Any]] = []

    def chapter(self, title: str, question: str, opens: int) -> None:
        """What follows belongs to a chapter, which opens at its ``opens``-th frame."""
        first = len(self._frames)
        self._chapters.append({"title": title, "question": question, "first": first, "opens": first + opens})

    def add(self, frame: Image.Image) -> None:
        """One more frame."""
        content = io.BytesIO()
        frame.save(content, "WEBP", **FINE)
        self._frames.append("data:image/webp;base64," + base64.b64encode(content.getvalue()).decode())

    def text(self) -> str:
        """The page."""
        return _PAGE.substitute(
            title=html.escape(self._title),
            last=max(len(self._frames) - 1, 0),
            frames=_script(self._frames),
            chapters=_script(self._chapters),
            pause=json.dumps(1000 / self._fps),
            hold=json.dumps(1000 * self._hold),
        )


def _script(value: Any) -> str:
    """A value inside a script: nothing in it may end the script or begin a comment."""
    return json.dumps(value).replace("<", "\\u003c")


_PAGE = Template(
    """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>
  body { margin: 0; font: 16px/1.4 system-ui, sans-serif; background: #f4f5f7; color: #1c2126;
         display: flex; flex-direction: column; height: 100vh; }
  main { flex: 1; min-height: 0; display: flex; justify-content: center; padding: 8px; }
  img { max-width: 100%; max-height: 100%; object-fit: contain; background: #fff; border-radius: 6px; }
  header { padding: 12px 16px 0; display: flex; gap: 16px; align-items: baseline; flex-wrap: wrap; }
  header[hidden] { display: none; }
  header select { font: inherit; font-weight: 600; min-height: 40px; max-width: 100%; padding: 0 8px; color: inherit;
                  background: #fff; border: 1px solid #d5dae0; border-radius: 6px; }
  header p { margin: 0; font-size: 20px; flex: 1 1 320px; white-space: pre-line; }
  nav { display: flex; gap: 8px; align-items: center; padding: 8px 16px 16px; }
  button { font: inherit; min-width: 44px; min-height: 40px; padding: 0 12px; border: 1px solid #d5dae0;
           border-radius: 6px; background: #fff; color: inherit; cursor: pointer; }
  button:focus-visible, input:focus-visible, select:focus-visible { outline: 3px solid #0b63b0; }
  #play { min-width: 88px; background: #0b63b0; color: #fff; border-color: #0b63b0; }
  #scrubber { flex: 1; accent-color: #0b63b0; }
  output { min-width: 96px; text-align: right; font-variant-numeric: tabular-nums; }
  @media (prefers-color-scheme: dark) {
    body { background: #16191d; color: #e8ebee; } button, header select { background: #1e2227; border-color: #343a41; }
  }
</style>
</head>
<body>
<header id="header" hidden>
  <button id="previous" title="Previous chapter (Page Up)" aria-label="Previous chapter">&#9650;</button>
  <button id="following" title="Next chapter (Page Down)" aria-label="Next chapter">&#9660;</button>
  <select id="chapter" aria-label="Chapter"></select>
  <p id="question"></p>
</header>
<main><img id="frame" alt="$title"></main>
<nav>
  <button id="play" title="Play or pause (Space)">Play</button>
  <button id="back" title="One frame back (Left)" aria-label="One frame back">&#9664;</button>
  <button id="forward" title="One frame forward (Right)" aria-label="One frame forward">&#9654;</button>
  <input id="scrubber" type="range" min="0" max="$last" value="0" aria-label="Frame">
  <output id="count"></output>
</nav>
<script>
"use strict";
const frames = $frames, chapters = $chapters, pause = $pause, hold = $hold;
const image = document.getElementById("frame"), play = document.getElementById("play");
const scrubber = document.getElementById("scrubber"), count = document.getElementById("count");
const chooser = document.getElementById("chapter"), question = document.getElementById("question");
let at = 0, timer = null, first = 0, last = frames.length - 1, current = 0;
function show(number) {
  at = Math.min(Math.max(number, first), last);
  image.src = frames[at];
  scrubber.value = at;
  count.textContent = (at - first + 1) + " / " + (last - first + 1);
}
function turn(number) {
  stop();
  current = Math.min(Math.max(number, 0), chapters.length - 1);
  first = chapters[current].first;
  last = (current + 1 < chapters.length ? chapters[current + 1].first : frames.length) - 1;
  scrubber.min = first;
  scrubber.max = last;
  chooser.value = current;
  question.textContent = chapters[current].question;
  show(chapters[current].opens);
}
function stop() { clearTimeout(timer); timer = null; play.textContent = "Play"; }
function next() {
  const over = at === last;
  timer = setTimeout(() => { show(over ? first : at + 1); next(); }, over ? pause + hold : pause);
}
function toggle() {
  if (timer !== null) { stop(); return; }
  play.textContent = "Pause";
  if (at === last) show(first);
  next();
}
function seek(number) { stop(); show(number); }
play.addEventListener("click", toggle);
document.getElementById("back").addEventListener("click", () => seek(at - 1));
document.getElementById("forward").addEventListener("click", () => seek(at + 1));
scrubber.addEventListener("input", () => seek(Number(scrubber.value)));
document.addEventListener("keydown", (event) => {
  const keys = { " ": toggle, ArrowLeft: () => seek(at - 1), ArrowRight: () => seek(at + 1),
                 Home: () => seek(first), End: () => seek(last) };
  if (chapters.length) {
    keys.PageUp = () => turn(current - 1);
    keys.PageDown = () => turn(current + 1);
  }
  if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
});
if (chapters.length) {
  document.getElementById("header").hidden = false;
  chapters.forEach((chapter, number) => chooser.add(new Option((number + 1) + ". " + chapter.title, number)));
  chooser.addEventListener("change", () => turn(Number(chooser.value)));
  document.getElementById("previous").addEventListener("click", () => turn(current - 1));
  document.getElementById("following").addEventListener("click", () => turn(current + 1));
  turn(0);
} else {
  show(0);
}
</script>
</body>
</html>
"""
)
