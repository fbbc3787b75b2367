"""The pair itself: two pictures, two table rows, or both.

Hidden: which of them an item has, waiting for pictures, linking. Promised: `ready` comes only when
everything of the present pair has been painted, `failed` when part of it cannot be shown; the pair
before is never left standing in a half-loaded one.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from desktop.images import FULL, PictureStore
from desktop.messages import Opened
from desktop.widgets.judging.item_panel import ItemPanel, Place, place_of
from desktop.widgets.judging.linked_views import LinkedViews
from desktop.widgets.judging.picture_view import PictureView
from desktop.widgets.judging.row_comparison import RowComparison, can_compare
from engine.dataset import Item
from engine.model import Snapshot

_PATIENCE_MS = 300  # before a picture is said to be loading


class PairArea(QWidget):
    """Shows two items.

    Parameters
    ----------
    store
        Where pictures come from.

    Attributes
    ----------
    views
        The two pictures, linked.

    Notes
    -----
    - `ready(token)`: the pair of this token is on the screen.
    - `failed(token, item, reason)`: the picture of `item` cannot be shown.
    """

    ready = Signal(int)
    failed = Signal(int, int, str)

    def __init__(self, store: PictureStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._items: tuple[Item, ...] = ()
        self._has_rows = False
        self._shown: tuple[int, ...] = ()
        self._token = -1
        self._awaited: set[QWidget] = set()
        self._names_hidden = False
        self._left = ItemPanel(self.tr("Left picture"), store, self)
        self._right = ItemPanel(self.tr("Right picture"), store, self)
        self._panels = (self._left, self._right)
        self.views = LinkedViews(self._left.view, self._right.view)
        self.rows = RowComparison(self)
        self.rows.setAccessibleName(self.tr("The two rows compared"))
        self.rows.hide()  # a study may have none
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(_PATIENCE_MS)
        self._patience.timeout.connect(self._say_loading)
        self._lay_out()
        queued = Qt.ConnectionType.QueuedConnection
        self._left.view.painted.connect(self._left_painted, queued)
        self._right.view.painted.connect(self._right_painted, queued)
        self.rows.painted.connect(self._rows_painted, queued)
        store.pictureReady.connect(self._picture_ready)
        store.pictureFailed.connect(self._picture_failed)

    def _lay_out(self) -> None:
        self._pictures = QWidget(self)
        row = QHBoxLayout(self._pictures)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(12)
        row.addWidget(self._left, 1)
        row.addWidget(self._right, 1)
        split = QSplitter(Qt.Orientation.Vertical, self)
        split.setChildrenCollapsible(False)
        split.addWidget(self._pictures)
        split.addWidget(self.rows)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 2)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(split)

    # ------------------------------------------------------------------ what is shown

    def set_study(self, opened: Opened) -> None:
        """Take the items of another project."""
        self._items = opened.items
        self._shown = ()
        self._token = -1
        without_picture = any(item.path is None for item in opened.items)
        self._has_rows = without_picture or can_compare(opened.columns)
        self.rows.setVisible(self._has_rows)
        if self._has_rows:
            self.rows.set_table(opened.items, opened.columns)

    def show_items(self, items: tuple[int, ...], token: int) -> None:
        """Show two items, left and right, or (in a replay) a single one."""
        self._shown, self._token = items, token
        self._awaited = set()
        self.views.begin()
        pictures = any(self._store.has_picture(item) for item in items)
        self._pictures.setVisible(pictures)
        self._right.setVisible(len(items) > 1)
        for panel, item in zip(self._panels, items, strict=False):
            panel.set_item(self._items[item])
            if pictures:
                self._awaited.add(panel.view)
                self._show_picture(panel, item)
        if self._has_rows and not items:
            self.rows.clear_rows()
        elif self._has_rows:
            self._awaited.add(self.rows)
            self.rows.show_rows(self._items[items[0]], self._items[items[-1]], token)
            self.rows.setColumnHidden(2, len(items) < 2)
        self._patience.start()

    def describe(self, snapshot: Snapshot) -> None:
        """Tell where both items belong in this state."""
        for panel in self._panels[: len(self._shown)]:
            panel.describe(snapshot, name_hidden=self._names_hidden)
        if self._has_rows and self._shown:
            places = [place_of(snapshot, item) for item in self._shown]
            heads = [self._head(*shown) for shown in zip(self._shown, places, strict=True)]
            self.rows.set_heads(heads[0], heads[-1], (places[0].full, places[-1].full))

    def _head(self, item: int, place: Place) -> str:
        if not self._pictures.isHidden():  # their captions say it
            return self.tr("Left") if item == self._shown[0] else self.tr("Right")
        name = "" if self._names_hidden else self._items[item].name
        return " · ".join(part for part in (name, place.brief) if part)

    @property
    def names_hidden(self) -> bool:
        """Whether names are kept from the person, who then judges by what is seen alone."""
        return self._names_hidden

    @names_hidden.setter
    def names_hidden(self, hidden: bool) -> None:
        self._names_hidden = hidden

    @property
    def shown_names(self) -> tuple[str, str]:
        """The names as shown under the pictures."""
        return self._left.name_shown, self._right.name_shown

    @property
    def panels(self) -> tuple[ItemPanel, ItemPanel]:
        """The left and right picture with what is said of them."""
        return self._panels

    @property
    def view_pair(self) -> tuple[PictureView, PictureView]:
        """The left and right picture."""
        return self._left.view, self._right.view

    @property
    def dimmed(self) -> bool:
        """Whether the pair is drawn back, as the next one is awaited."""
        return self._left.view.dimmed

    @dimmed.setter
    def dimmed(self, dimmed: bool) -> None:
        for widget in (self._left.view, self._right.view, self.rows):
            widget.dimmed = dimmed

    def retry(self) -> None:
        """Try again to read the pictures that could not be read."""
        for panel, item in zip(self._panels, self._shown, strict=False):
            if self._store.failure(item) is not None:
                panel.view.show_message("")
                self._store.retry(item)
        self._patience.start()

    # ------------------------------------------------------------------ waiting

    def _show_picture(self, panel: ItemPanel, item: int) -> None:
        picture = self._store.picture(item)
        if picture is not None:
            panel.view.show_picture(picture, self._token)
            self.views.picture_shown()
        else:
            panel.view.show_message("")
            self._store.request(item)

    def _picture_ready(self, item: int, size: int) -> None:
        if size != FULL or item not in self._shown:
            return
        panel = self._panels[self._shown.index(item)]
        if panel.view.picture is None:
            self._show_picture(panel, item)

    def _picture_failed(self, item: int, reason: str) -> None:
        if item in self._shown:
            self._panels[self._shown.index(item)].view.show_message(reason, failed=True)
            self.failed.emit(self._token, item, reason)

    def _say_loading(self) -> None:
        for panel in self._panels:
            if panel.view.picture is None and not panel.view.message:
                panel.view.show_message(self.tr("Loading…"))

    def _left_painted(self, token: int) -> None:
        self._painted(self._left.view, token)

    def _right_painted(self, token: int) -> None:
        self._painted(self._right.view, token)

    def _rows_painted(self, token: int) -> None:
        self._painted(self.rows, token)

    def _painted(self, widget: QWidget, token: int) -> None:
        if token != self._token or widget not in self._awaited:
            return
        self._awaited.discard(widget)
        if not self._awaited:
            self.ready.emit(token)
