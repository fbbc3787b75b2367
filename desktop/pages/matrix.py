"""The matrix page: which item belongs to which groups, and which groups make others together.

Hides how matrix, graph and item view follow each other. Promises that it shows the state of the
window, replayed or live, in projects where items may belong to several groups.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from desktop import theme
from desktop.widgets import trail, words
from desktop.widgets.composing.graph_view import CLOSER, GraphView
from desktop.widgets.composing.matrix_view import MatrixView
from desktop.widgets.composing.sharing import Sharing, Slots, Wanted, Which
from desktop.widgets.composing.sieve import Sieve
from desktop.widgets.elided_label import ElidedLabel
from desktop.widgets.groups.item_view import ItemView
from desktop.widgets.history.replay_notice import ReplayNotice
from desktop.widgets.item_words import ItemWords

if TYPE_CHECKING:
    from desktop.controller import Controller
    from desktop.images import PictureStore

MATRIX, GRAPH, NOTHING = range(3)


class MatrixPage(QWidget):
    """The page.

    Parameters
    ----------
    controller
        Whose `shown` state is drawn.
    pictures
        Where thumbnails and pictures come from.

    Notes
    -----
    `groupWanted(int)`, `itemWanted(int)`, `inCommonWanted(int)`: all items of a group, an item
    among those of its groups, or all that share a group with an item, are to be shown on the
    overview page.
    """

    groupWanted = Signal(int)
    itemWanted = Signal(int)
    inCommonWanted = Signal(int)

    def __init__(
        self, controller: Controller, pictures: PictureStore, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("matrixPage")
        self._controller = controller
        self._sharing: Sharing | None = None
        self._mark: object = None
        self._view = MATRIX
        self._is_drawn = False  # the graph, in this state
        self.matrix = MatrixView(pictures)
        self.graph = GraphView(pictures)
        self.sieve = Sieve()
        self.item_view = ItemView(controller, pictures)
        self.replay = ReplayNotice(controller)
        self._make_parts()
        self._lay_out()
        self._connect()
        self._open()

    # ------------------------------------------------------------------ layout

    def _make_parts(self) -> None:
        self._views = QButtonGroup(self)
        for view, (text, key) in enumerate(
            ((self.tr("Matrix"), "M"), (self.tr("Composition graph"), "C"))
        ):
            button = QPushButton(text, self)
            button.setCheckable(True)
            button.setToolTip(self.tr("Show: {0} ({1})").format(text, key))
            button.setAccessibleName(self.tr("Show: {0}").format(text))
            self._views.addButton(button, view)
        self._label = QLabel(self.tr("&Items"), self)
        self._label.setBuddy(self.sieve)
        self._count = QLabel(self)
        self._count.setProperty("role", "muted")
        self._told = ElidedLabel(parent=self)
        self._told.setProperty("role", "muted")
        self._show_items = QPushButton(self.tr("Show its items"), self)
        self._show_items.setToolTip(self.tr("Show its items in the matrix (Enter)"))
        self._show_group = QPushButton(self.tr("Go to the group"), self)
        self._show_group.setToolTip(self.tr("Show the group on the overview page (G)"))
        for button in (self._show_items, self._show_group):
            button.setProperty("role", "small")
        self._nothing = QLabel(self, wordWrap=True, alignment=Qt.AlignmentFlag.AlignCenter)
        self._nothing.setProperty("role", "muted")

    def _lay_out(self) -> None:
        above = QHBoxLayout()
        for button in self._views.buttons():
            above.addWidget(button)
        above.addStretch(1)
        self._tools = [self._zoom_tools(), self._label, self.sieve, self._count]
        for part in self._tools:
            above.addWidget(part)
        self._stack = QStackedWidget(self)
        for part in (self.matrix, self.graph, self._nothing):
            self._stack.addWidget(part)
        below = QHBoxLayout()
        below.addWidget(self._told, 1)
        below.addWidget(self._show_group)
        below.addWidget(self._show_items)
        left = QWidget(self)
        column = self._column = QVBoxLayout(left)
        column.setSpacing(6)
        column.addLayout(above)
        column.addWidget(self.replay)
        column.addWidget(self._stack, 1)
        column.addLayout(below)
        self.item_view.setMinimumWidth(230)
        self._split = QSplitter(Qt.Orientation.Horizontal, self)
        self._split.addWidget(left)
        self._split.addWidget(self.item_view)
        self._split.setStretchFactor(0, 1)
        self._split.setSizes([880, 280])
        self._split.setChildrenCollapsible(False)
        page = QHBoxLayout(self)
        page.setContentsMargins(0, 0, 0, 0)
        page.addWidget(self._split)

    def _zoom_tools(self) -> QWidget:
        """Make the buttons that bring the graph closer."""
        self._zoom = QWidget(self)
        row = QHBoxLayout(self._zoom)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        self._zoomers: list[tuple[QToolButton, str]] = []
        for text, keys, icon, act in (
            (self.tr("Closer"), "+", "zoom-in", lambda: self.graph.zoom(CLOSER)),
            (self.tr("Farther"), "−", "zoom-out", lambda: self.graph.zoom(1 / CLOSER)),
            (self.tr("All of it"), "0", "fit", self.graph.fit),
        ):
            button = QToolButton(self._zoom)
            button.setAccessibleName(text)
            button.setToolTip(f"{text} ({keys})")
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.clicked.connect(act)
            row.addWidget(button)
            self._zoomers.append((button, icon))
        return self._zoom

    def _recolour(self) -> None:
        for button, icon in self._zoomers:
            button.setIcon(theme.icon(icon))

    def _connect(self) -> None:
        controller = self._controller
        controller.studyOpened.connect(self._open)
        controller.closed.connect(self._open)
        controller.snapshotChanged.connect(self._refresh)
        controller.replayChanged.connect(self._refresh)
        self._views.idClicked.connect(self.show_view)
        self.sieve.wantedChanged.connect(self.want)
        self.matrix.wantedChanged.connect(self.want)
        self.matrix.itemSelected.connect(self.item_view.show_item)
        self.matrix.itemActivated.connect(self.itemWanted)
        self.matrix.groupActivated.connect(self.groupWanted)
        self.matrix.matrix.modelReset.connect(self._tell)
        self.graph.chosen.connect(self._chose)
        self.graph.itemsWanted.connect(self.show_items)
        self.graph.groupWanted.connect(self.groupWanted)
        self.item_view.itemSelected.connect(self._look_at)
        self.item_view.groupRequested.connect(self.groupWanted)
        self.item_view.inCommonRequested.connect(self.inCommonWanted)
        self._show_items.clicked.connect(lambda: self.show_items(self.graph.choice))
        self._show_group.clicked.connect(self._go_to_group)
        theme.current().themeChanged.connect(self._recolour)
        self._recolour()

    # ------------------------------------------------------------------ states

    def _open(self, _opened: object = None) -> None:
        item_words = ItemWords(self._controller.opened)
        self._sharing, self._mark = None, None
        self.matrix.forget()
        self.matrix.matrix.open(item_words)
        self.graph.forget(item_words)
        self.sieve.choose(Wanted(), None)
        self.show_view(MATRIX)

    def _refresh(self, _snapshot: object = None) -> None:
        """Take the state that is shown, once it is seen."""
        shown = self._controller.shown
        if not self.isVisible() or shown is None:
            return
        mark = trail.mark_of(shown)
        if mark == self._mark:  # look-ahead sends the same state again
            return
        self._mark = mark
        memberships = shown.overview.memberships
        self._sharing = Sharing(shown.overview, memberships) if memberships is not None else None
        if self._sharing is not None:
            self.matrix.show_sharing(self._sharing)
            self._is_drawn = False
        self.sieve.show_sharing(self._sharing)
        self._arrange()

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with the state."""
        super().showEvent(event)
        self._refresh()

    # ------------------------------------------------------------------ what is seen

    @property
    def view(self) -> int:
        """Which view is shown, `MATRIX` or `GRAPH`."""
        return self._view

    def show_view(self, view: int) -> None:
        """Show the matrix or the graph."""
        self._view = view
        self._views.button(view).setChecked(True)
        self.setFocusProxy(self.graph if view == GRAPH else self.matrix)
        had_focus = self.isAncestorOf(self.focusWidget() or self)
        self._arrange()
        if had_focus and self.isVisible():
            self.setFocus()

    def _arrange(self) -> None:
        sharing, at_graph = self._sharing, self._view == GRAPH
        if at_graph and sharing is not None and not self._is_drawn:
            self._is_drawn = True
            self.graph.show_sharing(sharing)
        told = self._why_nothing()
        self._nothing.setText(told)
        self._stack.setCurrentIndex(NOTHING if told else self._view)
        beside = not at_graph and sharing is not None
        self.item_view.setVisible(beside)
        self._column.setContentsMargins(8, 8, 0 if beside else 8, 6)
        for part in (self._label, self.sieve, self._count):
            part.setVisible(not at_graph)
        self._zoom.setVisible(at_graph)
        self._zoom.setEnabled(not told)
        self._tell()

    def _why_nothing(self) -> str:
        """Say why there is nothing to see; "" = there is something."""
        if self._sharing is None:
            return self.tr("In this state each item belongs to one group only.")
        if not self._sharing.groups:
            return self.tr("There are no groups yet: answer a few questions first.")
        if self._view == MATRIX and self.matrix.matrix.rowCount() == 0:
            return self.tr("No items answer to this choice now.")
        return ""

    def _tell(self) -> None:
        """Say below the view what is chosen, above it how many items are shown."""
        choice = self.graph.choice if self._view == GRAPH else None
        self._show_items.setVisible(choice is not None)
        self._show_group.setVisible(choice is not None and len(choice) == 1)
        if choice is not None:
            self._told.setText(self.graph.told(choice))
        elif self._view == GRAPH:
            self._told.setText(
                self.tr(
                    "A thick line: items lie much nearer to what the groups make together than to"
                    " a single one. Dashed: little speaks for it."
                )
            )
        else:
            self._told.setText(
                self.tr(
                    "S sorts by the column you stand in, Enter opens its group, C shows how groups"
                    " compose."
                )
            )
        self._count.setText(words.items(self.matrix.matrix.rowCount()))

    # ------------------------------------------------------------------ what a person does

    def want(self, wanted: Wanted) -> None:
        """Show other items in the matrix."""
        self.sieve.choose(wanted, self._sharing)
        self.matrix.want(wanted)
        self._arrange()

    def show_items(self, slots: Slots | None) -> None:
        """Show the items of a card of the graph: all of a group, or just those of a set."""
        if slots is not None:
            self.want(Wanted(Which.GROUP if len(slots) == 1 else Which.SET, slots))
            self.show_view(MATRIX)
            self.matrix.setFocus()

    def _chose(self, _slots: object) -> None:
        self._tell()

    def _go_to_group(self) -> None:
        if self.graph.choice is not None:
            self.groupWanted.emit(self.graph.choice[0])

    def _look_at(self, item: int) -> None:
        """Look at the other item of an answer, among all if it is not shown."""
        if self.matrix.matrix.row_of(item) < 0:
            self.want(Wanted())
        self.matrix.select(item)
        self.item_view.show_item(item)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Change the view, go to the choice of items, or back to all of them."""
        if event.modifiers() & ~Qt.KeyboardModifier.ShiftModifier:
            super().keyPressEvent(event)
            return
        match event.key():
            case Qt.Key.Key_M:
                self.show_view(MATRIX)
                self.setFocus()
            case Qt.Key.Key_C:
                self.show_view(GRAPH)
                self.setFocus()
            case Qt.Key.Key_F if self._view == MATRIX:
                self.sieve.setFocus()
                self.sieve.showPopup()
            case Qt.Key.Key_Escape if self.sieve.wanted != Wanted():
                self.want(Wanted())
            case _:
                super().keyPressEvent(event)
