"""The dendrogram: the tree behind the groups, with a cut line that is dragged.

Hides pointer, keys and what is found under the pointer. Promises that the line follows at once,
that the tree can be walked by the keyboard alone, and that only the part looked at is drawn.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QSizePolicy, QToolTip, QWidget

from desktop import theme
from desktop.widgets.tree.branches import Scale
from desktop.widgets.tree.frame import Frame, Stretch
from desktop.widgets.tree.pointing import Found, find, is_on_cut
from desktop.widgets.tree.tree_drawing import TreeDrawing
from desktop.widgets.tree.tree_words import TreeWords
from engine.model import IntArray, Pair

_CLOSER = 0.8
_LEAP = 1.5  # how many times as many groups a page key goes


class Dendrogram(QWidget):
    """The view.

    Notes
    -----
    Signals, all after something a person did here:

    - `cutMoved(int)`: the line leaves so many groups now.
    - `branchPicked(int | None)`: the items below a node are wanted; None = none any more.
    - `pairPicked(Pair)`: the pair of a question or an answer is wanted.
    - `homeWanted()`: the line is to go back to the level that it stood at first.
    - `menuWanted(QPoint)`: the menu is wanted at a place of the screen.
    """

    cutMoved = Signal(int)
    branchPicked = Signal(object)
    pairPicked = Signal(object)
    homeWanted = Signal()
    menuWanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.drawing: TreeDrawing | None = None
        self._words: TreeWords | None = None
        self._cutting = False
        self._pressed: QPointF | None = None
        self._panned_from: Stretch | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(300, 200)
        self.setAccessibleName(self.tr("Tree of merged groups"))
        theme.current().themeChanged.connect(self.update)

    def sizeHint(self) -> QSize:
        """Ask for more width than height."""
        return QSize(640, 440)

    # ------------------------------------------------------------------ what a view can ask

    def show_tree(self, drawing: TreeDrawing | None, tree_words: TreeWords | None) -> None:
        """Show another tree; None = none."""
        self.drawing, self._words = drawing, tree_words
        if drawing is not None:
            drawing.captions = {
                Scale.DISTANCE: self.tr("Distance"),
                Scale.GROUPS: self.tr("Groups left"),
            }
            drawing.standing = self.tr("the next question")
        self._cutting, self._pressed = False, None
        self._tell()
        self.update()

    def set_groups(self, groups: int) -> None:
        """Put the cut line where it leaves so many groups."""
        if self.drawing is not None and groups != self.drawing.groups:
            self.drawing.groups = groups
            self._tell()
            self.update()

    def color(self, slots: IntArray) -> None:
        """Take the groups that are shown."""
        if self.drawing is not None:
            self.drawing.branches.color(slots)
            self.update()

    def set_scale(self, scale: Scale) -> None:
        """Let the way up measure something else."""
        if self.drawing is not None:
            self.drawing.scale = scale
            self.update()

    def mark_item(self, item: int | None) -> None:
        """Mark an item and its way up."""
        if self.drawing is not None:
            self.drawing.item, self.drawing.pair = item, None
            self.update()

    def mark_pair(self, pair: Pair | None) -> None:
        """Mark two items and the ways to where they meet."""
        if self.drawing is not None:
            self.drawing.pair, self.drawing.item = pair, None
            self.update()

    def mark_branch(self, node: int | None) -> None:
        """Lay a ground under a branch."""
        if self.drawing is not None:
            self.drawing.branch = node
            self._tell()
            self.update()

    def look_at(self, node: int) -> None:
        """Show a branch alone, as large as there is room."""
        if self.drawing is not None:
            branches = self.drawing.branches
            self._stretch_to(branches.left[node], branches.right[node])

    def show_all(self) -> None:
        """Show the whole tree."""
        self._stretch_to(0.0, 1.0)

    def zoom_in(self) -> None:
        """Come closer to what is looked at: the chosen branch, else the middle."""
        self._zoom(_CLOSER, self._middle())

    def zoom_out(self) -> None:
        """Go farther."""
        self._zoom(1 / _CLOSER, self._middle())

    def open_branch(self) -> None:
        """Show the chosen branch alone."""
        if self.drawing is not None and self.drawing.branch is not None:
            self.look_at(self.drawing.branch)

    def up_one(self) -> None:
        """Show the branch that the one looked at is part of."""
        if self.drawing is None:
            return
        stretch, branches = self.drawing.stretch, self.drawing.branches
        node = branches.around(stretch.left, stretch.right)
        whole = branches.right[node] - branches.left[node] <= stretch.wide + 1e-9
        if whole and branches.parent[node] >= 0:
            node = branches.parent[node]
        self.look_at(node)

    def paper(self) -> Frame | None:
        """Give the paper as it lies in the widget."""
        return self.drawing.frame(QRectF(self.rect())) if self.drawing is not None else None

    # ------------------------------------------------------------------ moving

    def _middle(self) -> float:
        drawing = self.drawing
        if drawing is None:
            return 0.5
        if drawing.branch is not None:
            return drawing.branches.stem[drawing.branch]
        return (drawing.stretch.left + drawing.stretch.right) / 2

    def _zoom(self, factor: float, around: float) -> None:
        if self.drawing is None:
            return
        stretch, branches = self.drawing.stretch, self.drawing.branches
        item = branches.at(min(1.0, max(0.0, around)))
        least = 2 * (branches.right[item] - branches.left[item])
        wide = min(1.0, max(min(least, stretch.wide), stretch.wide * factor))
        share = (around - stretch.left) / stretch.wide
        self._stretch_to(around - share * wide, around + (1 - share) * wide)

    def _stretch_to(self, left: float, right: float) -> None:
        """Look at another part, within the tree."""
        wide = min(1.0, right - left)
        left = min(1.0 - wide, max(0.0, left))
        if self.drawing is not None:
            self.drawing.stretch = Stretch(left, left + wide)
            self.update()

    def _cut(self, groups: int) -> None:
        """Move the line by hand."""
        if self.drawing is None:
            return
        groups = min(self.drawing.branches.n, max(1, groups))
        if groups != self.drawing.groups:
            self.set_groups(groups)
            self.cutMoved.emit(groups)

    def _walk(self, by: int) -> None:
        """Choose the next group to the right or left."""
        if self.drawing is None:
            return
        tops = self.drawing.branches.tops(self.drawing.groups)
        chosen = self.drawing.branch
        if chosen in tops:
            at = min(len(tops) - 1, max(0, tops.index(chosen) + by))
        else:
            at = 0 if by > 0 else len(tops) - 1
        self.branchPicked.emit(tops[at])

    # ------------------------------------------------------------------ pointer

    def what_is(self, at: QPointF) -> Found:
        """Find what is at a place of the widget."""
        frame = self.paper()
        return Found() if self.drawing is None or frame is None else find(self.drawing, frame, at)

    def _is_on_cut(self, at: QPointF) -> bool:
        frame = self.paper()
        if self.drawing is None or frame is None:
            return False
        handle = self.drawing.handle(float(self.fontMetrics().height()), frame)
        return handle.contains(at) or is_on_cut(frame, self.drawing.groups, at)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of the cut line, or of the tree."""
        if event.button() != Qt.MouseButton.LeftButton or self.drawing is None:
            return
        self._pressed = event.position()
        self._cutting = self._is_on_cut(event.position())
        self._panned_from = self.drawing.stretch

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move what is held; show what can be."""
        drawing, frame, at = self.drawing, self.paper(), event.position()
        if drawing is None or frame is None:
            return
        if self._pressed is None:
            on_cut = self._is_on_cut(at)
            found = Found() if on_cut else self.what_is(at)
            there = found.node is not None or bool(found.inquiries)
            pointing = Qt.CursorShape.PointingHandCursor if there else Qt.CursorShape.ArrowCursor
            self.setCursor(Qt.CursorShape.SizeVerCursor if on_cut else pointing)
        elif self._cutting:
            self._cut(drawing.branches.groups_at(frame.up(at.y()), drawing.scale))
        elif self._panned_from is not None and self._is_drag(at):
            moved = (at.x() - self._pressed.x()) / frame.plot.width() * drawing.stretch.wide
            self._stretch_to(self._panned_from.left - moved, self._panned_from.right - moved)

    def _is_drag(self, at: QPointF) -> bool:
        far = QApplication.startDragDistance()
        return self._pressed is not None and (at - self._pressed).manhattanLength() >= far

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Choose what was clicked, not dragged."""
        clicked = self._pressed is not None and not self._is_drag(event.position())
        on_cut = self._cutting
        self._pressed, self._cutting = None, False
        if not clicked:
            return
        found = self.what_is(event.position())
        if found.inquiries:
            self.pairPicked.emit(found.inquiries[0].pair)
        elif found.said:
            self.pairPicked.emit(found.said[0].pair)
        elif not on_cut:
            self.branchPicked.emit(found.node)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Open the branch that was clicked."""
        if event.button() == Qt.MouseButton.LeftButton and not self._is_on_cut(event.position()):
            node = self.what_is(event.position()).node
            if node is not None:
                self.branchPicked.emit(node)
                self.look_at(node)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Come closer to what is below the pointer, or go farther."""
        frame = self.paper()
        turns = event.angleDelta().y() / 120
        if frame is not None and turns:
            self._zoom(_CLOSER**turns, frame.across(event.position().x()))
        event.accept()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask for the menu."""
        if self.drawing is not None:
            self.menuWanted.emit(event.globalPos())

    def event(self, event: QEvent) -> bool:
        """Tell about what is below the pointer."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            at = QPointF(event.pos())
            text = ""
            if self._words is not None and self.drawing is not None:
                found = self.what_is(at)
                if self._is_on_cut(at):
                    text = self._words.cut(self.drawing.groups)
                elif found.inquiries:
                    text = self._words.inquiries(found.inquiries)
                elif found.said:
                    text = self._words.said(found.said, self.drawing.groups)
                elif found.node is not None:
                    text = self._words.branch(found.node)
            QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().event(event)

    # ------------------------------------------------------------------ keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the cut, walk from group to group, come closer."""
        if self.drawing is None or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier & ~(
            Qt.KeyboardModifier.ShiftModifier
        ):
            super().keyPressEvent(event)
            return
        groups, key = self.drawing.groups, Qt.Key(event.key())
        if key in _LEVELS:
            self._cut(groups + _LEVELS[key])
        elif key == Qt.Key.Key_PageUp:
            self._cut(min(groups - 1, int(groups / _LEAP)))
        elif key == Qt.Key.Key_PageDown:
            self._cut(max(groups + 1, int(groups * _LEAP)))
        elif key == Qt.Key.Key_Home:
            self.homeWanted.emit()
        elif key in _SIDES:
            self._walk(_SIDES[key])
        elif key in _LOOKS:
            _LOOKS[key](self)
        else:
            super().keyPressEvent(event)

    # ------------------------------------------------------------------ painting

    def _tell(self) -> None:
        """Say to screen readers what is seen."""
        told = ""
        if self._words is not None and self.drawing is not None:
            told = self._words.cut(self.drawing.groups)
            if self.drawing.branch is not None:
                told += " " + self._words.branch(self.drawing.branch)
        self.setAccessibleDescription(told)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the tree, or an empty paper."""
        painter = QPainter(self)
        painter.setFont(self.font())
        colors = theme.current().colors
        if self.drawing is not None:
            self.drawing.paint(painter, QRectF(self.rect()))
        else:
            painter.fillRect(self.rect(), QColor(colors.surface))
        if self.hasFocus():
            painter.setPen(QPen(QColor(colors.accent), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.rect().adjusted(1, 1, -1, -1))
        painter.end()


_LEVELS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
_SIDES = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
_LOOKS = {
    Qt.Key.Key_Return: Dendrogram.open_branch,
    Qt.Key.Key_Enter: Dendrogram.open_branch,
    Qt.Key.Key_Backspace: Dendrogram.up_one,
    Qt.Key.Key_Plus: Dendrogram.zoom_in,
    Qt.Key.Key_Equal: Dendrogram.zoom_in,
    Qt.Key.Key_Minus: Dendrogram.zoom_out,
    Qt.Key.Key_0: Dendrogram.show_all,
}
