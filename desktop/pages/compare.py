"""The compare page: strategies side by side, on the answers given and on labels.

Hides which replies belong to the comparison shown and when it is out of date. Promises that nothing
in the project changes by comparing, and that what was found stays until another is begun.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QHBoxLayout,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from desktop import strategies
from desktop.dialogs.variant import VariantDialog
from desktop.messages import Compare, Offer, Opened, Request, SaveComparison, Stopped, Working
from desktop.widgets import trail
from desktop.widgets.comparing.beginning import Beginning
from desktop.widgets.comparing.finding_panel import FindingPanel
from desktop.widgets.comparing.findings import on_answers, on_labels
from desktop.widgets.comparing.setup import Setup
from desktop.widgets.notice import Notice
from engine.compare import Comparison
from engine.model import Snapshot, StepKind

if TYPE_CHECKING:
    from desktop.controller import Controller
    from desktop.dialogs.files import FileDialogs

_ABREAST = 1500  # px, from which on both halves fit beside each other
_SETUP = 264
_BEARING = (StepKind.ANSWER, StepKind.REVISE, StepKind.SET_ASIDE)


class ComparePage(QWidget):
    """The page.

    Parameters
    ----------
    controller
        Whose live state is compared on.
    files
        Asks where to save.

    Notes
    -----
    `strategyWanted(Approach)`: the person wants to go on with a strategy. `saved(str)`,
    `refused(str)`: a picture was written, or why not.
    """

    strategyWanted = Signal(object)
    saved = Signal(str)
    refused = Signal(str)

    def __init__(
        self, controller: Controller, files: FileDialogs, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("comparePage")
        self._controller = controller
        self._files = files
        self._found: Comparison | None = None
        self._found_at: object = None
        self._running = False
        self._shared = False  # items may belong to several groups
        self._awaited = False  # a comparison was asked for, and nothing of it is there yet
        self.setup = Setup(self)
        self.stale = Notice("info", "accent", self)
        self.stale.add_button(self.tr("Compare again"), self.compare)
        self.answers = FindingPanel(self.tr("On your answers"), self)
        self.labels = FindingPanel(self.tr("On the labels"), self)
        self.measure = QComboBox(self)
        self._lay_out()
        self._connect()
        self.setFocusProxy(self.setup.contenders)
        self._forget()

    # ------------------------------------------------------------------ layout

    def _lay_out(self) -> None:
        self.measure.addItem(self.tr("ARI"), "ari")
        self.measure.addItem(self.tr("NMI"), "nmi")
        self.measure.setProperty("role", "small")
        self.measure.setAccessibleName(self.tr("Measure of agreement with the labels"))
        self.labels.tools.insertWidget(2, self.measure)
        self.beginning = Beginning(self)
        halves = QWidget(self)
        beside = QHBoxLayout(halves)
        beside.setContentsMargins(0, 0, 0, 0)
        beside.setSpacing(8)
        beside.addWidget(self.answers, 1)
        beside.addWidget(self.labels, 1)
        self._pages = QStackedWidget(self)
        self._pages.addWidget(self.beginning)
        self._pages.addWidget(halves)
        right = QWidget(self)
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addLayout(self._top())
        column.addWidget(self.stale)
        column.addWidget(self._pages, 1)
        split = QSplitter(Qt.Orientation.Horizontal, self)
        split.addWidget(self.setup)
        split.addWidget(right)
        split.setStretchFactor(1, 1)
        split.setSizes([_SETUP, 900])
        split.setChildrenCollapsible(False)
        self.setup.setMinimumWidth(240)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.addWidget(split)

    def _top(self) -> QHBoxLayout:
        """Make the switch between the halves, for narrow windows, and what can be saved."""
        self.halves = QButtonGroup(self)
        row = QHBoxLayout()
        for at, text in enumerate((self.tr("On your &answers"), self.tr("On the &labels"))):
            button = QPushButton(text, self)
            button.setCheckable(True)
            button.setProperty("role", "small")
            self.halves.addButton(button, at)
            row.addWidget(button)
        self.halves.button(0).setChecked(True)
        self.halves.idClicked.connect(self._arrange)
        row.addStretch(1)
        self.save = QPushButton(self.tr("Save the &figures…"), self)
        self.save.setProperty("role", "small")
        self.save.setToolTip(self.tr("Every value of every curve as a table (CSV)"))
        self.save.clicked.connect(self._save_figures)
        row.addWidget(self.save)
        return row

    def _connect(self) -> None:
        controller = self._controller
        controller.studyOpened.connect(self._opened)
        controller.snapshotChanged.connect(self._changed)
        controller.closed.connect(self._forget)
        controller.requestSent.connect(self._asked)
        controller.compared.connect(self._compared)
        controller.working.connect(self._working)
        controller.stopped.connect(self._stopped)
        controller.failed.connect(self._ended)
        controller.crashed.connect(self._ended)
        self.setup.compareWanted.connect(self.compare)
        self.setup.stopWanted.connect(controller.cancel)
        self.setup.addWanted.connect(self._add)
        self.measure.currentIndexChanged.connect(self._show)
        for panel in (self.answers, self.labels):
            panel.useWanted.connect(self.strategyWanted)
            panel.saveWanted.connect(lambda panel=panel: self._save_plot(panel))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the halves beside each other where there is room."""
        super().resizeEvent(event)
        self._arrange()

    # ------------------------------------------------------------------ asking

    def compare(self) -> None:
        """Compare what is ticked."""
        if self._running or not self.setup.start.isEnabled():
            return
        setup = self.setup
        self._controller.send(Compare(setup.entrants, setup.budget, setup.noise))

    def _asked(self, request: Request) -> None:
        if isinstance(request, Compare):
            self._awaited = True
            self._run(running=True)
            self._say_stale()
            self.setup.tell(self.tr("Starting…"), 0)

    def _add(self) -> None:
        opened = self._controller.opened
        if opened is not None:
            now = self._controller.snapshot
            start = strategies.complete(opened.offers, now.approach) if now is not None else None
            dialog = VariantDialog(self._fitting(opened), start, self)
            dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            dialog.chosen.connect(self.setup.contenders.add)
            dialog.open()

    # ------------------------------------------------------------------ replies

    def _opened(self, opened: Opened) -> None:
        self._forget()
        self._shared = opened.snapshot.shares
        self.setup.show_study(opened, self._fitting(opened), opened.snapshot.approach)

    def _fitting(self, opened: Opened) -> tuple[Offer, ...]:
        """Give the strategies that ask as this project does: others would be asked otherwise."""
        return tuple(offer for offer in opened.offers if offer.shares == self._shared)

    def _follow_kind(self, snapshot: Snapshot) -> None:
        """Offer other strategies, and forget what was found, where another question is asked."""
        opened = self._controller.opened
        if opened is not None and snapshot.shares != self._shared:
            self._shared = snapshot.shares
            self._forget()
            self.setup.show_study(opened, self._fitting(opened), snapshot.approach)

    def _changed(self, snapshot: Snapshot) -> None:
        self._follow_kind(snapshot)
        self.setup.contenders.use(snapshot.approach)
        self.setup.count_answers(snapshot.progress.answered)
        self._show()

    def _forget(self) -> None:
        self._found = self._found_at = None
        self._awaited = False
        self._run(running=False)
        self._show()

    def _compared(self, comparison: Comparison) -> None:
        if self._awaited:  # what was answered since then came before it
            self._awaited = False
            self._found_at = self._state()
        self._found = comparison
        self._run(running=not comparison.complete)
        self._tell_progress(0)
        self._show()

    def _working(self, news: Working) -> None:
        if self._running and news.total:
            self._tell_progress(news.done / news.total)

    def _stopped(self, news: Stopped) -> None:
        if news.what == Compare.__name__:
            self._ended()

    def _ended(self, _news: object = None) -> None:
        """End a run that was stopped or went wrong; another's trouble is undone by what follows."""
        self._run(running=False)
        self._show()

    def _run(self, *, running: bool) -> None:
        if running != self._running:
            self._running = running
            self.setup.set_running(running=running)

    def _tell_progress(self, within: float) -> None:
        """Say which strategy is being tried on what, by what is missing still."""
        if self._awaited or self._found is None:
            return
        parts = self._parts(self._found)
        left = [said for said, there in parts if not there]
        if left:
            self.setup.tell(left[0] + "…", (len(parts) - len(left) + within) / len(parts))

    def _parts(self, found: Comparison) -> list[tuple[str, bool]]:
        """List what is tried in turn, in words, and whether it is there."""
        parts = []
        if any(trial.own is not None for trial in found.trials):
            words = self.tr("{0}, on your answers")
            parts += [
                (words.format(trial.label), trial.own is not None or bool(trial.refused))
                for trial in found.trials
            ]
        if found.labelled and found.budget:
            words = self.tr("{0}, on the labels")
            parts += [
                (words.format(trial.label), trial.curve is not None or bool(trial.refused))
                for trial in found.trials
            ]
        return parts

    # ------------------------------------------------------------------ showing

    def _state(self) -> object:
        """Give what a comparison on the answers depends on."""
        snapshot = self._controller.snapshot
        if snapshot is None:
            return None
        bearing = (step for step in trail.path_of(snapshot) if step.kind in _BEARING)
        said = tuple((step.seq, step.answer and step.answer.verdict) for step in bearing)
        return snapshot.approach, said

    def _show(self, _news: object = None) -> None:
        found, snapshot = self._found, self._controller.snapshot
        self.save.setEnabled(found is not None)
        self._say_stale()
        if found is None or snapshot is None:
            opened = self._controller.opened
            labelled = opened is not None and opened.labelled
            answers = snapshot.progress.answered if snapshot is not None else 0
            self.beginning.say(answers=answers, labelled=labelled)
        else:
            if self._on_answers:
                self.answers.show_finding(on_answers(found), snapshot.approach)
            if self._on_labels:
                self._offer_measures(found)
                measure = self.measure.currentData()
                self.labels.show_finding(on_labels(found, measure), snapshot.approach)
        self._arrange()

    def _offer_measures(self, found: Comparison) -> None:
        """Offer CRI, and begin with it, where items may belong to several groups."""
        shares = any(trial.curve is not None and trial.curve.cri for trial in found.trials)
        place = self.measure.findData("cri")
        if shares == (place >= 0):
            return
        with QSignalBlocker(self.measure):
            if shares:
                self.measure.insertItem(0, self.tr("CRI"), "cri")
                self.measure.setCurrentIndex(0)
            else:
                self.measure.removeItem(place)

    def _say_stale(self) -> None:
        told = ""
        if self._found is not None and not self._running:
            if self._found_at != self._state():
                told = self.tr("Answers or strategy have changed since; this is how it was.")
            elif not self._found.complete:
                told = self.tr("It ended early; this is what was found until then.")
        self.stale.say(told)

    @property
    def _on_answers(self) -> bool:
        found, snapshot = self._found, self._controller.snapshot
        if found is None or snapshot is None:
            return False
        tried = any(trial.own is not None for trial in found.trials)
        return tried or not self._on_labels

    @property
    def _on_labels(self) -> bool:
        return self._found is not None and self._found.labelled and self._found.budget > 0

    def _arrange(self) -> None:
        """Show both halves, or the one chosen where there is no room for both."""
        self._pages.setCurrentIndex(0 if self._found is None else 1)
        both = self._on_answers and self._on_labels
        abreast = self.width() >= _ABREAST
        chosen = self.halves.checkedId()
        self.answers.setVisible(self._on_answers and (abreast or not both or chosen == 0))
        self.labels.setVisible(self._on_labels and (abreast or not both or chosen == 1))
        for button in self.halves.buttons():
            button.setVisible(both and not abreast)

    # ------------------------------------------------------------------ saving

    def _save_figures(self) -> None:
        opened, found = self._controller.opened, self._found
        if opened is None or found is None:
            return
        proposed = opened.path.with_name("comparison.csv")
        kinds, title = self.tr("CSV tables (*.csv)"), self.tr("Save the figures")
        csv = self._files.new(self, "exports", title, kinds, proposed)
        if csv is not None:
            self._controller.send(SaveComparison(found, csv))

    def _save_plot(self, panel: FindingPanel) -> None:
        opened = self._controller.opened
        if opened is None:
            return
        name = "on-answers.png" if panel is self.answers else "on-labels.png"
        kinds = self.tr("Pictures (*.png);;Drawings (*.svg)")
        path = self._files.new(
            self, "exports", self.tr("Save the plot"), kinds, opened.path.with_name(name)
        )
        if path is None:
            return
        path = path if path.suffix.lower() in (".png", ".svg") else Path(f"{path}.png")
        try:
            panel.plot.save(path)
        except OSError as error:
            self.refused.emit(self.tr("The plot was not saved: {0}").format(error))
        else:
            self.saved.emit(self.tr("The plot is in {0}").format(path))
