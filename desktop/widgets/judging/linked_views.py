"""Two picture views that move together, window together, and can be let go.

Hidden: how zoom, place and grey window of one side carry over to the other. Promised: what is
linked keeps the offset it had when it was linked, in shares of each picture, so that pictures of
different sizes do not drift apart; a chosen preset and inversion last until they are changed.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from desktop.pictures import Preset, Window
from desktop.widgets.judging.judging_keys import JudgeKey
from desktop.widgets.judging.picture_view import FITTED, PictureView, Place

_ZOOM_STEP = 1.25

Units = tuple[int, float, float]


class LinkedViews(QObject):
    """Holds the left and right view together.

    Parameters
    ----------
    left, right
        The views; this object owns their place, window and inversion.

    Notes
    -----
    `changed` is emitted when link, preset or inversion change.
    """

    changed = Signal()

    def __init__(self, left: PictureView, right: PictureView) -> None:
        super().__init__(left)
        self._views = (left, right)
        self._linked = True
        self._preset = Preset.STORED
        self._own: dict[PictureView, tuple[Window, Units]] = {}  # windows set by hand, and units
        self._dx = self._dy = 0.0  # right minus left, while linked
        self._ratio = 1.0
        for view in self._views:
            view.moved.connect(lambda alone, view=view: self._follow(view, alone=alone))
            view.windowDragged.connect(
                lambda level, width, alone, view=view: self._drag_window(
                    view, level, width, alone=alone
                )
            )

    # ------------------------------------------------------------------ state

    @property
    def linked(self) -> bool:
        """Whether both sides move together."""
        return self._linked

    @property
    def inverted(self) -> bool:
        """Whether dark is shown as bright."""
        return self._views[0].inverted

    @property
    def preset(self) -> Preset:
        """The window preset in force."""
        return self._preset

    @property
    def any_grey(self) -> bool:
        """Whether windows make sense: some picture shown is grey."""
        return any(view.picture is not None and view.picture.greys for view in self._views)

    def begin(self) -> None:
        """Start with a new pair: both fitted, no offset."""
        self._dx = self._dy = 0.0
        self._ratio = 1.0

    def picture_shown(self) -> None:
        """Tell that a view has got its picture: the windows chosen before apply to it."""
        for view in self._views:
            greys = view.picture.greys if view.picture is not None else None
            if greys is None:
                continue
            own = self._own.get(view)
            if own is not None and own[1] == greys.units:
                view.set_window(own[0])
            else:
                view.set_window(self._preset_window(view))
        self.changed.emit()

    # ------------------------------------------------------------------ commands

    def by_key(self) -> dict[JudgeKey, Callable[[], None]]:
        """Give the commands that have a key."""
        return {
            JudgeKey.LINK: self.toggle_link,
            JudgeKey.INVERT: self.toggle_invert,
            JudgeKey.RESET: self.reset_window,
            JudgeKey.NEXT_PRESET: lambda: self.step_preset(1),
            JudgeKey.PREVIOUS_PRESET: lambda: self.step_preset(-1),
            JudgeKey.FIT: self.fit,
            JudgeKey.ACTUAL_SIZE: self.actual_size,
            JudgeKey.ZOOM_IN: lambda: self.zoom(1),
            JudgeKey.ZOOM_OUT: lambda: self.zoom(-1),
        }

    def toggle_link(self) -> None:
        """Let the sides go, or link them with the offset they have now."""
        self._linked = not self._linked
        self._keep_offset()
        self.changed.emit()

    def fit(self) -> None:
        """Show both pictures whole; the offset between them is gone."""
        self.begin()
        for view in self._views:
            view.set_place(FITTED)

    def actual_size(self) -> None:
        """Show one picture pixel as one screen pixel, on both sides."""
        for view in self._views:
            view.set_scale(1.0)
        self._keep_offset()

    def zoom(self, steps: int) -> None:
        """Zoom both sides about their middle, in (positive) or out."""
        for view in self._views:
            view.zoom_by(_ZOOM_STEP**steps)

    def toggle_invert(self) -> None:
        """Show dark as bright, or as it is."""
        inverted = not self.inverted
        for view in self._views:
            view.inverted = inverted
        self.changed.emit()

    def reset_window(self) -> None:
        """Show both pictures as stored."""
        self._own.clear()
        self._preset = Preset.STORED
        for view in self._views:
            view.set_window(None)
            view.inverted = False
        self.changed.emit()

    def step_preset(self, by: int) -> None:
        """Go to the next (1) or previous (-1) window preset."""
        presets = list(Preset)
        self.choose(presets[(presets.index(self._preset) + by) % len(presets)])

    def choose(self, preset: Preset) -> None:
        """Put a window preset in force."""
        self._own.clear()
        self._preset = preset
        self.picture_shown()

    # ------------------------------------------------------------------ following

    def _follow(self, view: PictureView, *, alone: bool) -> None:
        """Carry a move of one view over to the other."""
        if not self._linked:
            return
        if alone:
            self._keep_offset()
            return
        left, right = self._views
        sign = 1.0 if view is left else -1.0
        other = right if view is left else left
        place = view.place
        other.set_place(
            Place(
                place.zoom * self._ratio**sign,
                place.x + sign * self._dx,
                place.y + sign * self._dy,
            )
        )

    def _keep_offset(self) -> None:
        left, right = (view.place for view in self._views)
        self._dx, self._dy = right.x - left.x, right.y - left.y
        self._ratio = right.zoom / left.zoom

    def _drag_window(self, view: PictureView, level: float, width: float, *, alone: bool) -> None:
        for each in self._views if not alone else (view,):
            greys = each.picture.greys if each.picture is not None else None
            if greys is None:
                continue
            stored = greys.windows[Preset.STORED]
            now = each.window_values or stored
            new = Window.around(
                now.level + level * stored.width,
                max(now.width + width * stored.width, greys.scale),
            )
            each.set_window(new)
            if greys.units is not None:
                self._own[each] = (new, greys.units)
        self.changed.emit()

    def _preset_window(self, view: PictureView) -> Window | None:
        """Give the preset's window; one for both sides where their values mean the same."""
        if self._preset is Preset.STORED or view.picture is None or view.picture.greys is None:
            return None
        units = view.picture.greys.units
        windows = [
            each.picture.greys.windows[self._preset]
            for each in self._views
            if each.picture is not None
            and each.picture.greys is not None
            and (each is view or (units is not None and each.picture.greys.units == units))
        ]
        return Window(min(w.low for w in windows), max(w.high for w in windows))
