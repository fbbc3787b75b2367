"""From a folder or table to a project: what was found, what cannot be read, and a few choices.

Hidden: the scan and the making of the project, both in the background. Promised: nothing is
written before "Create", a project file that exists is never touched, and whatever fails is said
here, with the choices kept.
"""

from __future__ import annotations

import enum
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from desktop import paths, samples
from desktop.controller import Controller
from desktop.dialogs.files import FileDialogs
from desktop.dialogs.found import FoundPanel
from desktop.messages import CreateProject, Failed, Opened, Scanned, ScanSource, Stopped, Working
from desktop.translation import QT_TRANSLATE_NOOP
from desktop.widgets import shared_words
from desktop.widgets.choosing.kind_choice import KindChoice
from desktop.widgets.choosing.strategy_choice import StrategyChoice
from desktop.widgets.number_box import NumberBox
from desktop.widgets.scrolling import scrolled_card
from desktop.widgets.state_bar import said

EMBEDDERS = {
    "lite0": QT_TRANSLATE_NOOP("Import", "What the pictures show (recommended)"),
    "lite0-fast": QT_TRANSLATE_NOOP("Import", "What the pictures show, at low resolution (fast)"),
    "classic": QT_TRANSLATE_NOOP("Import", "Shape and colour"),
    "pixels": QT_TRANSLATE_NOOP("Import", "Raw pixels, for small aligned pictures"),
    "table": QT_TRANSLATE_NOOP("Import", "The columns used as features"),
}
_PLANNED = 200  # questions a person may well answer in an hour
_PER_ITEM = 2  # planned for each item of a small source; larger ones need fewer for each
_FEWEST = 10
_MOST = 100_000


def _meaning(*, shared: bool) -> str:
    """Say what the question is for."""
    if shared:
        return QCoreApplication.translate(
            "Import", "Say what groups are to you, such as “Is any cell type on both slides?”"
        )
    return QCoreApplication.translate(
        "Import", "Say what “together” means to you, such as “the same species?”"
    )


class _Stage(enum.Enum):
    """Where the dialog stands."""

    SCANNING = "scanning"
    CHOOSING = "choosing"
    UNUSABLE = "unusable"
    CREATING = "creating"


class ImportDialog(QDialog):
    """Makes a project of one source.

    Parameters
    ----------
    controller
        Scans and creates.
    files
        Asks for the project file and for another source.
    source
        Folder or table.

    Signals
    -------
    otherWanted
        The source cannot be used and another one is to be chosen.
    """

    otherWanted = Signal(object)

    def __init__(
        self,
        controller: Controller,
        files: FileDialogs,
        source: Path,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._controller = controller
        self._files = files
        self._source = source
        self._sample = samples.known(source)
        self._stage = _Stage.SCANNING
        self.setObjectName("import")
        self.setWindowTitle(self.tr("New project"))
        self.resize(1160, 720)
        self._build()
        controller.scanned.connect(self._scanned)
        controller.working.connect(self._working)
        controller.failed.connect(self._failed)
        controller.stopped.connect(self._stopped)
        controller.studyOpened.connect(self._opened)
        self._enter(_Stage.SCANNING)
        controller.send(ScanSource(source))

    # ------------------------------------------------------------------ layout

    def _build(self) -> None:
        self.heading = QLabel()
        self.heading.setProperty("role", "title")
        self.place = QLabel(str(self._source))
        self.place.setProperty("role", "muted")
        self.place.setTextFormat(Qt.TextFormat.PlainText)
        # A label as low as its line cuts off the first row of pixels, the dots of a Ü.
        self.place.setMinimumHeight(self.place.fontMetrics().lineSpacing() + 6)
        self.place.setWordWrap(True)
        body = QSplitter(Qt.Orientation.Horizontal)
        body.setChildrenCollapsible(False)
        self.found = FoundPanel()
        self.found.columns.rolesChanged.connect(self._check)
        self.finished.connect(self.found.clear)
        body.addWidget(self.found)
        body.addWidget(self._build_choices())
        body.setStretchFactor(0, 3)
        body.setStretchFactor(1, 2)
        body.setSizes([730, 380])
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 18)
        column.setSpacing(8)
        column.addWidget(self.heading)
        column.addWidget(self.place)
        column.addSpacing(6)
        column.addWidget(body, 1)
        column.addLayout(self._build_foot())

    def _build_choices(self) -> QWidget:
        sample = self._sample
        self.kind = KindChoice()
        self.kind.setContentsMargins(0, 0, 0, 10)
        self.kind.changed.connect(self._put_question)
        usual = shared_words.default_question(shared=False)
        self.question = QLineEdit(sample.question if sample else usual)
        self.embedder = QComboBox()
        self.embedder.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.choice = StrategyChoice(folded=True, kind=self.kind)
        self.choice.setContentsMargins(0, 0, 0, 10)
        self.choice.changed.connect(self._check)
        self.planned = NumberBox()
        self.planned.setRange(0, _MOST)
        self.planned.setSingleStep(25)
        self.planned.setSpecialValueText(self.tr("as many as it takes"))
        self.planned.setValue(_PLANNED)
        self.seed = NumberBox()
        self.seed.setRange(0, 2**31 - 1)
        self.path = QLineEdit(str(paths.new_project_file(self._source)))
        self.path.textChanged.connect(self._check)
        self.browse = QPushButton(self.tr("&Browse…"))
        self.browse.clicked.connect(self._browse)
        form = QFormLayout()
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapAllRows)
        form.setVerticalSpacing(6)
        form.setContentsMargins(18, 16, 18, 16)
        self._fill(form)
        inside = QWidget()
        inside.setLayout(form)
        self.choices = scrolled_card(inside, self.tr("Choices"))
        self.choices.setMinimumWidth(370)  # the longest way to compare can be read
        return self.choices

    def _fill(self, form: QFormLayout) -> None:
        """Put the choices one below the other."""
        file_row = QHBoxLayout()
        file_row.addWidget(self.path, 1)
        file_row.addWidget(self.browse)
        form.addRow(self.kind)
        question = self.tr("&Question shown above every pair")
        self._meaning = self._add(form, question, self.question, _meaning(shared=False))
        words = self.tr("Where the first guesses come from; your answers decide.")
        words = (self._sample.why if self._sample else "") or words
        self._add(form, self.tr("&Compare by"), self.embedder, words)
        form.addRow(self.choice)
        words = self.tr("Only for the progress line; you may stop or go on at any time.")
        self._add(form, self.tr("Questions you &plan to answer"), self.planned, words)
        words = self.tr("Every answer is saved here at once. Your source is never changed.")
        self._add(form, self.tr("Project &file"), self.path, words, file_row)
        words = self.tr("The same seed and answers give the same questions again.")
        self._add(form, self.tr("&Seed"), self.seed, words)

    def _add(
        self,
        form: QFormLayout,
        label: str,
        field: QWidget,
        why: str,
        row: QHBoxLayout | None = None,
    ) -> QLabel:
        name = QLabel(label)
        name.setProperty("role", "strong")
        name.setBuddy(field)
        field.setAccessibleName(label.replace("&", ""))
        field.setAccessibleDescription(why)
        field.setToolTip(why)
        words = QLabel(why)
        words.setProperty("role", "muted")
        words.setWordWrap(True)
        words.setContentsMargins(0, 0, 0, 10)
        form.addRow(name)
        if row is None:
            form.addRow(field)
        else:
            form.addRow(row)
        form.addRow(words)
        return words

    def _put_question(self) -> None:
        """Propose the question of the kind chosen, unless the person has put their own."""
        shared = self.kind.shared
        self.question.setText(shared_words.question(self.question.text(), shared=shared))
        words = _meaning(shared=shared)
        self._meaning.setText(words)
        self.question.setAccessibleDescription(words)
        self.question.setToolTip(words)

    def _build_foot(self) -> QVBoxLayout:
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName(self.tr("Progress"))
        self.doing = QLabel()
        self.doing.setProperty("role", "muted")
        self.fault = QLabel()
        self.fault.setProperty("role", "error")
        self.fault.setWordWrap(True)
        self.other = QPushButton(self.tr("Choose &another…"))
        self.other.setProperty("role", "primary")
        self.other.clicked.connect(self._choose_another)
        self.stop = QPushButton(self.tr("Cancel"))
        self.stop.setAccessibleName(self.tr("Cancel"))
        self.stop.clicked.connect(self.reject)
        self.make = QPushButton(self.tr("Create and &start"))
        self.make.setProperty("role", "primary")
        self.make.setDefault(True)
        self.make.clicked.connect(self._create)
        buttons = QHBoxLayout()
        buttons.setSpacing(10)
        buttons.addWidget(self.doing)
        buttons.addWidget(self.fault, 1)
        buttons.addWidget(self.stop)
        buttons.addWidget(self.other)
        buttons.addWidget(self.make)
        foot = QVBoxLayout()
        foot.setSpacing(8)
        foot.addWidget(self.progress)
        foot.addLayout(buttons)
        return foot

    # ------------------------------------------------------------------ stages

    def _enter(self, stage: _Stage) -> None:
        self._stage = stage
        running = stage in (_Stage.SCANNING, _Stage.CREATING)
        found = stage in (_Stage.CHOOSING, _Stage.CREATING)
        self.progress.setRange(0, 0 if running else 1)
        keep = self.progress.sizePolicy()
        keep.setRetainSizeWhenHidden(True)
        self.progress.setSizePolicy(keep)
        self.progress.setVisible(running)
        self.choices.setVisible(found)
        self.other.setVisible(stage is _Stage.UNUSABLE)
        self.make.setVisible(stage is not _Stage.UNUSABLE)
        self.choices.setEnabled(stage is _Stage.CHOOSING)
        self.found.columns.setEnabled(stage is _Stage.CHOOSING)
        self.stop.setText(self.tr("Stop") if running else self.tr("Cancel"))
        self.doing.setText(
            {
                _Stage.SCANNING: self.tr("Looking at what is there…"),
                _Stage.CREATING: self.tr("Creating the project…"),
            }.get(stage, "")
        )
        self.doing.setVisible(running)
        if stage is _Stage.SCANNING:
            self.heading.setText(self.tr("New project from “{0}”").format(self._source.name))
            self.found.wait()
        self._check()

    def _check(self) -> None:
        """Say why the project cannot be created yet, or allow it."""
        fault = self._fault() if self._stage is _Stage.CHOOSING else ""
        if self._stage in (_Stage.CHOOSING, _Stage.CREATING):
            self.fault.setText(fault)
        self.make.setEnabled(self._stage is _Stage.CHOOSING and not fault)

    def _fault(self) -> str:
        if self.found.columns.fault:
            return self.found.columns.fault
        text = self.path.text().strip()
        path = Path(text)
        if self.choice.fault:
            return self.choice.fault
        if not text or not path.is_absolute():
            return self.tr("Choose where the project file is to be.")
        if not path.parent.is_dir():
            return self.tr("The folder {0} does not exist.").format(path.parent)
        if not paths.is_writable(path.parent):
            return self.tr("Nothing can be written into the folder {0}.").format(path.parent)
        if self._project_file().exists():
            return self.tr("{0} exists already; choose another name.").format(
                self._project_file().name
            )
        return ""

    def _project_file(self) -> Path:
        path = Path(self.path.text().strip())
        return path if path.suffix == paths.SUFFIX else path.with_name(path.name + paths.SUFFIX)

    # ------------------------------------------------------------------ replies

    def _scanned(self, found: Scanned) -> None:
        if self._stage is not _Stage.SCANNING or found.source != self._source:
            return
        if found.unusable or found.n_items == 0:
            reason = found.unusable or self.tr("There is nothing to sort here.")
            hint = found.hint or self.tr("Choose another folder or table.")
            self.found.show_reason(reason, (hint, *found.notes), found.problems)
            self._enter(_Stage.UNUSABLE)
            return
        self.found.show_found(found)
        self._plan(found.n_items)
        self.choice.offer(found.offers)
        self.embedder.clear()
        for name in found.embedders:
            words = QCoreApplication.translate("Import", EMBEDDERS.get(name, name))
            self.embedder.addItem(words, name)
        if self._sample is not None:
            self.embedder.setCurrentIndex(max(0, self.embedder.findData(self._sample.embedder)))
        self._enter(_Stage.CHOOSING)
        self.question.setFocus()
        self.question.selectAll()

    def _plan(self, n_items: int) -> None:
        """Propose how many questions to plan; there are no more than pairs."""
        pairs = n_items * (n_items - 1) // 2
        proposed = self._sample.planned if self._sample else max(_FEWEST, _PER_ITEM * n_items)
        self.planned.setMaximum(min(_MOST, pairs))
        self.planned.setValue(min(proposed, _PLANNED, pairs))

    def _working(self, news: Working) -> None:
        if self._stage not in (_Stage.SCANNING, _Stage.CREATING):
            return
        self.progress.setRange(0, news.total)
        self.progress.setValue(news.done)
        self.doing.setText(said(news))

    def _failed(self, news: Failed) -> None:
        words = " ".join(part for part in (news.message, news.hint) if part)
        if self._stage is _Stage.SCANNING:
            self.found.show_reason(news.message, (news.hint,) if news.hint else ())
            self._enter(_Stage.UNUSABLE)
        elif self._stage is _Stage.CREATING:
            self._enter(_Stage.CHOOSING)
            self.fault.setText(words)

    def _stopped(self, _news: Stopped) -> None:
        if self._stage is _Stage.CREATING:
            self._enter(_Stage.CHOOSING)

    def _opened(self, _opened: Opened) -> None:
        if self._stage is _Stage.CREATING:
            self._stage = _Stage.CHOOSING
            self.accept()

    # ------------------------------------------------------------------ intents

    def _create(self) -> None:
        planned = self.planned.value()
        request = CreateProject(
            source=self._source,
            path=self._project_file(),
            embedder=self.embedder.currentData() or "auto",
            seed=self.seed.value(),
            strategy=self.choice.strategy,
            params=self.choice.unusual,
            roles=self.found.columns.roles,
            question=self.question.text().strip(),
            planned=planned or None,
        )
        self._enter(_Stage.CREATING)
        self._controller.send(request)

    def _choose_another(self) -> None:
        self.reject()
        self.otherWanted.emit(self._source)

    def _browse(self) -> None:
        kinds = self.tr("Pairloom projects (*{0})").format(paths.SUFFIX)
        chosen = self._files.new(
            self, "projects", self.tr("Project file"), kinds, Path(self.path.text())
        )
        if chosen is not None:
            self.path.setText(str(chosen))

    def reject(self) -> None:
        """Stop what is running; close when nothing is. Creating can be taken up again."""
        if self._stage is _Stage.CREATING:
            self._controller.cancel()
            return
        if self._stage is _Stage.SCANNING:
            self._stage = _Stage.UNUSABLE
            self._controller.cancel()
        super().reject()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop what is running, and close all the same: the program may be quitting."""
        if self._stage is _Stage.CREATING:
            self._stage = _Stage.UNUSABLE
            self._controller.cancel()
        super().closeEvent(event)
