"""The history beside the judging: what was said, what it changed, and the way back.

Hides which request a click becomes. Promises that looking (a click, replay) never changes
anything, that going back is always said in words on a button, and that no answer key acts here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPoint, QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QComboBox,
    QDockWidget,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QPushButton,
    QStackedLayout,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from desktop import theme
from desktop.messages import GoTo, Redo, Revise, Undo
from desktop.widgets import words
from desktop.widgets.history.history_list import HistoryList
from desktop.widgets.history.history_model import HistoryModel, Show
from desktop.widgets.history.history_rows import START, Row
from desktop.widgets.history.replay_bar import ReplayBar
from desktop.widgets.item_words import ItemWords
from engine.model import Verdict

if TYPE_CHECKING:
    from desktop.controller import Controller
    from desktop.images import PictureStore


_WIDE = 440  # pixels from which on all buttons stand in one row


class HistoryDock(QDockWidget):
    """The dock.

    Parameters
    ----------
    controller
        Whose live history is listed; is asked to look, go back, and change.
    pictures
        Where thumbnails come from.

    Notes
    -----
    `contradictionRequested(seq)`: the person wants to look at the contradiction that an answer is
    part of.
    """

    contradictionRequested = Signal(int)

    def __init__(
        self, controller: Controller, pictures: PictureStore, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("History"))
        self.setObjectName("historyDock")
        self._controller = controller
        self._revision: int | None = None
        self._was_replaying = False
        self.steps = HistoryModel(self)
        self.list = HistoryList(self.steps, pictures, self)
        self.replay = ReplayBar(controller)
        self._make_parts()
        self._name_filter()
        self._lay_out()
        self._connect()
        self._recolour()
        self._open()

    def _make_parts(self) -> None:
        self._undo = QPushButton(self)
        self._redo = QPushButton(self)
        self._filter = QComboBox(self)
        self._filter.setAccessibleName(self.tr("Which steps to show"))
        short = QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        self._filter.setSizeAdjustPolicy(short)
        self._filter.setMinimumContentsLength(6)
        for show, text in (
            (Show.ALL, self.tr("All steps")),
            (Show.SAME, self.tr("Same")),
            (Show.DIFFERENT, self.tr("Different")),
            (Show.UNSURE, self.tr("Unsure")),
            (Show.CHANGED, self.tr("Changed the groups")),
            (Show.OVERRULED, self.tr("Overruled")),
        ):
            self._filter.addItem(text, show)
        self._filter.view().setAccessibleName(self._filter.accessibleName())
        self._search = QLineEdit(self)
        self._search.setPlaceholderText(self.tr("Find"))
        self._search.setAccessibleName(self.tr("Find steps by #number, item, name or note"))
        self._search.setToolTip(self._search.accessibleName())
        self._search.setClearButtonEnabled(True)
        for clear in self._search.findChildren(QToolButton):
            clear.setAccessibleName(self.tr("Clear"))
        self._now = QWidget(self)
        self._notice = QWidget(self)
        self._go_back = QPushButton(self._notice)
        self._return = QPushButton(self.tr("Return to now"), self._notice)
        self._return.setProperty("role", "primary")

    def _lay_out(self) -> None:
        finding = QWidget(self)
        _in_a_row(self._now, self._undo, self._redo)
        _in_a_row(self._notice, self._go_back, self._return)
        _in_a_row(finding, self._filter, self._search)
        ways = QStackedLayout()  # while looking back, undo gives way to going back
        ways.addWidget(self._now)
        ways.addWidget(self._notice)
        body = _Body(self)
        above = body.above
        above.addLayout(ways, 3)
        above.addWidget(finding, 2)
        layout = QVBoxLayout(body)
        layout.setContentsMargins(6, 4, 6, 4)
        layout.setSpacing(4)
        layout.addLayout(above)
        layout.addWidget(self.list, 1)
        layout.addWidget(self.replay)
        self.setWidget(body)
        self._ways = ways

    def _connect(self) -> None:
        self._undo.clicked.connect(self._take_back)
        self._redo.clicked.connect(self._bring_again)
        self._filter.currentIndexChanged.connect(self._find)
        self._search.textChanged.connect(self._find)
        self._go_back.clicked.connect(self._go_to_shown)
        self._return.clicked.connect(self.return_to_now)
        self.list.lookRequested.connect(self._look)
        self.list.goRequested.connect(self._enter)
        self.list.menuRequested.connect(self._open_menu)
        controller = self._controller
        controller.studyOpened.connect(self._open)
        controller.closed.connect(self._open)
        controller.snapshotChanged.connect(self._show_live)
        controller.replayChanged.connect(self._show_replay)
        theme.current().themeChanged.connect(self._recolour)

    def _recolour(self) -> None:
        self._undo.setIcon(theme.icon("undo"))
        self._redo.setIcon(theme.icon("redo"))
        self.list.viewport().update()

    # ------------------------------------------------------------------ states

    def _open(self, _opened: object = None) -> None:
        opened = self._controller.opened
        offers = (*opened.offers, *opened.methods) if opened is not None else ()
        self.steps.open(ItemWords(opened), offers)
        self._revision = None
        self._show_live()

    def _show_live(self, _snapshot: object = None) -> None:
        live = self._controller.snapshot
        if live is None:
            self._name_button(self._undo, self.tr("Undo"), None)
            self._name_button(self._redo, self.tr("Redo"), None)
            self._show_replay()
            return
        if live.revision == self._revision:  # look-ahead sends the same state again
            return
        self._revision = live.revision
        self.list.update_rows(lambda: self.steps.set_live(live))
        self._name_filter()
        self._name_button(self._undo, self.tr("Undo"), live.undo)
        self._name_button(self._redo, self.tr("Redo"), live.redo)
        self._show_replay()

    def _name_filter(self) -> None:
        """Name answers in the list of what to show as they are read in this state."""
        shared = self.steps.is_shared
        overruled = self.tr("Not explained") if shared else self.tr("Overruled")
        for show, text in (
            *((Show(one.value), words.verdict_word(one, shared=shared)) for one in Verdict),
            (Show.OVERRULED, overruled),
        ):
            self._filter.setItemText(self._filter.findData(show), text)
        popup = self._filter.view()
        popup.setMinimumWidth(popup.sizeHintForColumn(0) + 24)  # wider than the box itself

    def _name_button(self, button: QPushButton, verb: str, seq: int | None) -> None:
        """Say on the button what it does, such as "Undo Different"; more in its tooltip."""
        row = self.steps.step(seq) if seq is not None else None
        button.setEnabled(row is not None)
        button.setText(verb if row is None else f"{verb} {self.steps.short_title(row)}")
        told = verb if row is None else f"{verb}: {self.steps.sentence(row)}"
        button.setToolTip(told)
        button.setAccessibleName(told)

    def _show_replay(self, _snapshot: object = None) -> None:
        shown = self._controller.shown
        position = shown.position if shown is not None else START
        self.steps.set_shown(position)
        replaying = self._controller.replaying
        self._ways.setCurrentWidget(self._notice if replaying else self._now)
        if replaying:
            self._tell(position)
        # Back in the present, that is what is looked for; its row may be listed a moment later.
        if replaying or self._was_replaying:
            found = self.list.follow(position)
            self._was_replaying = replaying or not found

    def _tell(self, position: int) -> None:
        live = self._controller.snapshot
        on_way = live is not None and position in self.steps.tree.line_through(live.position)
        if on_way:
            self._go_back.setText(self.tr("Go back to here"))
            self._go_back.setToolTip(
                self.tr("Make this the present. Later steps are kept as a branch.")
            )
        else:
            self._go_back.setText(self.tr("Continue from here"))
            self._go_back.setToolTip(self.tr("Make this branch the present one."))

    # ------------------------------------------------------------------ what a person does

    @Slot()
    def return_to_now(self) -> None:
        """Leave the replay."""
        self.replay.stop()
        self._controller.view(None)

    @Slot()
    def step_back(self) -> None:
        """Look at the state one step earlier (Alt+Left)."""
        self.replay.step_back()

    @Slot()
    def step_forward(self) -> None:
        """Look at the state one step later (Alt+Right)."""
        self.replay.step_forward()

    def _take_back(self) -> None:
        self._controller.send(Undo())

    def _bring_again(self) -> None:
        self._controller.send(Redo())

    def _look(self, seq: int) -> None:
        """Show the state after a step; the present one needs no replay."""
        self.replay.stop()
        live, shown = self._controller.snapshot, self._controller.shown
        if live is not None and seq == live.position:
            self._controller.view(None)
        elif shown is not None and seq != shown.position:
            self._controller.view(seq)

    def _enter(self, seq: int) -> None:
        """Make the state after a step the present."""
        self.replay.stop()
        live = self._controller.snapshot
        if live is not None and seq != live.position:
            self._controller.send(GoTo(seq))

    def _go_to_shown(self) -> None:
        shown = self._controller.shown
        if shown is not None:
            self._enter(shown.position)

    def _find(self) -> None:
        show, sought = self._filter.currentData(), self._search.text()
        self.list.update_rows(lambda: self.steps.set_filter(show, sought))

    # ------------------------------------------------------------------ changing an answer

    def _open_menu(self, index: QModelIndex, where: QPoint) -> None:
        menu = self.menu_for(index)
        menu.popup(where)

    def menu_for(self, index: QModelIndex) -> QMenu:
        """Make the menu of a row; it deletes itself when closed."""
        row = self.steps.row_at(index)
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        contradiction = self.steps.contradiction_of(row)
        if contradiction is not None:
            text = self.tr("Look at the c&ontradiction")
            icon = theme.icon("warning")
            menu.addAction(icon, text, lambda: self.contradictionRequested.emit(contradiction))
            menu.addSeparator()
        change = self.steps.answer_to_change(row)
        if change is not None:
            seq, present = change
            heading = menu.addAction(self.tr("Change the answer to"))
            heading.setEnabled(False)
            for verdict in Verdict:
                menu.addAction(self._change_to(menu, seq, verdict, is_so=verdict is present))
            menu.addSeparator()
        if row.is_head:
            text = self.tr("Close this branch") if row.is_open else self.tr("Open this branch")
            menu.addAction(text, lambda: self.list.update_rows(lambda: self.steps.toggle(row)))
        menu.addAction(self._looking(menu, row))
        menu.addAction(self._entering(menu, row))
        return menu

    def _change_to(self, menu: QMenu, seq: int, verdict: Verdict, *, is_so: bool) -> QAction:
        """Offer a verdict; the one in force is ticked and does nothing."""
        action = QAction(f"&{words.verdict_word(verdict, shared=self.steps.is_shared)}", menu)
        action.setCheckable(is_so)
        action.setChecked(is_so)
        action.setEnabled(not is_so)
        if not is_so:
            action.setIcon(theme.icon(verdict.value))
        action.triggered.connect(lambda: self._controller.send(Revise(seq, verdict)))
        return action

    def _looking(self, menu: QMenu, row: Row) -> QAction:
        shown = self._controller.shown
        action = QAction(self.tr("&Look at this step"), menu)
        action.setEnabled(shown is not None and row.seq != shown.position)
        action.triggered.connect(lambda: self._look(row.seq))
        return action

    def _entering(self, menu: QMenu, row: Row) -> QAction:
        live = self._controller.snapshot
        on_way = live is not None and row.seq in self.steps.tree.line_through(live.position)
        text = self.tr("&Go back to here") if on_way else self.tr("&Continue from here")
        action = QAction(text, menu)
        action.setEnabled(live is not None and row.seq != live.position)
        action.triggered.connect(lambda: self._enter(row.seq))
        return action

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk the history, and leave the replay."""
        alt = event.modifiers() & Qt.KeyboardModifier.AltModifier
        if alt and event.key() == Qt.Key.Key_Left:
            self.step_back()
        elif alt and event.key() == Qt.Key.Key_Right:
            self.step_forward()
        elif event.key() == Qt.Key.Key_Escape and self._controller.replaying:
            self.return_to_now()
        else:
            super().keyPressEvent(event)


def _in_a_row(holder: QWidget, *parts: QWidget) -> None:
    row = QHBoxLayout(holder)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(6)
    for part in parts:
        row.addWidget(part, 1)


class _Body(QWidget):
    """What the dock holds; what stands above the list takes one row where there is room."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setMinimumWidth(300)
        self.above = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self.above.setSpacing(4)

    def sizeHint(self) -> QSize:
        return QSize(340, 520)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_wide = self.width() >= _WIDE
        direction = QBoxLayout.Direction
        self.above.setDirection(direction.LeftToRight if is_wide else direction.TopToBottom)
