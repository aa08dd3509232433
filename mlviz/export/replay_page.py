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


class ReplayPage:
    """Collects frames as packed pictures; :meth:`text` is the file."""

    def __init__(self, title: str, fps: float, hold: float) -> None:
        self._title, self._fps, self._hold = title, fps, hold
        self._frames: list[str] = []

    def add(self, frame: Image.Image) -> None:
        """One more frame."""
        content = io.BytesIO()
        frame.save(content, "WEBP", lossless=True, **QUICK)
        self._frames.append("data:image/webp;base64," + base64.b64encode(content.getvalue()).decode())

    def text(self) -> str:
        """The page."""
        return _PAGE.substitute(
            title=html.escape(self._title),
            last=max(len(self._frames) - 1, 0),
            frames=json.dumps(self._frames).replace("</", "<\\/"),
            pause=json.dumps(1000 / self._fps),
            hold=json.dumps(1000 * self._hold),
        )


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
  nav { display: flex; gap: 8px; align-items: center; padding: 8px 16px 16px; }
  button { font: inherit; min-width: 44px; min-height: 40px; padding: 0 12px; border: 1px solid #d5dae0;
           border-radius: 6px; background: #fff; color: inherit; cursor: pointer; }
  button:focus-visible, input:focus-visible { outline: 3px solid #0b63b0; }
  #play { min-width: 88px; background: #0b63b0; color: #fff; border-color: #0b63b0; }
  #scrubber { flex: 1; accent-color: #0b63b0; }
  output { min-width: 96px; text-align: right; font-variant-numeric: tabular-nums; }
  @media (prefers-color-scheme: dark) {
    body { background: #16191d; color: #e8ebee; } button { background: #1e2227; border-color: #343a41; }
  }
</style>
</head>
<body>
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
const frames = $frames, pause = $pause, hold = $hold;
const image = document.getElementById("frame"), play = document.getElementById("play");
const scrubber = document.getElementById("scrubber"), count = document.getElementById("count");
let at = 0, timer = null;
function show(number) {
  at = Math.min(Math.max(number, 0), frames.length - 1);
  image.src = frames[at];
  scrubber.value = at;
  count.textContent = (at + 1) + " / " + frames.length;
}
function stop() { clearTimeout(timer); timer = null; play.textContent = "Play"; }
function next() {
  const last = at === frames.length - 1;
  timer = setTimeout(() => { show(last ? 0 : at + 1); next(); }, last ? pause + hold : pause);
}
function toggle() {
  if (timer !== null) { stop(); return; }
  play.textContent = "Pause";
  if (at === frames.length - 1) show(0);
  next();
}
function seek(number) { stop(); show(number); }
play.addEventListener("click", toggle);
document.getElementById("back").addEventListener("click", () => seek(at - 1));
document.getElementById("forward").addEventListener("click", () => seek(at + 1));
scrubber.addEventListener("input", () => seek(Number(scrubber.value)));
document.addEventListener("keydown", (event) => {
  const keys = { " ": toggle, ArrowLeft: () => seek(at - 1), ArrowRight: () => seek(at + 1),
                 Home: () => seek(0), End: () => seek(frames.length - 1) };
  if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
});
show(0);
</script>
</body>
</html>
"""
)
