"""What the views of a board have asked of a model, and what has come of it."""

from __future__ import annotations

from collections.abc import Mapping

from mlviz.session.rasters import Raster, RasterRequest, Slot
from mlviz.worker.raster import Rasteriser


class RasterQueue:
    """Asks the rasteriser's thread and keeps its answers, the latest of each slot, until somebody takes them."""

    def __init__(self) -> None:
        self._rasteriser = Rasteriser()
        self.asked: frozenset[Slot] = frozenset()
        """What the frame on show needs."""
        self._arrived: dict[Slot, Raster] = {}

    @property
    def arrived(self) -> tuple[Slot, ...]:
        """Where something has come that nobody has taken."""
        return tuple(self._arrived)

    @property
    def complete(self) -> bool:
        """Whether everything that was asked for has come."""
        return self.asked <= self._arrived.keys()

    def ask(self, requests: Mapping[Slot, RasterRequest]) -> None:
        """Ask for all of this, in place of what was asked before."""
        self.asked = frozenset(requests)
        for slot, request in requests.items():
            self._rasteriser.request(slot, request)

    def poll(self, run: object) -> None:
        """Take what the thread has finished of this run; what went wrong is raised."""
        for raster in self._rasteriser.poll():
            if raster.error is not None:
                raise raster.error
            if raster.key is run and raster.slot is not None:
                self._arrived[raster.slot] = raster

    def take(self, slot: Slot) -> Raster | None:
        """What has come for a slot, once."""
        return self._arrived.pop(slot, None)

    def forget(self) -> None:
        """Nothing that was asked is wanted any more."""
        self.asked, self._arrived = frozenset(), {}
        self._rasteriser.drop()

    def close(self) -> None:
        """End the thread."""
        self._rasteriser.close()
