"""The line above the tree: what is looked at, that it is only a look, and the way back.

Hides which of several things is said. Promises that it always takes the same room for the same
width, and that nothing is done to the project without being told before.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from desktop.messages import Crashed, Failed, Working
from desktop.widgets import words
from desktop.widgets.errand import Stage
from desktop.widgets.state_bar import said
from desktop.widgets.tree.tree_words import counted_groups


@dataclass(frozen=True, slots=True)
class Situation:
    """What the line speaks of.

    Attributes
    ----------
    loading, told
        How far the tree is, as in `TreeLoader`.
    own
        Number of groups of the level that is the person's grouping; None = it is no level.
    of_strategy
        Whether the tree is the strategy's own, in which answers had a part.
    cut
        Number of groups of the cut that is looked at; None = none is.
    replaying
        Whether map and gallery show an earlier step.
    can_ask
        Whether the strategy can be asked for as many groups as the cut has.
    too_few
        Whether there are not even two items.
    behind
        Whether the tree is worked out only after something else that is under way.
    """

    loading: Stage = Stage.NOTHING
    told: Working | Failed | Crashed | None = None
    own: int | None = None
    of_strategy: bool = False
    cut: int | None = None
    replaying: bool = False
    can_ask: bool = False
    too_few: bool = False
    behind: bool = False


class TreeNotice(QFrame):
    """The line.

    Notes
    -----
    Signals: `backWanted()`, to the person's groups; `returnWanted()`, from the replay;
    `stopWanted()`, `retryWanted()`, about the tree; `groupsWanted(int)`, the strategy is to aim at
    so many groups.
    """

    backWanted = Signal()
    returnWanted = Signal()
    stopWanted = Signal()
    retryWanted = Signal()
    groupsWanted = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "banner")
        self.setAccessibleName(self.tr("What the tree shows"))
        self._situation = Situation()
        self._asking: int | None = None  # whether to aim at so many groups
        self.text = QLabel(self, wordWrap=True)
        self.text.setProperty("role", "strong")
        self.hint = QLabel(self, wordWrap=True)
        self.hint.setProperty("role", "muted")
        self._bar = QProgressBar(self, textVisible=False)
        self._bar.setFixedWidth(140)
        self._bar.setAccessibleName(self.tr("Progress"))
        self.stop = self._button(self.tr("Stop"), self.stopWanted.emit)
        self.retry = self._button(self.tr("Try again"), self.retryWanted.emit)
        self.return_to_now = self._button(self.tr("Return to now"), self.returnWanted.emit)
        self.ask = self._button(self.tr("Ask for so many groups…"), self._begin_asking)
        self.agree = self._button(self.tr("Stop at so many groups"), self._agree)
        self.agree.setProperty("role", "primary")
        self.cancel = self._button(self.tr("Cancel"), self._end_asking)
        self.back = self._button(self.tr("Back to your groups"), self.backWanted.emit)
        self.back.setToolTip(self.tr("Back to your groups (Esc)"))
        self._lay_out()
        self.show_state(Situation())

    def _button(self, text: str, act: object) -> QPushButton:
        button = QPushButton(text, self)
        button.setProperty("role", "small")
        button.clicked.connect(act)
        return button

    def _lay_out(self) -> None:
        told = QVBoxLayout()
        told.setSpacing(1)
        told.addWidget(self.text)
        told.addWidget(self.hint)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 5, 8, 5)
        row.setSpacing(8)
        row.addLayout(told, 1)
        tallest = max(button.sizeHint().height() for button in self._buttons)
        self.setMinimumHeight(max(2 * self.fontMetrics().lineSpacing() + 14, tallest + 12))
        for part in (self._bar, *self._buttons):
            row.addWidget(part)

    @property
    def _buttons(self) -> tuple[QPushButton, ...]:
        return (
            self.stop,
            self.retry,
            self.return_to_now,
            self.ask,
            self.back,
            self.agree,
            self.cancel,
        )

    # ------------------------------------------------------------------ what is said

    def show_state(self, situation: Situation) -> None:
        """Say what is so now."""
        if situation.cut != self._situation.cut:
            self._asking = None
        self._situation = situation
        self._refresh()

    def _refresh(self) -> None:
        now = self._situation
        text, hint, *buttons = self._told(now)
        self.text.setText(str(text))
        self.hint.setText(str(hint))
        self.hint.setVisible(bool(hint))
        self.setAccessibleDescription(f"{text} {hint}".strip())
        working = now.loading is Stage.WORKING and self._asking is None
        self._bar.setVisible(working)
        if working and isinstance(now.told, Working):
            self._bar.setRange(0, now.told.total)
            self._bar.setValue(now.told.done)
        elif working:
            self._bar.setRange(0, 0)
        for button in self._buttons:
            button.setVisible(button in buttons)

    def _told(self, now: Situation) -> tuple[object, ...]:
        """Give text, hint and the buttons that belong to them."""
        if self._asking is not None:
            return self._told_of_asking(self._asking)
        if now.too_few:
            return self.tr("There is nothing to merge: a tree needs two items or more."), ""
        if now.loading is Stage.WORKING:
            if now.behind:
                hint = self.tr("Stop ends both.")
                return self.tr("The tree waits until what is under way is done."), hint, self.stop
            doing = said(now.told) if isinstance(now.told, Working) else ""
            return self.tr("Working out the tree…"), doing, self.stop
        if now.loading is Stage.FAILED and isinstance(now.told, Failed):
            return now.told.message, now.told.hint, self.retry
        if now.loading is Stage.STOPPED:
            return self.tr("The tree was not finished."), "", self.retry
        if now.replaying:
            hint = self.tr("The tree is that of now.")
            text = self.tr("Map and gallery show an earlier step.")
            return text, hint, self.return_to_now
        if now.cut is not None:
            return self._told_of_cut(now, now.cut)
        if now.own is not None:
            text = self.tr("The line stands at your groups: {0}.").format(words.number(now.own))
            return text, self.tr("Move it to look at other levels; your groups stay as they are.")
        hint = self.tr("Move the line to look at a cut; your groups stay as they are.")
        return self._kind_of_tree(), hint

    def _kind_of_tree(self) -> str:
        if self._situation.of_strategy:
            return self.tr("Your groups are found otherwise, and are no level of this tree.")
        return self.tr("The tree of the data; your answers had no part in it.")

    def _told_of_cut(self, now: Situation, groups: int) -> tuple[object, ...]:
        text = self.tr("A cut at {0}. Your groups are unchanged.").format(counted_groups(groups))
        self.ask.setText(self.tr("Ask for {0}…").format(counted_groups(groups)))
        hint = "" if now.own is not None else self._kind_of_tree()
        buttons = (self.ask, self.back) if now.can_ask else (self.back,)
        return text, hint, *buttons

    # ------------------------------------------------------------------ another number of groups

    def _told_of_asking(self, groups: int) -> tuple[object, ...]:
        count = counted_groups(groups)
        self.agree.setText(self.tr("Stop at {0}").format(count))
        text = self.tr("From now on, merging stops at {0}?").format(count)
        hint = self.tr(
            "All your answers stay and are used again; other pairs may be asked about."
            " Undo takes it back."
        )
        return text, hint, self.agree, self.cancel

    def _begin_asking(self) -> None:
        self._asking = self._situation.cut
        self._refresh()
        self.agree.setFocus()

    def _end_asking(self) -> None:
        self._asking = None
        self._refresh()

    def _agree(self) -> None:
        groups, self._asking = self._asking, None
        self._refresh()
        if groups is not None:
            self.groupsWanted.emit(groups)
