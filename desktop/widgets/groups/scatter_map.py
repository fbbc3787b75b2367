"""The map of all items: fixed places; an answer only changes colours, signs and marks.

Hides pyqtgraph, hovering and picking. Promises that no answer, undo or replay moves the view or
loses the selection, unless it ends with items compared otherwise, which is another map; that
everything it tells by colour it also tells by sign, and that it can be
walked with the keyboard.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPoint, QPointF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QEnterEvent, QHideEvent, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop import theme
from desktop.widgets import trail
from desktop.widgets.groups.belonging import heart, slots_of, slots_of_all
from desktop.widgets.groups.group_model import NO_GROUPS
from desktop.widgets.groups.item_card import ItemCard
from desktop.widgets.groups.map_legend import MapLegend
from desktop.widgets.groups.map_marks import MapMarks, Sign
from desktop.widgets.groups.map_points import MapPoints
from desktop.widgets.groups.map_view import MapView, ZoomButtons, with_margins
from desktop.widgets.item_words import ItemWords

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from desktop.controller import Controller
    from desktop.images import PictureStore
    from desktop.messages import Opened
    from desktop.widgets.tree.cut_look import CutLook
    from engine.model import FloatArray, IntArray, Overview, Pair

_REACH = 12.0  # pixels around the pointer in which an item is found
_SETTLE_MS = 80
_ZOOM = 0.8
_ROOMY = 420  # pixels of width from which on the buttons cover nothing that matters
_MOST_SIGNS = 120  # those of the largest groups; more would only cover each other
_ARROWS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, 1),
    Qt.Key.Key_Down: (0, -1),
}


class ScatterMap(QWidget):
    """The map.

    Parameters
    ----------
    controller
        Whose `shown` state is drawn; or a look at a cut, which stands in for it.
    pictures
        For the thumbnail under the pointer.

    Notes
    -----
    Signals: `itemSelected(int)`, a person clicked an item, or walked to it with the arrow keys;
    `drawn()`, a state was drawn, so what others have added is to be placed anew.
    """

    itemSelected = Signal(int)
    drawn = Signal()

    def __init__(
        self,
        controller: Controller | CutLook,
        pictures: PictureStore,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._controller = controller
        self._words = ItemWords(None)
        self._points: MapPoints | None = None
        self._selected: int | None = None
        self._highlighted: int | None = None
        self._lit: frozenset[int] | None = None
        self._pair: Pair | None = None
        self._pair_line = True
        self._drawn: tuple[int, int, bool, int] | None = None
        self._fitted = True
        self._view = MapView(self)
        self._box: pg.ViewBox = self._view.getPlotItem().getViewBox()
        self._marks = MapMarks(self._box)
        self._card = ItemCard(pictures, self)
        self._settle = QTimer(self, singleShot=True, interval=_SETTLE_MS)
        self._settle.timeout.connect(self._settled)
        # once what changed at the same time, such as the next pair, is on the screen
        self._redrawing = QTimer(self, singleShot=True, interval=0)
        self._redrawing.timeout.connect(self._redraw)
        self._buttons = ZoomButtons(self)
        self.legend = MapLegend(self)
        self._lay_out()
        self._box.sigRangeChanged.connect(self._range_changed)
        self._box.sigRangeChangedManually.connect(self._moved_by_hand)
        self._view.hovered.connect(self._hover)
        self._view.clicked.connect(self._click)
        self._view.left.connect(self._card.hide)
        controller.studyOpened.connect(self._open)
        controller.snapshotChanged.connect(self._show)
        controller.replayChanged.connect(self._show)
        controller.closed.connect(self._open)
        theme.current().themeChanged.connect(self._recolour)
        self._recolour()
        self._open()

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._view, 1)
        layout.addWidget(self.legend)
        self.setFocusProxy(self._view)
        self.setMinimumSize(180, 110)
        self._view.setAccessibleName(self.tr("Map of all items"))
        self._view.setAccessibleDescription(
            self.tr("Arrow keys go from item to item, + and - zoom, 0 shows the whole map.")
        )
        self._buttons.fit.clicked.connect(self.fit)
        self._buttons.closer.clicked.connect(self.zoom_in)
        self._buttons.farther.clicked.connect(self.zoom_out)

    def sizeHint(self) -> QSize:
        """Ask for about a square."""
        return QSize(360, 320)

    # ------------------------------------------------------------------ what a view can ask

    @property
    def selected(self) -> int | None:
        """The item that is marked as looked at."""
        return self._selected

    @property
    def highlighted(self) -> int | None:
        """The slot of the group that stands out, if any."""
        return self._highlighted

    def select(self, item: int | None) -> None:
        """Mark an item; bring it into view if it lies outside."""
        self._selected = item
        self._mark_selected()
        if item is not None and self._points is not None:
            x, y = self._points.position(item)
            if not self._box.viewRect().contains(QPointF(x, y)):
                middle = self._box.viewRect().center()
                self._box.translateBy(x=x - middle.x(), y=y - middle.y())
                self._fitted = False

    def highlight(self, slot: int | None) -> None:
        """Let one group stand out and dim all others; None = all alike."""
        if slot != self._highlighted or self._lit is not None:
            self._highlighted, self._lit = slot, None
            self._draw()

    def highlight_items(self, items: IntArray | None) -> None:
        """Let some items stand out, whatever groups they are in; None = all alike."""
        self._highlighted = None
        self._lit = None if items is None else frozenset(items.tolist())
        self._draw()

    def point_out(self, pair: Pair | None, *, line: bool = True) -> None:
        """Mark a pair instead of the one in hand, with a line or without; None = that one again."""
        if pair != self._pair:
            self._pair, self._pair_line = pair, line or pair is None
            self._draw()

    def add_layer(self, layer: pg.GraphicsObject, height: int) -> None:
        """Add something to be seen; items are at height 0, marks from 10 on."""
        layer.setZValue(height)
        self._box.addItem(layer, ignoreBounds=True)

    def positions(self, items: Sequence[int]) -> npt.NDArray[np.float64]:
        """Give the places of some items, float64[m, 2]; m = 0 while none are placed."""
        return np.zeros((0, 2)) if self._points is None else self._points.positions(items)

    def fit(self) -> None:
        """Show the whole map."""
        if self._points is not None:
            whole = with_margins(self._points.extent, self._box.width(), self._box.height())
            self._box.setRange(rect=whole, padding=0, disableAutoRange=True)
        self._fitted = True

    def zoom_in(self) -> None:
        """Come closer."""
        self._zoom(_ZOOM)

    def zoom_out(self) -> None:
        """Go farther."""
        self._zoom(1 / _ZOOM)

    def _zoom(self, factor: float) -> None:
        self._box.scaleBy((factor, factor))
        self._fitted = False

    # ------------------------------------------------------------------ states

    def _open(self, _opened: object = None) -> None:
        """Begin with another study; its points are placed once they can be seen."""
        if self._points is not None:
            self._box.removeItem(self._points.layer)
        opened = self._controller.opened
        self._words = ItemWords(opened)
        self._selected = self._highlighted = self._drawn = self._points = None
        self._lit = self._pair = None
        self._pair_line = True
        self._card.hide()
        self._card.set_words(self._words)
        if opened is None:
            self._draw()
        elif self.isVisible():
            self._place(opened)

    def _place(self, opened: Opened) -> None:
        self._points = MapPoints(self._coordinates(opened))
        self._box.addItem(self._points.layer, ignoreBounds=True)
        self._drawn = self._state()
        self._draw()
        self.fit()

    def _show(self, _snapshot: object = None) -> None:
        self._redrawing.start()

    def _redraw(self) -> None:
        """Draw the state shown, unless it is drawn (look-ahead sends one again) or unseen."""
        opened = self._controller.opened
        if self.isVisible() and self._state() != self._drawn:
            self._drawn = self._state()
            moved = (
                opened is not None
                and self._points is not None
                and self._points.move_to(self._coordinates(opened))
            )
            self._draw()
            if moved:
                self.fit()

    def _coordinates(self, opened: Opened) -> FloatArray:
        """Give the map of the space that items are compared in."""
        shown = self._controller.shown
        learned = None if shown is None else shown.coordinates
        return opened.coordinates if learned is None else learned

    def _state(self) -> tuple[int, int, bool, int] | None:
        shown = self._controller.shown
        return None if shown is None else trail.mark_of(shown)

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what happened unseen."""
        super().showEvent(event)
        opened = self._controller.opened
        if self._points is None and opened is not None:
            self._place(opened)
        self._redraw()

    def _draw(self) -> None:
        shown, points = self._controller.shown, self._points
        self.legend.show_overview(None if shown is None else shown.overview)
        if shown is None or points is None:
            self._marks.mark_prototypes((), ())
            self._marks.mark_criticisms(())
            self._marks.mark_pair((), ())
            self._marks.set_signs(())
            self._mark_selected()
            self.drawn.emit()
            return
        overview = shown.overview
        if self._highlighted not in {None, *NO_GROUPS, *(g.slot for g in overview.groups)}:
            self._highlighted = None  # it was joined to another
        aside = trail.items_set_aside(shown)
        points.restyle(overview, aside, self._highlighted, self._lit)
        prototypes = [item for item in overview.prototypes if self._is_lit(item, overview)]
        self._marks.mark_prototypes(
            [points.position(item) for item in prototypes],
            [slots_of(overview, item) for item in prototypes],
        )
        self._marks.mark_criticisms(
            [points.position(item) for item in overview.criticisms if self._is_lit(item, overview)]
        )
        pair = self._pair or trail.pair_in_hand(shown) or ()
        self._marks.mark_pair(
            [points.position(item) for item in pair],
            [slots_of(overview, item) for item in pair],
            line=self._pair_line,
        )
        lit = self._lit_slots(overview)
        self._marks.set_signs(
            Sign(group.slot, points.middle(heart(group)), group.slot not in lit)
            for group in sorted(overview.groups, key=lambda group: group.slot not in lit)[
                :_MOST_SIGNS
            ]
        )
        self._mark_selected()
        self.drawn.emit()

    def _is_lit(self, item: int, overview: Overview) -> bool:
        if self._lit is not None:
            return item in self._lit
        slots = slots_of(overview, item) or NO_GROUPS
        return self._highlighted is None or self._highlighted in slots

    def _lit_slots(self, overview: Overview) -> frozenset[int]:
        """Give the groups of which any item stands out."""
        if self._lit is not None:
            return slots_of_all(overview, self._lit)
        slots = (group.slot for group in overview.groups)
        return frozenset(slot for slot in slots if self._highlighted in (None, slot))

    def _mark_selected(self) -> None:
        shown, item = self._controller.shown, self._selected
        if shown is None or item is None or self._points is None:
            self._marks.mark_selected((), ())
        else:
            slots = slots_of(shown.overview, item)
            self._marks.mark_selected([self._points.position(item)], [slots])

    def _recolour(self) -> None:
        self._view.setBackground(theme.current().colors.surface)
        self._buttons.recolour()
        if self._points is not None:
            self._points.recolour()
        self._draw()

    # ------------------------------------------------------------------ the view moves

    def _moved_by_hand(self, *_: object) -> None:
        self._fitted = False

    def _range_changed(self, *_: object) -> None:
        self._card.hide()
        self._settle.start()

    def _settled(self) -> None:
        self._marks.give_way()
        if self._points is not None:
            self._points.look_at(self._box.viewRect())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep a whole map whole, and the buttons in their corner."""
        super().resizeEvent(event)
        if self._fitted:
            self.fit()
        size = self._buttons.sizeHint()
        self._buttons.setGeometry(self.width() - size.width() - 6, 6, size.width(), size.height())
        self._buttons.setVisible(self.width() >= _ROOMY or self.underMouse())
        self._buttons.raise_()

    def enterEvent(self, event: QEnterEvent) -> None:
        """Show the buttons, which a small map has no room for otherwise."""
        super().enterEvent(event)
        self._buttons.show()

    def leaveEvent(self, event: QEvent) -> None:
        """Take the buttons away from a small map."""
        super().leaveEvent(event)
        self._buttons.setVisible(self.width() >= _ROOMY)

    def hideEvent(self, event: QHideEvent) -> None:
        """Take the card away with the map."""
        super().hideEvent(event)
        self._card.hide()

    # ------------------------------------------------------------------ pointer and keys

    def item_at(self, where: QPoint) -> int | None:
        """Find the item at a point of the map widget."""
        if self._points is None:
            return None
        place = self._box.mapSceneToView(self._view.mapToScene(where))
        pixel = self._box.viewPixelSize()
        if not np.all(np.isfinite(pixel)) or not all(pixel):
            return None
        return self._points.nearest((place.x(), place.y()), pixel, _REACH)

    def point_of(self, item: int) -> QPoint:
        """Give the point of the map widget at which an item stands.

        Raises
        ------
        LookupError
            While no project is open.
        """
        if self._points is None:
            raise LookupError("no project is open")
        scene = self._box.mapViewToScene(QPointF(*self._points.position(item)))
        where: QPoint = self._view.mapFromScene(scene)
        return where

    def _hover(self, where: QPoint) -> None:
        item, shown = self.item_at(where), self._controller.shown
        if item is None or shown is None:
            self._card.hide()
            self._view.setCursor(Qt.CursorShape.ArrowCursor)
            return
        self._view.setCursor(Qt.CursorShape.PointingHandCursor)
        self._card.show_item(item, shown.overview, self.point_of(item))

    def _click(self, where: QPoint) -> None:
        item = self.item_at(where)
        if item is not None:
            self._pick(item)

    def _pick(self, item: int) -> None:
        self.select(item)
        self.itemSelected.emit(item)

    def walk(self, dx: int, dy: int) -> None:
        """Go to the next item in a direction."""
        if self._points is None:
            return
        if self._selected is None:
            middle = self._box.viewRect().center()
            pixel = self._box.viewPixelSize()
            item = self._points.nearest((middle.x(), middle.y()), pixel, np.inf)
        else:
            item = self._points.neighbour(self._selected, dx, dy)
        if item is not None:
            self._pick(item)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk, zoom and look by keys."""
        key = Qt.Key(event.key())
        if key in _ARROWS and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            self.walk(*_ARROWS[key])
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom_in()
        elif key == Qt.Key.Key_Minus:
            self.zoom_out()
        elif key == Qt.Key.Key_0:
            self.fit()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._selected is not None:
            self.itemSelected.emit(self._selected)
        else:
            super().keyPressEvent(event)
