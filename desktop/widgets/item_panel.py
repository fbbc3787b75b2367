"""One side of the pair: the picture, and below it what the item belongs to so far."""

from __future__ import annotations

from pathlib import PurePosixPath

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from desktop import theme
from desktop.images import PictureStore
from desktop.widgets import words
from desktop.widgets.elided_label import ElidedLabel
from desktop.widgets.picture_view import PictureView
from desktop.widgets.thumb_strip import ThumbStrip
from engine.dataset import Item
from engine.model import Group, Snapshot

_TOGETHER = 5
_THUMBNAIL = 34  # pixels of the layout


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
        self._group = ElidedLabel(parent=self, least=12)
        self._group.setProperty("role", "muted")
        self._strip = ThumbStrip(store, _THUMBNAIL, self)
        self._strip.setAccessibleName(self.tr("Others of this group"))
        self._strip.setToolTip(self.tr("Already together in this group"))
        self._name = ElidedLabel(Qt.TextElideMode.ElideMiddle, self)
        self._name.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._name.setProperty("role", "muted")
        self._caption = QWidget(self)
        self._caption.setFixedHeight(_THUMBNAIL)
        row = QHBoxLayout(self._caption)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._chip)
        row.addWidget(self._group)
        row.addWidget(self._strip)
        row.addWidget(self._name, 1)
        self._name.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
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
        group = group_of(snapshot, self._item.id)
        self._slot = group.slot if group is not None else -1
        self._chip.setText(theme.slot_text(self._slot))
        self._color_chip()
        belongs = belonging(group)
        self._group.setText(belongs)
        others = [] if group is None else _others(group, self._item.id)
        self._strip.show_items(others)
        name = "" if name_hidden else PurePosixPath(self._item.name).name
        self._name.setText(name)
        spoken = [self._side, name, theme.slot_text(self._slot), belongs]
        self.view.setAccessibleName(", ".join(part for part in spoken if part))

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


def group_of(snapshot: Snapshot, item: int) -> Group | None:
    """Find the group that holds an item; None = undecided or set aside."""
    slot = int(snapshot.overview.slots[item])
    return next((group for group in snapshot.overview.groups if group.slot == slot), None)


def belonging(group: Group | None) -> str:
    """Say in words what an item belongs to."""
    if group is None:
        return QCoreApplication.translate("ItemPanel", "in no group yet")
    counted = words.items(group.size)
    return f"{group.name} · {counted}" if group.name else counted


def _others(group: Group, item: int) -> list[int]:
    """Give the first few others of a group, its prototype before the rest."""
    first = [int(member) for member in group.members[: _TOGETHER + 1]]
    return [member for member in first if member != item][:_TOGETHER]
