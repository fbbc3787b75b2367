"""One side of the pair: the picture, and below it what the item belongs to so far."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from desktop import theme
from desktop.images import PictureStore
from desktop.widgets import shared_words, trail, words
from desktop.widgets.elided_label import ElidedLabel
from desktop.widgets.judging.picture_view import PictureView
from desktop.widgets.judging.side_groups import SideGroups
from desktop.widgets.thumb_strip import ThumbStrip
from engine.dataset import Item
from engine.model import Group, Snapshot

_TOGETHER = 5
_THUMBNAIL = 34  # pixels of the layout
_NAME = 18  # letters of a group's name and count that are never given up
_FILE = 12  # letters of a file name, likewise


class ItemPanel(QWidget):
    """Picture and caption of one item.

    Parameters
    ----------
    side
        The side in words, for people who cannot see: "Left picture".
    store
        Where thumbnails come from.

    Attributes
    ----------
    view
        The picture.
    """

    def __init__(self, side: str, store: PictureStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._side = side
        self._item: Item | None = None
        self._slot = -1
        self.view = PictureView(self)
        self._chip = QLabel(self)
        self._chip.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._chip.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        self._group = ElidedLabel(Qt.TextElideMode.ElideMiddle, self, least=_NAME)
        self._group.setProperty("role", "muted")
        self._strip = ThumbStrip(store, _THUMBNAIL, self)
        self._strip.setAccessibleName(self.tr("Others of this group"))
        self._strip.setToolTip(self.tr("Already together in this group"))
        self.groups = SideGroups(store, _THUMBNAIL, self)
        self.groups.hide()
        self._name = ElidedLabel(Qt.TextElideMode.ElideMiddle, self, least=_FILE)
        self._name.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._name.setProperty("role", "muted")
        self._caption = QWidget(self)
        self._caption.setFixedHeight(_THUMBNAIL)
        row = QHBoxLayout(self._caption)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._chip)
        row.addWidget(self._group)
        row.addWidget(self.groups, 1)
        row.addWidget(self._strip, 1)
        row.addWidget(self._name)
        # words go before pictures: the others of the group take what room is left
        self._strip.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self.view, 1)
        column.addWidget(self._caption)
        theme.current().themeChanged.connect(self._color_chip)

    def set_item(self, item: Item) -> None:
        """Put another item on this side; its picture comes by `view`."""
        self._item = item

    def describe(self, snapshot: Snapshot, *, name_hidden: bool) -> None:
        """Tell where the item belongs in this state."""
        if self._item is None:
            return
        place = place_of(snapshot, self._item.id)
        self._slot = place.slot
        self._chip.setText(theme.slot_text(place.slot))
        self._color_chip()
        self._group.setText(place.short)
        self._chip.setToolTip(place.full)
        self._group.set_more(place.full)
        in_several = snapshot.shares and place.group is not None
        self._chip.setVisible(not in_several)
        self._group.setVisible(not in_several)
        self._strip.show_items(() if in_several else _others(place.group, self._item.id))
        self.groups.show_groups(place.groups if in_several else (), self._item.id, place.full)
        name = "" if name_hidden else PurePosixPath(self._item.name).name
        self._name.setText(name)
        sign = "" if in_several else theme.slot_text(place.slot)
        spoken = [self._side, name, sign, place.full]
        self.view.setAccessibleName(", ".join(part for part in spoken if part))

    @property
    def belongs(self) -> str:
        """What the item is said to belong to, as shown."""
        return self._group.text()

    @property
    def others(self) -> tuple[int, ...]:
        """The others of its group that are shown."""
        return self._strip.items

    @property
    def name_shown(self) -> str:
        """The name as shown; "" while names are hidden."""
        return self._name.text()

    def _color_chip(self) -> None:
        background, ink = theme.slot_color(self._slot), theme.slot_ink(self._slot)
        self._chip.setStyleSheet(
            f"background: {background.name()}; color: {ink.name()}; border-radius: 6px; "
            "padding: 2px 7px; font-weight: 600;"
        )


@dataclass(frozen=True, slots=True)
class Place:
    """Where an item belongs in a state.

    Attributes
    ----------
    group
        None = in no group, or not placed yet: then `full` names the nearest group.
    brief, short, full
        In words: for the head of a column, for a line under a picture, and for reading out.
    groups
        All groups, where items may belong to several; `group` is the first of them.
    """

    group: Group | None
    brief: str
    short: str
    full: str
    groups: tuple[Group, ...] = ()

    @property
    def slot(self) -> int:
        """Slot of the group; -1 = none."""
        return -1 if self.group is None else self.group.slot


def place_of(snapshot: Snapshot, item: int) -> Place:
    """Tell where an item belongs; never claims that a group has it which is only the nearest."""
    slot = int(snapshot.overview.slots[item])
    group = next((group for group in snapshot.overview.groups if group.slot == slot), None)
    if group is None and item in trail.items_set_aside(snapshot):
        aside = _tr("set aside")
        return Place(None, aside, aside, _tr("set aside: it is asked about no more"))
    if group is None:
        return Place(None, _tr("no group"), _tr("in no group yet"), _tr("in no group yet"))
    if snapshot.shares:
        return _among(snapshot, item)
    counted = words.items(group.size)
    full = f"{group.name} · {counted}" if group.name else counted
    if not trail.is_placed(snapshot, item):
        nearest = " ".join((theme.slot_text(slot), group.name)).rstrip()
        far = _tr("not placed yet; nearest: {0}").format(nearest)
        return Place(None, _tr("not placed"), _tr("not placed yet"), far)
    brief = " ".join((theme.slot_text(slot), group.name)).rstrip()
    return Place(group, brief, full, full)


def _among(snapshot: Snapshot, item: int) -> Place:
    """Tell where an item belongs that may belong to several groups, as `place_of`."""
    groups = shared_words.groups_of(snapshot.overview, item)
    if not trail.is_placed(snapshot, item):
        far = _tr("not placed yet; nearest: {0}").format(shared_words.listed(groups))
        return Place(None, _tr("not placed"), _tr("not placed yet"), far)
    brief = " + ".join(map(shared_words.called, groups))
    if len(groups) == 1:
        full = _tr("in one group: {0}").format(brief)
    else:
        full = _tr("in {0} groups: {1}").format(words.number(len(groups)), brief)
    return Place(groups[0], brief, brief, full, groups)


def _others(group: Group | None, item: int) -> list[int]:
    """Give the first few others of a group, its prototype before the rest."""
    if group is None:
        return []
    first = [int(member) for member in group.members[: _TOGETHER + 1]]
    return [member for member in first if member != item][:_TOGETHER]


def _tr(text: str) -> str:
    return QCoreApplication.translate("ItemPanel", text)
