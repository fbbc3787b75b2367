"""What items are compared in: the features they came with, or what the answers teach.

Hides that a choice is looked at before it is taken. Promises that a choice which moves nothing but
the map is taken at once, that one which changes groups is told first, and that what the controls
show is in force, or on its way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QSignalBlocker, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from desktop import strategies
from desktop.messages import Choose, Consider, Failed, Request, Working
from desktop.widgets import trail, words
from desktop.widgets.elided_label import ElidedLabel
from desktop.widgets.errand import Errand, Stage
from desktop.widgets.state_bar import said
from engine.model import GIVEN, Approach, Outlook, Snapshot, StepKind

if TYPE_CHECKING:
    from desktop.controller import Controller

LEARNED = "learned"
_QUESTIONS = "questions"


def learned(*, questions: bool) -> Approach:
    """Give the choice of the learned space, for the map only or for the questions as well."""
    return Approach(LEARNED, ((_QUESTIONS, "yes" if questions else "no"),))


def asks_within(space: Approach) -> bool:
    """Whether pairs are chosen in a space too."""
    return dict(space.params).get(_QUESTIONS) == "yes"


class SpaceChoice(QWidget):
    """The control.

    Parameters
    ----------
    controller
        Whose state is told; is asked to change it.

    Notes
    -----
    `changed()`: something is under way, or no longer.
    """

    changed = Signal()

    def __init__(self, controller: Controller, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self._wanted: Approach | None = None  # what was chosen and is not in force yet
        self._revision = -1
        self._outlook: Outlook | None = None  # what waits for the person's consent
        self._look = Errand(controller, self)
        self._change = Errand(controller, self)
        self._make_parts()
        self._lay_out()
        controller.considered.connect(self._considered)
        controller.studyOpened.connect(self._forget)
        controller.closed.connect(self._forget)
        controller.snapshotChanged.connect(self._moved_on)
        controller.replayChanged.connect(self._refresh)
        self._look.done.connect(self._looked)
        self._change.done.connect(self._end)
        for errand in (self._look, self._change):
            errand.changed.connect(self._refresh)
            errand.changed.connect(self.changed)
        self._refresh()

    def _make_parts(self) -> None:
        self.names = QComboBox(self)
        for name in (GIVEN.strategy, LEARNED):
            self.names.addItem(strategies.title(name).lower(), name)
        self.names.setAccessibleName(self.tr("Compare items by"))
        self.names.activated.connect(self._chosen)
        self.questions = QCheckBox(self.tr("choose &pairs by it too"), self)
        self.questions.clicked.connect(self._chosen)
        self.told = ElidedLabel(parent=self)
        self.told.setProperty("role", "muted")
        self._bar = QProgressBar(self, textVisible=False)
        self._bar.setFixedWidth(120)
        self._bar.setAccessibleName(self.tr("Progress"))
        self.stop = self._button(self.tr("Stop"), self.cancel)
        self.agree = self._button(self.tr("Change"), self._agree)
        self.agree.setProperty("role", "primary")
        self.leave = self._button(self.tr("Leave as it is"), self.cancel)
        self.anew = self._button(self.tr("Take in newer answers"), self._learn_anew)
        tip = self.tr(
            "By the features: as the items were described at first. By what the answers teach:"
            " items come to lie near those that they probably belong to. It is one step in the"
            " history, which Undo takes back."
        )
        self.names.setToolTip(tip)
        self.questions.setToolTip(
            self.tr("Otherwise only the map is drawn by it. The groups may change with it.")
        )

    def _button(self, text: str, act: Callable[..., object]) -> QPushButton:
        button = QPushButton(text, self)
        button.setProperty("role", "small")
        button.clicked.connect(act)
        return button

    def _lay_out(self) -> None:
        label = QLabel(self.tr("&Compare items by:"), self)
        label.setBuddy(self.names)
        row = QHBoxLayout()
        row.setSpacing(8)
        buttons = (self.stop, self.agree, self.leave, self.anew)
        for part in (label, self.names, self.questions, None, self._bar, *buttons):
            if part is None:
                row.addStretch(1)
            else:
                row.addWidget(part)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addLayout(row)
        column.addWidget(self.told)

    # ------------------------------------------------------------------ what is asked here

    @property
    def is_busy(self) -> bool:
        """Whether a choice is looked at or taken."""
        return self._look.is_under_way or self._change.is_under_way

    def is_about(self, request: Request | None) -> bool:
        """Whether a request was made here."""
        return self._look.is_about(request) or self._change.is_about(request)

    def cancel(self) -> None:
        """Stop a look, or leave everything as it is."""
        if self._look.is_under_way:
            self._look.stop()
        elif self._outlook is not None:
            self._end()

    def _chosen(self) -> None:
        """See what another choice would change."""
        live = self._controller.snapshot
        name, within = self.names.currentData(), self.questions.isChecked()
        if live is None or self.is_busy:
            return
        self._wanted = self._outlook = None
        if name != live.space.strategy or (name == LEARNED and within != asks_within(live.space)):
            self._consider(learned(questions=within) if name == LEARNED else GIVEN)
        else:
            self._end()

    def _learn_anew(self) -> None:
        """See what the same choice would change now that there are other answers."""
        live = self._controller.snapshot
        if live is not None and not self.is_busy:
            self._consider(learned(questions=asks_within(live.space)))

    def _consider(self, chosen: Approach) -> None:
        self._wanted = chosen
        self._look.begin(Consider(chosen, StepKind.SPACE))

    def _considered(self, outlook: Outlook) -> None:
        if not self._look.is_about(self._controller.under_way):
            return
        effect = outlook.effect
        if effect.moved == 0 and effect.groups_before == effect.groups_after:
            self._take(outlook)
        else:
            self._outlook = outlook

    def _agree(self) -> None:
        if self._outlook is not None:
            self._take(self._outlook)

    def _take(self, outlook: Outlook) -> None:
        self._outlook = None
        self._change.begin(Choose(outlook.revision, outlook.approach, StepKind.SPACE))

    def _looked(self) -> None:
        if self._outlook is None and not self._change.is_under_way:
            self._end()
        else:
            self._refresh()

    def _end(self) -> None:
        """Show what is in force, which is what was wanted, unless something came between."""
        self._wanted = self._outlook = None
        self._refresh()
        self.changed.emit()

    def _forget(self, _opened: object = None) -> None:
        self._wanted = self._outlook = None
        self._look.forget()
        self._change.forget()

    def _moved_on(self, live: Snapshot) -> None:
        """Let go of what was looked at in another state, and of what went wrong there."""
        if live.revision != self._revision and not self.is_busy:
            self._forget()
        self._revision = live.revision
        self._refresh()

    # ------------------------------------------------------------------ what is said

    def _refresh(self, _state: object = None) -> None:
        shown = self._controller.shown
        space = self._wanted or (shown.space if shown is not None else GIVEN)
        is_learned = space.strategy == LEARNED
        with QSignalBlocker(self.names), QSignalBlocker(self.questions):
            self.names.setCurrentIndex(int(is_learned))
            self.questions.setChecked(is_learned and asks_within(space))
        can = shown is not None and shown.live and not self.is_busy and _can_choose(shown)
        self.names.setEnabled(can)
        self.questions.setEnabled(can and is_learned)
        waits = self._outlook is not None
        self.agree.setVisible(waits)
        self.leave.setVisible(waits)
        late = self._look.late or self._change.late
        self._bar.setVisible(late)
        self.stop.setVisible(self._look.late)
        told = self._look.told
        if isinstance(told, Working):
            self._bar.setRange(0, told.total)
            self._bar.setValue(told.done)
        else:
            self._bar.setRange(0, 0)
        self.anew.setVisible(can and is_learned and not waits and _newer(shown) > 0)
        self.told.setText(self._words(shown))

    def _words(self, shown: Snapshot | None) -> str:
        trouble = next(
            (e for e in (self._change, self._look) if e.stage is not Stage.NOTHING), None
        )
        if shown is None:
            return ""
        if self._outlook is not None:
            return _would(self._outlook)
        if trouble is not None and trouble.is_under_way:
            told = trouble.told
            return said(told) if isinstance(told, Working) else self.tr("Working it out…")
        if trouble is not None and isinstance(trouble.told, Failed):
            return f"{trouble.told.message} {trouble.told.hint}".strip()
        if trouble is not None:
            return self.tr("Stopped: items are compared as before.")
        return self._in_force(shown)

    def _in_force(self, shown: Snapshot) -> str:
        if shown.space.strategy != LEARNED:
            if not _can_choose(shown):
                return self.tr("Answers can teach another way to compare, once there are some.")
            return self.tr("The map shows the items as their features have them.")
        text = self.tr("Learned from {0}.").format(words.answers(shown.learned_after))
        newer = _newer(shown)
        if newer == 0:
            return text + " " + self.tr("Newer ones will not move it until it is learned again.")
        if newer == 1:
            return (
                text + " " + self.tr("1 newer answer does not move it until it is learned again.")
            )
        return (
            text
            + " "
            + self.tr("{0} newer answers do not move it until it is learned again.").format(
                words.number(newer)
            )
        )


def _can_choose(shown: Snapshot) -> bool:
    """Whether there is anything to learn from, or a learned space to leave."""
    return shown.progress.answered > shown.progress.unsure or shown.space.strategy == LEARNED


def _newer(shown: Snapshot | None) -> int:
    """Count the answers given and changed since the space was chosen."""
    count = 0
    for step in reversed(trail.path_of(shown) if shown is not None else ()):
        if step.kind is StepKind.SPACE:
            return count
        count += step.answer is not None
    return count


def _tr(text: str) -> str:
    return QCoreApplication.translate("SpaceChoice", text)


def _would(outlook: Outlook) -> str:
    """Say what a choice would change of the groups."""
    effect = outlook.effect
    moved = _tr("{0} would be in another group").format(words.items(effect.moved))
    if effect.groups_before == effect.groups_after:
        return _tr("With the same answers, {0}.").format(moved)
    text = _tr("With the same answers, {0}, and there would be {1} groups instead of {2}.")
    after, before = words.number(effect.groups_after), words.number(effect.groups_before)
    return text.format(moved, after, before)
