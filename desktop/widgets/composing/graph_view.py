"""The composition graph: single groups, what they make together, and what speaks for it.

Hides the scene and how one finds one's way in it. Promises that the keyboard reaches every card,
that what is hovered or chosen shows all it is joined to, and that a choice outlives a new state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QGraphicsScene, QGraphicsView, QWidget

from desktop import theme
from desktop.widgets.composing.graph_cards import (
    Card,
    CompositionCard,
    GroupCard,
    Line,
    Paints,
    strength,
)
from desktop.widgets.composing.graph_layout import Layout, Slots, lay_out
from desktop.widgets.composing.sharing import Sharing
from desktop.widgets.composing.sharing_words import SharingWords
from desktop.widgets.item_words import ItemWords

if TYPE_CHECKING:
    from desktop.images import PictureStore

_MARGIN = 20
_EDGE = 6  # of the view, in pixels
CLOSER = 1.2
"""How much one step comes closer."""
_LEAST, _MOST = 0.35, 2.0
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class GraphView(QGraphicsView):
    """The view.

    Parameters
    ----------
    pictures
        Where thumbnails come from.

    Notes
    -----
    Signals: `chosen(tuple | None)`, the slots of the card that was chosen; `itemsWanted(tuple)`,
    the items of a card are wanted; `groupWanted(int)`, all of a group is wanted.
    """

    chosen = Signal(object)
    itemsWanted = Signal(object)
    groupWanted = Signal(int)

    def __init__(self, pictures: PictureStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._pictures = pictures
        self._scene = QGraphicsScene(self)
        self._scene.setItemIndexMethod(QGraphicsScene.ItemIndexMethod.NoIndex)
        self.setScene(self._scene)
        self._sharing: Sharing | None = None
        self._words: SharingWords | None = None
        self._item_words = ItemWords(None)
        self._layout: Layout | None = None
        self.cards: dict[Slots, Card] = {}
        self.lines: list[Line] = []
        self.choice: Slots | None = None
        self._is_zoomed = False
        self._hovered: Slots | None = None
        self._is_new = True
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.FullViewportUpdate)
        self.setMouseTracking(True)
        self.setMinimumSize(300, 200)
        self.setAccessibleName(self.tr("Composition graph"))
        for arrived in (pictures.pictureReady, pictures.pictureFailed):
            arrived.connect(self._repaint)
        theme.current().themeChanged.connect(self._recolour)
        self._recolour()

    def _repaint(self, *_: object) -> None:
        self.viewport().update()

    def _recolour(self) -> None:
        colors = theme.current().colors
        self.setBackgroundBrush(QColor(colors.surface))
        self.setStyleSheet(
            f"QGraphicsView {{ border: 1px solid {colors.border}; border-radius: 6px; }}"
            f"QGraphicsView:focus {{ border: 2px solid {colors.accent}; }}"
        )
        self.viewport().update()

    # ------------------------------------------------------------------ states

    def forget(self, item_words: ItemWords) -> None:
        """Begin with another study."""
        self._item_words, self._sharing, self._words = item_words, None, None
        self.choice = self._hovered = None
        self._is_zoomed, self._is_new = False, True
        self._draw()

    def show_sharing(self, sharing: Sharing) -> None:
        """Take another state; what was chosen stays so where it still is."""
        self._sharing, self._words = sharing, SharingWords(sharing)
        self._draw()
        if self.choice is not None and self.choice not in self.cards:
            self.choice = None
            self.chosen.emit(None)
        self._light()

    def changeEvent(self, event: QEvent) -> None:
        """Measure anew with another font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._draw()
            self._light()

    def _draw(self) -> None:
        self._scene.clear()
        self.cards, self.lines, self._layout, self._hovered = {}, [], None, None
        sharing, said = self._sharing, self._words
        if sharing is None or said is None or not sharing.groups:
            return
        longest = max((max(one.alone, one.fit) for one in sharing.compositions), default=0.0)
        paints = Paints(
            words=said,
            items=self._item_words,
            pictures=self._pictures,
            font=self.font(),
            longest=longest,
            most=max((len(one.groups) for one in sharing.compositions), default=2),
            exemplars=tuple(group.exemplar for group in sharing.groups),
            labels=(self.tr("together"), self.tr("nearest single")),
        )
        groups = [group.slot for group in sharing.groups]
        sets = [one.groups for one in sharing.compositions]
        layout = self._layout = lay_out(groups, sets, paints.sizes())
        for group in sharing.groups:
            self._add(GroupCard(paints, group, layout.places[group.slot,]))
        for one in sharing.compositions:
            best = int(sharing.items_in(one.groups)[0])
            made = CompositionCard(paints, one, best, layout.places[one.groups])
            self._add(made)
            # lines end one below the other as they begin, so that they do not cross at the end
            parts = [self.cards[slot,] for slot in one.groups if (slot,) in self.cards]
            for at, part in enumerate(sorted(parts, key=lambda card: card.y()), 1):
                line = Line(part, made, strength(one), at / (len(parts) + 1))
                self.lines.append(line)
                self._scene.addItem(line)
        for slots, card in self.cards.items():
            card.setToolTip(self.told(slots))
        self._scene.setSceneRect(self._around())
        self._fit_width()

    def _add(self, card: Card) -> None:
        self.cards[card.slots] = card
        self._scene.addItem(card)

    def _around(self) -> QRectF:
        around = QRectF()
        for card in self.cards.values():
            around = around.united(QRectF(card.x(), card.y(), card.wide, card.high))
        return around.adjusted(-_MARGIN, -_MARGIN, _MARGIN, _MARGIN)

    # ------------------------------------------------------------------ what is chosen

    def choose(self, slots: Slots | None) -> None:
        """Choose a card; None = none."""
        if slots is not None and slots not in self.cards:
            return
        changed = slots != self.choice
        self.choice = slots
        self._light()
        if slots is not None:
            card = self.cards[slots]
            place = QRectF(card.x(), card.y(), card.wide, card.high)
            self.ensureVisible(place, _MARGIN, _MARGIN)
        if changed:
            self.chosen.emit(slots)

    def told(self, slots: Slots) -> str:
        """Tell about a card in words."""
        card, said = self.cards.get(slots), self._words
        if said is None:
            return ""
        if isinstance(card, CompositionCard):
            name = self._item_words.name(card.item)
            best = self.tr("Fits best: {0}").format(name)
            return f"{said.composition(card.composition)}. {best}."
        if isinstance(card, GroupCard):
            makes = len(self.joined(slots)) - 1
            part = self.tr("part of 1 composition")
            if makes != 1:
                part = self.tr("part of {0} compositions", "", makes).format(makes)
            return f"{said.names(slots)}: {said.group(card.of)}; {part}."
        return ""

    def joined(self, slots: Slots) -> frozenset[Slots]:
        """Give a card and those it is joined to by lines."""
        if len(slots) == 1:
            others = (made for made in self.cards if len(made) > 1 and slots[0] in made)
        else:
            others = ((slot,) for slot in slots if (slot,) in self.cards)
        return frozenset((slots, *others))

    def _light(self) -> None:
        """Let what is hovered, else what is chosen, stand out with all that it is joined to."""
        centre = self._hovered or self.choice
        lit = self.joined(centre) if centre is not None else frozenset(self.cards)
        for slots, card in self.cards.items():
            card.set_state(
                chosen=slots == self.choice,
                hovered=slots == self._hovered,
                faded=slots not in lit,
            )
        for line in self.lines:
            ends = {line.start.slots, line.made.slots}
            at_centre = centre is not None and centre in ends
            line.set_state(lit=at_centre, faded=centre is not None and not at_centre)
        self.setAccessibleDescription(
            self.told(self.choice)
            if self.choice is not None
            else self.tr("Arrow keys walk from card to card.")
        )

    # ------------------------------------------------------------------ size

    def fit(self) -> None:
        """Show all of it, as large as there is room."""
        self._is_zoomed = True
        self.fitInView(self._scene.sceneRect(), Qt.AspectRatioMode.KeepAspectRatio)
        self._bound()

    def _fit_width(self) -> None:
        """Show its whole width, but no larger than it is, unless a person chose otherwise."""
        wide = self._scene.sceneRect().width()
        if wide > 0 and not self._is_zoomed:
            room = self.width() - self.verticalScrollBar().sizeHint().width() - _EDGE
            scale = min(1.0, max(_LEAST, room / wide))
            top = self.mapToScene(0, 0).y()
            self.resetTransform()
            self.scale(scale, scale)
            self.verticalScrollBar().setValue(round(top * scale))

    def showEvent(self, event: QShowEvent) -> None:
        """Begin a study at the top."""
        super().showEvent(event)
        if self._is_new:
            self._is_new = False
            self._fit_width()
            self.verticalScrollBar().setValue(self.verticalScrollBar().minimum())

    def zoom(self, factor: float) -> None:
        """Come closer, or go farther."""
        self._is_zoomed = True
        self.scale(factor, factor)
        self._bound()

    def _bound(self) -> None:
        scale = self.transform().m11()
        bounded = min(_MOST, max(_LEAST, scale))
        self.scale(bounded / scale, bounded / scale)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show the whole width as long as text stays large enough."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit_width()

    # ------------------------------------------------------------------ pointer

    def card_at(self, event: QMouseEvent) -> Card | None:
        """Find the card below the pointer."""
        found = self.itemAt(event.position().toPoint())
        return found if isinstance(found, Card) else None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Let what is below the pointer stand out."""
        super().mouseMoveEvent(event)
        card = self.card_at(event)
        self._hover(card.slots if card is not None else None)

    def leaveEvent(self, event: QEvent) -> None:
        """Let nothing stand out but what is chosen."""
        super().leaveEvent(event)
        self._hover(None)

    def _hover(self, slots: Slots | None) -> None:
        if slots != self._hovered:
            self._hovered = slots
            pointing = Qt.CursorShape.PointingHandCursor
            self.viewport().setCursor(pointing if slots else Qt.CursorShape.ArrowCursor)
            self._light()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Choose what was clicked."""
        super().mouseReleaseEvent(event)
        if event.button() == Qt.MouseButton.LeftButton:
            card = self.card_at(event)
            self.choose(card.slots if card is not None else None)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Ask for the items of what was clicked."""
        super().mouseDoubleClickEvent(event)
        card = self.card_at(event)
        if card is not None:
            self.choose(card.slots)
            self.itemsWanted.emit(card.slots)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll; with Ctrl come closer or go farther."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom(CLOSER ** (event.angleDelta().y() / 120))
            event.accept()
        else:
            super().wheelEvent(event)

    # ------------------------------------------------------------------ keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk, choose, let go, come closer."""
        key = Qt.Key(event.key())
        if event.modifiers() & ~(
            Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.ShiftModifier
        ):
            super().keyPressEvent(event)
        elif key in _STEPS:
            self._walk(*_STEPS[key])
        elif key in _ENTER and self.choice is not None:
            self.itemsWanted.emit(self.choice)
        elif key == Qt.Key.Key_G and self.choice is not None and len(self.choice) == 1:
            self.groupWanted.emit(self.choice[0])
        elif key == Qt.Key.Key_Escape and self.choice is not None:
            self.choose(None)
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom(CLOSER)
        elif key == Qt.Key.Key_Minus:
            self.zoom(1 / CLOSER)
        elif key == Qt.Key.Key_0:
            self.fit()
        elif event.text().isalpha():
            event.ignore()
        else:
            super().keyPressEvent(event)

    def _walk(self, across: int, down: float) -> None:
        """Go to the next card of the column, or to the nearest of the next column."""
        layout = self._layout
        if layout is None:
            return
        if self.choice is None:
            self.choose(layout.columns[layout.groups_at][0])
            return
        at = next(at for at, column in enumerate(layout.columns) if self.choice in column)
        column = layout.columns[at]
        if across:
            at = min(len(layout.columns) - 1, max(0, at + across))
            if self.choice not in layout.columns[at]:
                self.choose(self._nearest(layout, self.choice, layout.columns[at]))
        else:
            place = column.index(self.choice) + down
            self.choose(column[int(min(len(column) - 1, max(0, place)))])

    def _nearest(self, layout: Layout, slots: Slots, column: tuple[Slots, ...]) -> Slots:
        """Find the card of a column that is nearest in height, of those joined if there are any."""
        joined = [one for one in column if one in self.joined(slots)]
        return min(joined or column, key=lambda one: abs(layout.middle(one) - layout.middle(slots)))


_END = float(10**9)
_STEPS = {
    Qt.Key.Key_Up: (0, -1.0),
    Qt.Key.Key_Down: (0, 1.0),
    Qt.Key.Key_Home: (0, -_END),
    Qt.Key.Key_End: (0, _END),
    Qt.Key.Key_Left: (-1, 0.0),
    Qt.Key.Key_Right: (1, 0.0),
}
