"""A choice in mid-project: what it would change is seen before it is made.

Hidden: that looking runs in the background, is begun anew whenever choice or state change, and
which of the replies is the one still wanted. Promised: nothing is changed before the person says
so; what fails is said here, with the choices kept; Esc stops a look, and closes when there is none.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from desktop import strategies
from desktop.dialogs.outlook import LookPanel
from desktop.messages import Choose, Consider, Failed, Offer, Stopped, Working
from desktop.widgets.choosing.strategy_choice import StrategyChoice
from desktop.widgets.scrolling import scrolled_card
from desktop.widgets.state_bar import said
from engine.model import Approach, Outlook, Snapshot, StepKind

if TYPE_CHECKING:
    from desktop.controller import Controller

_PAUSE_MS = 500  # after the last change of the choice, before a look is worth its while


class _Stage(enum.Enum):
    """Where the dialog stands."""

    PRESENT = "present"  # the choice is what is in force
    FAULTY = "faulty"
    WAITING = "waiting"  # for the person to make up their mind
    LOOKING = "looking"
    KNOWN = "known"
    UNKNOWN = "unknown"  # the look was stopped, or failed
    CHANGING = "changing"
    LEFT = "left"


@dataclass(frozen=True, slots=True)
class Matter:
    """What is chosen, in words and values.

    Attributes
    ----------
    kind
        STRATEGY or GROUPING.
    title, about, label, change
        Of the window; what taking it means; of the list, and of the button, with mnemonics.
    present
        Heading and text while the choice is what is in force.
    offers
        What there is to choose from.
    in_force
        What is in force in a state.
    is_stale
        Whether taking what is in force once more would change something.
    """

    kind: StepKind
    title: str
    about: str
    label: str
    change: str
    present: tuple[str, str]
    offers: tuple[Offer, ...]
    in_force: Callable[[Snapshot], Approach]
    is_stale: Callable[[Snapshot], bool] = lambda _now: False


class ChoiceDialog(QDialog):
    """Chooses how something is done from now on.

    Parameters
    ----------
    controller
        With an open project; looks and changes.
    matter
        What is chosen.
    outlook
        Shows what it would change.
    start
        What is chosen at first; None = what is in force.
    below
        Stands below the choices.
    """

    def __init__(
        self,
        controller: Controller,
        matter: Matter,
        outlook: LookPanel,
        parent: QWidget | None = None,
        *,
        start: Approach | None = None,
        below: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._controller = controller
        self._matter = matter
        self._stage = _Stage.PRESENT
        self._outlook: Outlook | None = None
        self._revision = -1
        self._looks: list[Approach] = []  # asked for and not replied to; the last one is wanted
        self.outlook = outlook
        self.setWindowTitle(matter.title)
        self.resize(980, 640)
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self.look)
        self._build(below)
        controller.considered.connect(self._considered)
        controller.snapshotChanged.connect(self._moved_on)
        controller.working.connect(self._working)
        controller.stopped.connect(self._stopped)
        controller.failed.connect(self._failed)
        controller.crashed.connect(self._crashed)
        controller.studyOpened.connect(self._leave)
        controller.closed.connect(self._leave)
        self._begin(start)

    # ------------------------------------------------------------------ layout

    def _build(self, below: QWidget | None) -> None:
        about = QLabel(self._matter.about, wordWrap=True)
        about.setProperty("role", "muted")
        self.choice = StrategyChoice(folded=False, title=self._matter.label)
        body = QHBoxLayout()
        body.setSpacing(12)
        body.addWidget(self._build_choices(below), 1)
        body.addWidget(self.outlook, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 18, 24, 18)
        column.setSpacing(10)
        column.addWidget(about)
        column.addLayout(body, 1)
        column.addLayout(self._build_foot())

    def _build_choices(self, below: QWidget | None) -> QWidget:
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(18, 16, 18, 16)
        column.setSpacing(12)
        column.addWidget(self.choice)
        if below is not None:
            column.addWidget(below)
        column.addStretch(1)
        card = scrolled_card(inside, self.tr("Choices"))
        card.setMinimumWidth(370)
        return card

    def _build_foot(self) -> QVBoxLayout:
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName(self.tr("Progress"))
        keep = self.progress.sizePolicy()
        keep.setRetainSizeWhenHidden(True)
        self.progress.setSizePolicy(keep)
        self.doing = QLabel()
        self.doing.setProperty("role", "muted")
        self.fault = QLabel(wordWrap=True)
        self.fault.setProperty("role", "error")
        self.leave = QPushButton()
        self.leave.clicked.connect(self.reject)
        self.again = QPushButton(self.tr("&See what it changes"))
        self.again.clicked.connect(self.look)
        self.change = QPushButton(self._matter.change)
        self.change.setProperty("role", "primary")
        self.change.clicked.connect(self._change)
        buttons = QHBoxLayout()
        buttons.setSpacing(10)
        buttons.addWidget(self.doing)
        buttons.addWidget(self.fault, 1)
        for button in (self.leave, self.again, self.change):
            button.setAutoDefault(False)  # Enter in a field ends typing, and changes nothing
            buttons.addWidget(button)
        foot = QVBoxLayout()
        foot.setSpacing(8)
        foot.addWidget(self.progress)
        foot.addLayout(buttons)
        return foot

    def _begin(self, start: Approach | None) -> None:
        """Start from what is in force, or what is to be looked at first."""
        now = self._controller.snapshot
        if now is not None:
            self._revision = now.revision
            first = start or self._matter.in_force(now)
            self.choice.offer(self._matter.offers, strategies.complete(self._matter.offers, first))
        self.choice.changed.connect(self._chosen)
        self._chosen()
        self.choice.take_keyboard()

    # ------------------------------------------------------------------ stages

    def _enter(self, stage: _Stage, fault: str = "") -> None:
        self._stage = stage
        running = stage in (_Stage.LOOKING, _Stage.CHANGING)
        self.progress.setRange(0, 0 if running else 1)
        self.progress.setVisible(running)
        self.doing.setText(self.tr("Going through your answers…") if running else "")
        self.doing.setVisible(running)
        self.fault.setText(fault)
        self.choice.setEnabled(stage is not _Stage.CHANGING)
        self.leave.setEnabled(stage is not _Stage.CHANGING)
        self.leave.setText(self.tr("Stop") if stage is _Stage.LOOKING else self.tr("Cancel"))
        self.again.setVisible(stage in (_Stage.WAITING, _Stage.UNKNOWN))
        self.change.setEnabled(stage is _Stage.KNOWN)
        match stage:
            case _Stage.PRESENT:
                self.outlook.say(*self._matter.present)
            case _Stage.WAITING | _Stage.LOOKING:
                self.outlook.say(
                    self.tr("Looking at what it would change…"),
                    self.tr("Your answers are gone through as if this had been chosen."),
                )
            case _Stage.FAULTY:
                heading = self.tr("A setting is to be put right first")
                self.outlook.say(heading, self.choice.fault)
            case _Stage.UNKNOWN:
                self.outlook.say(
                    self.tr("Not looked at yet"),
                    self.tr("Nothing has been changed. What it would change is to be seen first."),
                )
            case _:
                pass

    def _chosen(self) -> None:
        """Look at another choice, once the person has come to rest."""
        self._outlook = None
        self._pause.stop()
        if self._stage is _Stage.LOOKING:
            self._controller.cancel()
        if self.choice.fault:
            self._enter(_Stage.FAULTY)
        elif self._holds(self.choice.approach):
            self._enter(_Stage.PRESENT)
        else:
            self._enter(_Stage.WAITING)
            self._pause.start()

    def _holds(self, wanted: Approach) -> bool:
        """Whether an approach is in force, and taking it once more would change nothing."""
        now = self._controller.snapshot
        if now is None:
            return True
        present = strategies.complete(self._matter.offers, self._matter.in_force(now))
        return strategies.alike(present, wanted) and not self._matter.is_stale(now)

    # ------------------------------------------------------------------ replies

    def _considered(self, outlook: Outlook) -> None:
        is_last = self._replied()
        if not is_last or self._stage is not _Stage.LOOKING:
            return
        now = self._controller.snapshot
        if now is None or outlook.revision != now.revision:
            self.look()
            return
        self._outlook = outlook
        self._enter(_Stage.KNOWN)
        self.outlook.show_outlook(outlook, now)

    def _replied(self) -> bool:
        """Note the reply to the oldest look; say whether it is the one still wanted."""
        if self._looks:
            self._looks.pop(0)
        return not self._looks

    def _moved_on(self, now: Snapshot) -> None:
        """Look anew when the state is another one; it is, with the change that was wanted."""
        if now.revision == self._revision or self._stage is _Stage.LEFT:
            return
        self._revision = now.revision
        if self._stage is _Stage.CHANGING and self._outlook is not None:
            if self._holds(strategies.complete(self._matter.offers, self._outlook.approach)):
                self.accept()
                return
            self._stage = _Stage.UNKNOWN  # the change was dropped, as it was for another state
        self._chosen()

    def _working(self, news: Working) -> None:
        if self._stage in (_Stage.LOOKING, _Stage.CHANGING):
            self.progress.setRange(0, news.total)
            self.progress.setValue(news.done)
            self.doing.setText(said(news))

    def _stopped(self, news: Stopped) -> None:
        is_look = news.what == Consider.__name__
        if is_look and self._replied() and self._stage is _Stage.LOOKING:
            self._enter(_Stage.UNKNOWN)

    def _failed(self, news: Failed) -> None:
        words = " ".join(part for part in (news.message, news.hint) if part)
        words = words[:1].upper() + words[1:]
        is_last = self._replied()
        if self._stage is _Stage.CHANGING or (is_last and self._stage is _Stage.LOOKING):
            self._enter(_Stage.UNKNOWN, words)

    def _crashed(self, *_: object) -> None:
        """Give the choices back; the report has its own panel."""
        is_last = self._replied()
        if self._stage is _Stage.CHANGING or (is_last and self._stage is _Stage.LOOKING):
            self._enter(_Stage.UNKNOWN, self.tr("Something went wrong."))

    # ------------------------------------------------------------------ intents

    def look(self) -> None:
        """See what the choice would change."""
        self._pause.stop()
        approach = self.choice.approach
        self._looks.append(approach)
        self._enter(_Stage.LOOKING)
        self._controller.send(Consider(approach, self._matter.kind))

    def _change(self) -> None:
        if self._outlook is not None:
            outlook = self._outlook
            self._enter(_Stage.CHANGING)
            self._controller.send(Choose(outlook.revision, outlook.approach, self._matter.kind))

    def reject(self) -> None:
        """Stop a look; close when there is none. A change under way is carried through."""
        if self._stage is _Stage.LOOKING:
            self._controller.cancel()
        elif self._stage is not _Stage.CHANGING:
            super().reject()

    def _leave(self, *_: object) -> None:
        """Go with the project."""
        self.close()

    def done(self, result: int) -> None:
        """Want nothing more of the engine."""
        self._pause.stop()
        self._stage = _Stage.LEFT
        super().done(result)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop a look, and close all the same: the program may be quitting."""
        if self._stage is _Stage.LOOKING:
            self._controller.cancel()
        self._stage = _Stage.LEFT
        super().closeEvent(event)
