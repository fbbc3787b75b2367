"""All items as signs on the map: what each looks like, and how few are drawn anew.

Hides styles, opacity steps and the thinning of very large sets. Promises that an update changes
brushes and signs only, never the view, and redraws only the items that changed; positions change
by `move_to` alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF

from desktop.widgets.certainty import very_sure
from desktop.widgets.groups.map_looks import Look, edge_pen, look_of
from engine.model import FloatArray, IntArray, Overview

MOST = 20_000
"""With more items than this, only `_THINNED` of those in view are drawn, chosen evenly."""

_THINNED = 10_000
_LEVELS = 5  # steps of opacity
_FAINTEST, _DIMMED = 0.35, 0.10
_SMALLEST = 10.0  # pixels, of a mark of several colours
_READABLE = 2  # step of opacity from which on several colours in a mark are told apart
_UNDECIDED, _ASIDE = -1, -2
_SEVERAL = 1 << 20  # from here on a number means a set of groups, below it one slot

IdArray = npt.NDArray[np.intp]


class MapPoints:
    """The layer of all items.

    Parameters
    ----------
    coordinates
        float32[n, 2], the map.

    Attributes
    ----------
    layer
        To be added to a view box.
    """

    def __init__(self, coordinates: FloatArray) -> None:
        n = len(coordinates)
        self.layer = pg.ScatterPlotItem(pxMode=True)
        self._at = np.asarray(coordinates, dtype=np.float64)
        self._order: IdArray = np.random.default_rng(0).permutation(n)
        self._ids: IdArray = np.arange(n) if n <= MOST else np.sort(self._order[:_THINNED])
        self._sets: list[tuple[int, ...]] = []
        self._numbers: dict[tuple[int, ...], int] = {}
        self._codes = np.full(n, _code(_UNDECIDED, 0, dimmed=False))
        self._size = float(np.clip(11.0 - 3.0 * math.log10(max(n, 100) / 300), 4.5, 11.0))
        self._place()

    @property
    def drawn(self) -> IdArray:
        """Items that are drawn now: all of them, unless there are too many."""
        return self._ids

    @property
    def extent(self) -> QRectF:
        """The rectangle that holds all items."""
        if not len(self._at):
            return QRectF(-1, -1, 2, 2)
        (left, low), (right, high) = self._at.min(axis=0), self._at.max(axis=0)
        extent = QRectF(0, 0, max(right - left, 1e-3), max(high - low, 1e-3))
        extent.moveCenter(QPointF((left + right) / 2, (low + high) / 2))
        return extent

    def positions(self, items: Sequence[int]) -> npt.NDArray[np.float64]:
        """Give the places of some items, float64[m, 2]."""
        return self._at[np.asarray(items, dtype=np.intp)]

    def position(self, item: int) -> tuple[float, float]:
        """Give the place of an item on the map."""
        x, y = self._at[item]
        return float(x), float(y)

    def middle(self, items: IntArray) -> tuple[float, float]:
        """Give the median place of some items: where their group's sign stands."""
        x, y = np.median(self._at[items], axis=0)
        return float(x), float(y)

    def nearest(
        self, place: tuple[float, float], pixel: tuple[float, float], reach: float
    ) -> int | None:
        """Find the drawn item nearest to a place.

        Parameters
        ----------
        place
            In map coordinates.
        pixel
            Width and height of a screen pixel in map coordinates.
        reach
            In pixels; farther items are not found.
        """
        if not len(self._ids):
            return None
        away = (self._at[self._ids] - place) / pixel
        distances = np.einsum("ij,ij->i", away, away)
        best = int(distances.argmin())
        return int(self._ids[best]) if distances[best] <= reach**2 else None

    def neighbour(self, item: int, dx: int, dy: int) -> int | None:
        """Find the next drawn item to the right (dx 1), left, above (dy 1) or below an item."""
        away = self._at[self._ids] - self._at[item]
        ahead = away[:, 0] * dx + away[:, 1] * dy
        aslant = np.abs(away[:, 0] * dy) + np.abs(away[:, 1] * dx)
        within = (ahead > 0) & (aslant <= ahead)
        if not within.any():
            return None
        cost = np.where(within, ahead + aslant, np.inf)
        return int(self._ids[int(cost.argmin())])

    # ------------------------------------------------------------------ drawing

    def restyle(
        self,
        overview: Overview,
        aside: frozenset[int],
        highlighted: int | None,
        lit: frozenset[int] | None = None,
    ) -> None:
        """Draw the items of another state; only those that look different are touched.

        Parameters
        ----------
        overview
            Gives the groups, and certainty as opacity.
        aside
            Items set aside.
        highlighted
            Slot whose items stand out, those of other groups too, while all others are dimmed;
            None = none.
        lit
            Items that stand out instead, whatever their groups.
        """
        shown = self._numbered(overview)
        if aside:
            shown[list(aside)] = _ASIDE
        dimmed = _dimmed(overview, shown, highlighted, lit)
        codes = _codes(shown, overview.confidence / very_sure(overview), dimmed)
        changed = (codes != self._codes)[self._ids]
        self._codes = codes
        if changed.any():
            self._draw(changed)

    def move_to(self, coordinates: FloatArray) -> bool:
        """Put the same items elsewhere: the map of another space.

        Returns
        -------
        Whether any moved.
        """
        at = np.asarray(coordinates, dtype=np.float64)
        if np.array_equal(at, self._at):
            return False
        self._at = at
        # Setting all data anew would style 20,000 items again, which takes most of half a second.
        layer = self.layer
        layer.data["x"], layer.data["y"] = at[self._ids].T
        layer.prepareGeometryChange()
        layer.bounds = [None, None]
        layer.informViewBoundsChanged()
        layer.invalidate()
        return True

    def recolour(self) -> None:
        """Draw everything again in the colours of the theme."""
        self._place()

    def look_at(self, view: QRectF) -> bool:
        """Choose what to draw of a very large set when the view moves.

        Returns
        -------
        Whether anything changed.
        """
        if len(self._at) <= MOST:
            return False
        x, y = self._at.T
        inside = (x >= view.left()) & (x <= view.right()) & (y >= view.top()) & (y <= view.bottom())
        chosen = np.sort(self._order[inside[self._order]][:_THINNED])
        if np.array_equal(chosen, self._ids):
            return False
        self._ids = chosen
        self._place()
        return True

    def _numbered(self, overview: Overview) -> npt.NDArray[np.int64]:
        """Give a number for what each item belongs to: a slot, or a set, the same in all states."""
        memberships = overview.memberships
        if memberships is None:
            return overview.slots.astype(np.int64)
        numbers = [self._number(one) for one in memberships.sets]
        found: npt.NDArray[np.int64] = np.array([*numbers, _UNDECIDED])[memberships.chosen]
        return found

    def _number(self, slots: tuple[int, ...]) -> int:
        if len(slots) == 1:
            return slots[0]
        if slots not in self._numbers:
            self._numbers[slots] = _SEVERAL + len(self._sets)
            self._sets.append(slots)
        return self._numbers[slots]

    def _place(self) -> None:
        self._styles: dict[int, Look] = {}
        x, y = self._at[self._ids].T
        self.layer.setData(x=x, y=y, pen=edge_pen(), size=self._size)
        if len(self._ids):
            self._draw(np.ones(len(self._ids), dtype=np.bool_))

    def _draw(self, changed: npt.NDArray[np.bool_]) -> None:
        found, which = np.unique(self._codes[self._ids[changed]], return_inverse=True)
        symbols = np.empty(len(found), dtype=object)
        brushes = np.empty(len(found), dtype=object)
        sizes = np.empty(len(found))
        for at, code in enumerate(found):
            symbols[at], brushes[at], larger = self._style(int(code))
            sizes[at] = max(self._size * larger, _SMALLEST) if larger > 1 else self._size
        # ScatterPlotItem restyles all its spots through its setters; touching only the changed
        # ones keeps an update of 20,000 items under a tenth of the time.
        spots = self.layer.data
        spots["symbol"][changed] = symbols[which]
        spots["brush"][changed] = brushes[which]
        spots["size"][changed] = sizes[which]
        spots["sourceRect"][changed] = 0
        self.layer.updateSpots()

    def _style(self, code: int) -> Look:
        if code not in self._styles:
            number, opacity = _decode(code)
            slots = self._sets[number - _SEVERAL] if number >= _SEVERAL else (number,)
            look = look_of(slots, opacity)
            self._styles[code] = look._replace(symbol="x") if number == _ASIDE else look
        return self._styles[code]


def _dimmed(
    overview: Overview,
    shown: npt.NDArray[np.int64],
    highlighted: int | None,
    lit: frozenset[int] | None,
) -> npt.NDArray[np.int64]:
    """Tell which items are dimmed (1), and which are not (0)."""
    dimmed = np.zeros(len(shown), dtype=np.int64)
    if lit is not None:
        dimmed[:] = 1
        dimmed[list(lit)] = 0
    elif highlighted is not None:
        dimmed[shown != highlighted] = 1
        memberships = overview.memberships
        if memberships is not None and highlighted >= 0:
            holds = np.array([*(highlighted in one for one in memberships.sets), False])
            dimmed[holds[memberships.chosen]] = 0
    return dimmed


def _codes(
    shown: npt.NDArray[np.int64], certainty: FloatArray, dimmed: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Pack what an item belongs to, opacity step and dimming into one number per item."""
    level = np.clip((certainty * _LEVELS).astype(np.int64), 0, _LEVELS - 1)
    level[shown < 0] = 1
    several = shown >= _SEVERAL
    level[several] = np.maximum(level[several], _READABLE)
    return ((shown + 2) * _LEVELS + level) * 2 + dimmed


def _code(number: int, level: int, *, dimmed: bool) -> int:
    return ((number + 2) * _LEVELS + level) * 2 + dimmed


def _decode(code: int) -> tuple[int, float]:
    """Give what an item belongs to and its opacity back."""
    dimmed = code % 2
    number, level = divmod(code // 2, _LEVELS)
    share = _FAINTEST + (1 - _FAINTEST) * level / (_LEVELS - 1)
    return number - 2, _DIMMED if dimmed else share
