"""The line above the suggestions: what they were learned from, how far learning is, what is new.

Hides which of several things is said. Promises one line of one height, whatever it says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QPushButton, QWidget

from desktop.messages import Crashed, Failed, Working
from desktop.widgets import words
from desktop.widgets.elided_label import ElidedLabel
from desktop.widgets.errand import Stage
from desktop.widgets.state_bar import said
from engine.suggestions import Suggestions


@dataclass(frozen=True, slots=True)
class Situation:
    """What the line speaks of.

    Attributes
    ----------
    stage, told
        How far learning is, as in `Errand`.
    behind
        Whether it begins only after something else that is under way.
    found
        What was learned; None = nothing yet.
    newer
        Answers given, changed or taken back since.
    disputed
        Whether there are answers that contradict each other.
    replaying
        Whether an earlier step is shown.
    """

    stage: Stage = Stage.NOTHING
    told: Working | Failed | Crashed | None = None
    behind: bool = False
    found: Suggestions | None = None
    newer: int = 0
    disputed: bool = False
    replaying: bool = False


class LearnedLine(QFrame):
    """The line.

    Notes
    -----
    Signals: `stopWanted()`, `learnWanted()`, `returnWanted()`: from the replay.
    """

    stopWanted = Signal()
    learnWanted = Signal()
    returnWanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "banner")
        self.text = ElidedLabel(parent=self)
        self.bar = QProgressBar(self, textVisible=False)
        self.bar.setFixedWidth(140)
        self.bar.setAccessibleName(self.tr("Progress"))
        self.stop = self._button(self.tr("Stop  Esc"), self.stopWanted.emit)
        self.learn = self._button("", self.learnWanted.emit)
        self.back = self._button(self.tr("Return to now"), self.returnWanted.emit)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 3, 6, 3)
        row.setSpacing(8)
        row.addWidget(self.text, 1)
        for part in (self.bar, self.stop, self.learn, self.back):
            row.addWidget(part)
        self.setFixedHeight(self.stop.sizeHint().height() + 10)
        self.show_state(Situation())

    def _button(self, text: str, act: Callable[..., object]) -> QPushButton:
        button = QPushButton(text, self)
        button.setProperty("role", "small")
        button.clicked.connect(act)
        return button

    def show_state(self, now: Situation) -> None:
        """Say what is so now."""
        text = self._told(now)
        working = now.stage is Stage.WORKING
        self.text.setText(text)
        self.text.set_more(self._more(now))
        self.setAccessibleName(text)
        self.bar.setVisible(working)
        self.stop.setVisible(working)
        if isinstance(now.told, Working):
            self.bar.setRange(0, now.told.total)
            self.bar.setValue(now.told.done)
        else:
            self.bar.setRange(0, 0)
        again = now.stage in (Stage.FAILED, Stage.STOPPED)
        self.learn.setText(self.tr("Try again  L") if again else self.tr("Learn again  L"))
        self.learn.setVisible(not working and not now.replaying and (again or now.newer > 0))
        self.back.setVisible(now.replaying and not working)

    def _told(self, now: Situation) -> str:
        if now.stage is Stage.WORKING:
            if now.behind:
                return self.tr("Learning waits until what is under way is done.")
            doing = said(now.told) if isinstance(now.told, Working) else ""
            text = self.tr("Learning from your answers…")
            return f"{text}  {doing}" if doing else text
        if now.replaying:
            return self.tr("You look back at an earlier step; the suggestions are those of now.")
        if now.stage is Stage.FAILED and isinstance(now.told, Failed):
            return f"{now.told.message} {now.told.hint}".strip()
        if now.stage is Stage.STOPPED:
            if now.found is not None:
                return self.tr("Stopped: these were learned before.")
            return self.tr("Stopped: nothing was learned.")
        if now.found is None:
            return self.tr("Nothing has been learned yet.")
        return self._learned(now, now.found)

    def _learned(self, now: Situation, found: Suggestions) -> str:
        text = self.tr("Learned from {0}").format(words.answers(found.learned_after))
        if now.newer == 1:
            text += self.tr("; 1 given or changed since has no part in it")
        elif now.newer > 1:
            text += self.tr("; {0} given or changed since have no part in it").format(
                words.number(now.newer)
            )
        text += "."
        if now.disputed:
            text += " " + self.tr("Answers that contradict each other are left out.")
        return text

    def _more(self, now: Situation) -> str:
        """Say how much was learned, for who wants to know."""
        if now.found is None or now.stage is not Stage.NOTHING:
            return ""
        return self.tr(
            "In all, {0} pairs nobody was asked about were learned as together, {1} as apart."
            " Listed is one for any two sets of items that your answers have joined: an answer to"
            " it settles the others. Nothing counts as an answer before you say so."
        ).format(words.number(now.found.must), words.number(now.found.cannot))
