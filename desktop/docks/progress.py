"""How far the sorting is: figures, in plain words, without promises.

Hides which figure is worth a line. Promises that every estimate names what it rests on, and that
in a replay the figures are those of the state that is shown.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QDockWidget,
    QFrame,
    QGridLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from desktop import strategies
from desktop.widgets import trail, words
from desktop.widgets.history.effect_strip import EffectStrip
from engine.model import HistoryItem, Snapshot

if TYPE_CHECKING:
    from desktop.controller import Controller

_ENOUGH = 5  # answers with a time, before a pace is told


class ProgressDock(QDockWidget):
    """The dock.

    Parameters
    ----------
    controller
        Whose `shown` state is told.

    Notes
    -----
    `contradictionRequested`: the person wants to look at the contradictions. `strategyRequested`:
    they want pairs to be chosen otherwise. `groupingRequested`: they want groups to be found
    otherwise.
    """

    contradictionRequested = Signal()
    strategyRequested = Signal()
    groupingRequested = Signal()

    def __init__(self, controller: Controller, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Progress"))
        self.setObjectName("progressDock")
        self._controller = controller
        self._rows: dict[str, tuple[QLabel, QLabel]] = {}
        self._lay_out()
        controller.studyOpened.connect(self._show)
        controller.snapshotChanged.connect(self._show)
        controller.replayChanged.connect(self._show)
        controller.closed.connect(self._show)
        self._show()

    def _lay_out(self) -> None:
        body = _Body()
        layout = QVBoxLayout(body)
        layout.setContentsMargins(12, 10, 12, 10)
        layout.setSpacing(8)
        self._asked = QLabel(body, wordWrap=True)
        self._asked.setProperty("role", "heading")
        self._bar = QProgressBar(body, textVisible=False)
        self._bar.setAccessibleName(self.tr("Questions answered of those planned"))
        self._pace = QLabel(body, wordWrap=True)
        self._pace.setProperty("role", "muted")
        for widget in (self._asked, self._bar, self._pace):
            layout.addWidget(widget)
        layout.addLayout(self._figures(body))
        layout.addLayout(self._choosing())
        self._recent = QLabel(body, wordWrap=True)
        self._strip = EffectStrip(body)
        self._caption = QLabel(body, wordWrap=True)
        self._caption.setProperty("role", "muted")
        self._caption.setBuddy(self._strip)
        for below in (self._recent, self._strip, self._caption):
            layout.addWidget(below)
        layout.addStretch(1)
        area = QScrollArea()
        area.setWidget(body)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidget(area)

    def _figures(self, body: QWidget) -> QGridLayout:
        grid = QGridLayout()
        grid.setColumnStretch(2, 1)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(4)
        for name, text in (
            ("groups", self.tr("Groups")),
            ("unsure", self.tr("Unsure answers")),
            ("implied", self.tr("Pairs that follow")),
            ("undecided", self.tr("Items in no group")),
            ("aside", self.tr("Items set aside")),
            ("overruled", self.tr("Answers overruled")),
            ("conflicts", self.tr("Contradictions")),
        ):
            label, value = QLabel(text, body), QLabel(body)
            label.setProperty("role", "muted")
            value.setProperty("role", "strong")
            row = len(self._rows)
            grid.addWidget(label, row, 0)
            grid.addWidget(value, row, 1)
            self._rows[name] = (label, value)
        self._look = QPushButton(self.tr("Look"), body)
        self._look.setAccessibleName(self.tr("Look at the contradictions"))
        self._look.setToolTip(self.tr("Look at the contradictions (C while judging)"))
        self._look.setProperty("role", "small")
        self._look.clicked.connect(self.contradictionRequested)
        grid.addWidget(self._look, len(self._rows) - 1, 2, Qt.AlignmentFlag.AlignLeft)
        self._rows["implied"][0].setToolTip(
            self.tr(
                "Pairs settled by what you said of others: if A and B are the same, and B and C,"
                " then A and C are."
            )
        )
        return grid

    def _choosing(self) -> QGridLayout:
        """Lay out how pairs are chosen and groups found, and the ways to change it."""
        grid = QGridLayout()
        grid.setColumnStretch(0, 1)
        grid.setVerticalSpacing(2)
        heading = self.tr("How pairs are chosen")
        act = self.tr("Change how pairs are chosen")
        chosen_by, self._strategy, self._change = _add_way(grid, heading, act, "Ctrl+Shift+H")
        self._change.clicked.connect(self.strategyRequested)
        heading = self.tr("How groups are found")
        act = self.tr("Change how groups are found")
        found_by, self._grouping, self._regroup = _add_way(grid, heading, act, "Ctrl+Shift+G")
        self._regroup.clicked.connect(self.groupingRequested)
        self._way = (
            *(chosen_by, self._strategy, self._change),
            *(found_by, self._grouping, self._regroup),
        )
        return grid

    # ------------------------------------------------------------------ states

    def _show(self, _snapshot: object = None) -> None:
        shown = self._controller.shown
        if shown is None:
            self._asked.setText(self.tr("No project is open"))
            for widget in (self._bar, self._pace, self._recent, self._strip, *self._way):
                widget.hide()
            self._show_kind(shared=False)
            self._look.hide()
            for name in self._rows:
                self._set(name, None)
            return
        steps = tuple(step for step in trail.path_of(shown) if step.answer is not None)
        self._show_asked(shown, steps)
        progress = shown.progress
        was = steps[-1].effect.groups_before if steps and steps[-1].effect else progress.groups
        divided = bool(shown.overview.groups)
        groups = words.number(progress.groups) if divided else self.tr("none yet")
        if was != progress.groups:
            groups = self.tr("{0} (was {1})").format(groups, words.number(was))
        aside = trail.items_set_aside(shown)
        undecided = int((shown.overview.slots < 0).sum()) - len(aside)
        self._set("groups", groups)
        self._set("unsure", words.number(progress.unsure))
        self._set("implied", words.number(progress.implied) if progress.implied else None)
        self._set("undecided", words.number(undecided) if undecided > 0 and divided else None)
        self._set("aside", words.number(progress.set_aside) if progress.set_aside else None)
        overruled = len(shown.overruled)
        self._set("overruled", words.number(overruled) if overruled else None)
        self._show_kind(shared=shown.shares)
        self._set("conflicts", words.number(len(shown.conflicts)) if shown.conflicts else None)
        self._look.setVisible(bool(shown.conflicts))
        self._show_ways(shown)
        self._recent.setText(self._recently(shown))
        self._strip.show_steps(steps, shared=shown.shares)
        self._recent.show()
        self._strip.show()

    def _show_kind(self, *, shared: bool) -> None:
        """Say the same of items that may belong to several groups in words that hold there."""
        label, _ = self._rows["overruled"]
        label.setText(self.tr("Answers not explained") if shared else self.tr("Answers overruled"))
        unexplained = self.tr(
            "Answers that the groups found do not explain; the history marks and lists them."
        )
        outweighed = self.tr("Answers that your other answers outweigh; the history marks them.")
        label.setToolTip(unexplained if shared else outweighed)
        changed = self.tr("Items whose groups changed, answer by answer")
        moved = self.tr("Items that moved, answer by answer")
        self._caption.setText(changed if shared else moved)

    def _show_ways(self, shown: Snapshot) -> None:
        """Name strategy and method of the state shown, and what is set otherwise than usual."""
        opened = self._controller.opened
        for label, approach in ((self._strategy, shown.approach), (self._grouping, shown.grouping)):
            offers = (*opened.offers, *opened.methods) if opened else ()
            usual = strategies.usual(offers, approach.strategy)
            label.setText(strategies.described(approach, usual))
            label.setToolTip(strategies.about(approach.strategy))
        for widget in self._way:
            widget.show()
        if shown.shares:
            self._grouping.setText(self.tr("With the questions: items may have several groups"))
            self._grouping.setToolTip("")
            self._regroup.hide()

    def _set(self, name: str, value: str | None) -> None:
        for part in self._rows[name]:
            part.setVisible(value is not None)
        self._rows[name][1].setText(value or "")

    def _show_asked(self, shown: Snapshot, steps: tuple[HistoryItem, ...]) -> None:
        answered, planned = shown.progress.answered, shown.progress.planned
        count = words.number(answered)
        if planned is None:
            text = self.tr("1 question answered") if answered == 1 else ""
            text = text or self.tr("{0} questions answered").format(count)
        else:
            text = self.tr("{0} of {1} planned questions answered").format(
                count, words.number(planned)
            )
        self._asked.setText(text)
        self._bar.setVisible(planned is not None and planned > 0)
        # A bar repaints at once, and with it the half of the window that has changed by now.
        self._bar.setUpdatesEnabled(False)
        self._bar.setMaximum(planned or 1)
        self._bar.setValue(min(answered, planned or 1))
        self._bar.setUpdatesEnabled(True)
        pace = self._pace_of(steps, max(0, (planned or 0) - answered))
        self._pace.setText(pace)
        self._pace.setVisible(bool(pace))

    def _pace_of(self, steps: tuple[HistoryItem, ...], left: int) -> str:
        """Say how long the rest of the plan takes, at the pace so far."""
        times = [
            step.answer.response_ms
            for step in steps
            if step.answer is not None and step.answer.response_ms is not None
        ]
        if len(times) < _ENOUGH or left == 0:
            return ""
        seconds = median(times[-20:]) / 1000
        minutes = max(1, round(left * seconds / 60))
        return self.tr("At your pace, {0} s an answer, the rest takes about {1} min.").format(
            f"{seconds:.0f}" if seconds >= 2 else f"{seconds:.1f}", words.number(minutes)
        )

    def _recently(self, shown: Snapshot) -> str:
        recent, changes = shown.progress.recent, shown.progress.recent_changes
        if recent == 0:
            return self.tr("No answers yet.")
        if recent == 1:
            return (
                self.tr("The answer changed the groups.")
                if changes
                else self.tr("The answer changed nothing.")
            )
        if changes == 0:
            return self.tr("None of the last {0} answers changed the groups.").format(recent)
        return self.tr("Of the last {0} answers, {1} changed the groups.").format(recent, changes)


def _add_way(
    grid: QGridLayout, heading: str, act: str, keys: str
) -> tuple[QLabel, QLabel, QPushButton]:
    """Add to a grid what is done, how, and a button to do it otherwise."""
    row = grid.rowCount()
    above, how = QLabel(heading), QLabel(wordWrap=True)
    above.setProperty("role", "muted")
    above.setContentsMargins(0, 4, 0, 0)
    how.setProperty("role", "strong")
    how.setTextFormat(Qt.TextFormat.PlainText)
    change = QPushButton(QCoreApplication.translate("ProgressDock", "Change…"))
    change.setProperty("role", "small")
    change.setAccessibleName(act)
    change.setToolTip(f"{act} ({keys})")
    grid.addWidget(above, row, 0)
    grid.addWidget(how, row + 1, 0)
    grid.addWidget(change, row, 1, 2, 1, Qt.AlignmentFlag.AlignVCenter)
    return above, how, change


class _Body(QWidget):
    """What the dock holds."""

    def __init__(self) -> None:
        super().__init__()
        self.setMinimumWidth(280)

    def sizeHint(self) -> QSize:
        return QSize(320, max(260, super().sizeHint().height()))
