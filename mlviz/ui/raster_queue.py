"""What the views of a board have asked of a model, and what has come of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from mlviz.session.rasters import Raster, RasterRequest, Slot
from mlviz.worker.raster import Rasteriser


class RasterQueue:
    """Asks the rasteriser's thread and keeps its answers, the latest of each slot, until somebody takes them."""

    def __init__(self) -> None:
        self._rasteriser = Rasteriser()
        self.asked: frozenset[Slot] = frozenset()
        """What the frame on show needs."""
        self._arrived: dict[Slot, Raster] = {}
        self._latest: dict[Slot, tuple[int, RasterRequest]] = {}
        self._answered: dict[Slot, RasterRequest] = {}
        """What was asked and has been taken in its finest form."""

    @property
    def arrived(self) -> tuple[Slot, ...]:
        """Where something has come that nobody has taken."""
        return tuple(self._arrived)

    @property
    def complete(self) -> bool:
        """Whether everything that was asked for has come."""
        return self.asked <= self._arrived.keys()

    def ask(self, requests: Mapping[Slot, RasterRequest], on_show: Callable[[Slot], bool]) -> None:
        """Ask for all of this, in place of what was asked before.

        The very same question about the very same model is not asked again while its answer is ``on_show``: a method
        that learns nothing has one model for every query.
        """
        new = {
            slot: asked for slot, asked in requests.items() if not (self._is_answered(slot, asked) and on_show(slot))
        }
        self.asked = frozenset(new)
        for slot in self._latest.keys() - requests.keys():  # a panel of another method
            del self._latest[slot]
            self._answered.pop(slot, None)
        for slot, request in new.items():
            self._answered.pop(slot, None)
            generation = self._rasteriser.request(slot, request)
            self._latest[slot] = generation, replace(request, key=None)  # the key holds all frames of a run

    def _is_answered(self, slot: Slot, request: RasterRequest) -> bool:
        before = self._answered.get(slot)
        if before is None or before.model is not request.model or before.algorithm is not request.algorithm:
            return False
        place, its = (request.projection, request.rect, request.sizes), (before.projection, before.rect, before.sizes)
        return place == its

    def poll(self, run: object) -> None:
        """Take what the thread has finished of this run; what went wrong is raised."""
        for raster in self._rasteriser.poll():
            if raster.error is not None:
                raise raster.error
            if raster.key is run and raster.slot is not None:
                self._arrived[raster.slot] = raster

    def take(self, slot: Slot) -> Raster | None:
        """What has come for a slot, once."""
        raster = self._arrived.pop(slot, None)
        generation, request = self._latest.get(slot, (0, None))
        if raster is not None and request is not None and raster.final and raster.generation == generation:
            self._answered[slot] = request
        return raster

    def forget(self) -> None:
        """Nothing that was asked is wanted any more."""
        self.asked, self._arrived = frozenset(), {}
        self._rasteriser.drop()

    def close(self) -> None:
        """End the thread."""
        self._rasteriser.close()
