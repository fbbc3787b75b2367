"""The Start page: something new, something known, or the bundled samples."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QRunnable, QSize, Qt, QThreadPool, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from desktop import theme
from desktop.settings import Recent
from desktop.widgets import words
from desktop.widgets.elided_label import ElidedLabel
from desktop.widgets.scrolling import scrolled, scrolled_card

_LARGEST = (1180, 680)  # pixels: the page stays together on a large screen


class _Look(QRunnable):
    """Looks off the GUI thread whether files exist: a network drive may take its time."""

    def __init__(self, files: Sequence[str], page: StartPage) -> None:
        super().__init__()
        self._files = tuple(files)
        self._page = page

    def run(self) -> None:
        missing = frozenset(file for file in self._files if not Path(file).is_file())
        with contextlib.suppress(RuntimeError):  # the page has gone meanwhile
            self._page.looked.emit(missing)


class _RichButton(QPushButton):
    """A button as large as the layout inside it; that layout's labels let the mouse through."""

    def set_inside(self, inside: QHBoxLayout) -> None:
        self._inside = inside
        self.setLayout(inside)
        for label in self.findChildren(QLabel):
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return self._inside.sizeHint()

    def minimumSizeHint(self) -> QSize:
        return self._inside.minimumSize()


class _Tile(_RichButton):
    """A large button: icon, what it does, a line that says more, its keys."""

    def __init__(self, icon: str, title: str, more: str, keys: str = "") -> None:
        super().__init__()
        self._icon_name = icon
        self.setProperty("role", "tile")
        self.setAccessibleName(title)
        self.setAccessibleDescription(more)
        self._picture = QLabel()
        self._picture.setFixedSize(28, 28)
        heading = QLabel(title)
        heading.setProperty("role", "strong")
        said = QLabel(more)
        said.setProperty("role", "muted")
        said.setWordWrap(True)
        text = QVBoxLayout()
        text.setSpacing(2)
        text.addWidget(heading)
        text.addWidget(said)
        row = QHBoxLayout()
        row.setContentsMargins(16, 12, 16, 12)
        row.setSpacing(14)
        row.addWidget(self._picture)
        row.addLayout(text, 1)
        if keys:
            chip = QLabel(keys)
            chip.setProperty("role", "chip")
            row.addWidget(chip, 0, Qt.AlignmentFlag.AlignVCenter)
        self.set_inside(row)
        self.color()

    def color(self) -> None:
        """Draw the icon in the colours in force."""
        colors = theme.current().colors
        self._picture.setPixmap(theme.icon(self._icon_name, colors.accent).pixmap(28, 28))


class _RecentRow(QFrame):
    """One project opened lately."""

    opened = Signal(str)
    removed = Signal(str)

    def __init__(self, project: Recent) -> None:
        super().__init__()
        self.project = project
        self.setObjectName("recent")
        path = Path(project.path)
        self.button = _RichButton()
        self.button.setProperty("role", "quiet")
        self.button.setAccessibleName(self.tr("Open {0}").format(path.stem))
        self.button.clicked.connect(lambda: self.opened.emit(project.path))
        self._picture = QLabel()
        self._picture.setFixedSize(22, 22)
        self.name = ElidedLabel(Qt.TextElideMode.ElideMiddle)
        self.name.setText(path.stem)
        self.name.setProperty("role", "strong")
        self.state = QLabel(self._counts())
        self.state.setProperty("role", "muted")
        place = ElidedLabel(Qt.TextElideMode.ElideMiddle)
        place.setText(str(path.parent))
        place.setProperty("role", "muted")
        top = QHBoxLayout()
        top.addWidget(self.name, 1)
        top.addWidget(self.state)
        text = QVBoxLayout()
        text.setSpacing(2)
        text.addLayout(top)
        text.addWidget(place)
        inner = QHBoxLayout()
        inner.setContentsMargins(12, 8, 12, 8)
        inner.setSpacing(12)
        inner.addWidget(self._picture)
        inner.addLayout(text, 1)
        self.button.set_inside(inner)
        self.remove = QToolButton()
        self.remove.setToolTip(self.tr("Remove from this list; the file stays"))
        self.remove.setAccessibleName(self.tr("Remove {0} from this list").format(path.stem))
        self.remove.clicked.connect(lambda: self.removed.emit(project.path))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(self.button, 1)
        row.addWidget(self.remove)
        self.color()

    def _counts(self) -> str:
        of = self.project
        items = words.pictures(of.items) if of.pictures else words.rows(of.items)
        return f"{items} · {words.answers(of.answers)}"

    def set_missing(self) -> None:
        """Grey it out: its file is not there."""
        self.button.setEnabled(False)
        self.state.setText(self.tr("file not found"))
        for label in self.button.findChildren(QLabel):
            label.setEnabled(False)

    def color(self) -> None:
        """Draw the icons in the colours in force."""
        name = "image" if self.project.pictures else "table"
        self._picture.setPixmap(theme.icon(name).pixmap(22, 22))
        self.remove.setIcon(theme.icon("close"))


class StartPage(QWidget):
    """What can be begun or gone on with.

    Parameters
    ----------
    made
        The window's actions by id; the tiles trigger them.

    Signals
    -------
    projectWanted, forgetWanted
        A recent project (its file) is to be opened, or taken off the list.
    looked
        Which files of the list are missing; emitted from another thread.
    """

    projectWanted = Signal(str)
    forgetWanted = Signal(str)
    looked = Signal(object)

    def __init__(self, made: dict[str, QAction], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("start")
        self._made = made
        self._rows: list[_RecentRow] = []
        self._tiles: list[_Tile] = []
        columns = QHBoxLayout()
        columns.setSpacing(28)
        columns.addLayout(self._new(), 1)
        columns.addLayout(self._known(), 1)
        inside = QWidget()
        inside.setMaximumSize(*_LARGEST)
        page = QVBoxLayout(inside)
        page.setContentsMargins(32, 28, 32, 24)
        page.setSpacing(22)
        page.addLayout(self._head())
        page.addLayout(columns, 1)
        across = QHBoxLayout()
        across.addStretch(1)
        across.addWidget(inside, 100)
        across.addStretch(1)
        whole = QWidget()
        around = QVBoxLayout(whole)  # on a large screen a little above the middle
        around.setContentsMargins(0, 0, 0, 0)
        around.addStretch(2)
        around.addLayout(across, 100)
        around.addStretch(3)
        outside = QVBoxLayout(self)
        outside.setContentsMargins(0, 0, 0, 0)
        outside.addWidget(scrolled(whole, self.tr("Start")))
        self.looked.connect(self._mark)
        theme.current().themeChanged.connect(self._color)
        self.show_recent(())
        self._color()

    def _head(self) -> QHBoxLayout:
        logo = QLabel()
        logo.setPixmap(theme.icon("pairloom").pixmap(48, 48))
        title = QLabel(self.tr("Pairloom"))
        title.setProperty("role", "title")
        said = QLabel(
            self.tr("Say of two things whether they belong together, and watch the groups form.")
        )
        said.setProperty("role", "muted")
        text = QVBoxLayout()
        text.setSpacing(2)
        text.addWidget(title)
        text.addWidget(said)
        head = QHBoxLayout()
        head.setSpacing(16)
        head.addWidget(logo)
        head.addLayout(text, 1)
        return head

    def _new(self) -> QVBoxLayout:
        column = QVBoxLayout()
        column.setSpacing(10)
        column.addWidget(_heading(self.tr("Start something new")))
        for command, icon, title, more in (
            (
                "new_from_folder",
                "image",
                self.tr("New from a folder of images"),
                self.tr("PNG, JPEG, TIFF, WebP, BMP, GIF, DICOM; subfolders too"),
            ),
            (
                "new_from_table",
                "table",
                self.tr("New from a table"),
                self.tr("CSV, TSV, Excel, Parquet or NPZ; one row is one item"),
            ),
            (
                "open_project",
                "folder-open",
                self.tr("Open a project"),
                self.tr("Go on where you stopped; every answer is there"),
            ),
        ):
            column.addWidget(self._tile(command, icon, title, more))
        column.addSpacing(8)
        column.addWidget(_heading(self.tr("Try it in three minutes")))
        samples = QGridLayout()
        samples.setSpacing(10)
        for at, (command, icon, title, more) in enumerate(
            (
                (
                    "try_sample_images",
                    "sample",
                    self.tr("Handwritten digits"),
                    self.tr("Some 600 small pictures"),
                ),
                (
                    "try_sample_table",
                    "sample",
                    self.tr("Breast tumours"),
                    self.tr("A table of 569 tumours"),
                ),
            )
        ):
            samples.addWidget(self._tile(command, icon, title, more), 0, at)
        column.addLayout(samples)
        column.addSpacing(8)
        column.addWidget(self._drop_hint(), 1)
        return column

    def _tile(self, command: str, icon: str, title: str, more: str) -> _Tile:
        action = self._made[command]
        keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        tile = _Tile(icon, title, more, keys)
        tile.setObjectName(f"tile_{command}")
        tile.clicked.connect(action.trigger)
        self._tiles.append(tile)
        return tile

    def _drop_hint(self) -> QFrame:
        frame = QFrame()
        frame.setProperty("role", "drop")
        self._drop = QLabel()
        said = QLabel(self.tr("Drop a folder, a table or a project anywhere in this window"))
        said.setProperty("role", "muted")
        said.setWordWrap(True)
        inside = QVBoxLayout(frame)
        inside.setContentsMargins(16, 12, 16, 12)
        inside.addStretch(1)
        for label in (self._drop, said):
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            inside.addWidget(label)
        inside.addStretch(1)
        return frame

    def _known(self) -> QVBoxLayout:
        clear = QPushButton(self.tr("Clear"))
        clear.setProperty("role", "small")
        clear.setAccessibleName(self.tr("Clear the list of recent projects"))
        clear.clicked.connect(self._made["clear_recent"].trigger)
        self._clear = clear
        top = QHBoxLayout()
        top.addWidget(_heading(self.tr("Recent projects")), 1)
        top.addWidget(clear)
        self._nothing = QLabel(self.tr("Projects you open will be listed here."))
        self._nothing.setProperty("role", "muted")
        self._nothing.setContentsMargins(16, 14, 16, 14)
        self._list = QVBoxLayout()
        self._list.setContentsMargins(6, 6, 6, 6)
        self._list.setSpacing(2)
        self._list.addWidget(self._nothing)
        self._list.addStretch(1)
        inside = QWidget()
        inside.setLayout(self._list)
        column = QVBoxLayout()
        column.setSpacing(10)
        column.addLayout(top)
        column.addWidget(scrolled_card(inside, self.tr("Recent projects")), 1)
        return column

    # ------------------------------------------------------------------ the list

    def show_recent(self, projects: Sequence[Recent]) -> None:
        """List projects; those whose file is missing turn grey once that is known."""
        for row in self._rows:
            self._list.removeWidget(row)
            row.hide()  # it may be drawn once more before it goes
            row.deleteLater()
        self._rows = [_RecentRow(project) for project in projects]
        for at, row in enumerate(self._rows):
            row.opened.connect(self.projectWanted)
            row.removed.connect(self.forgetWanted)
            self._list.insertWidget(at, row)
        self._nothing.setVisible(not self._rows)
        self._clear.setVisible(bool(self._rows))
        if self._rows:
            QThreadPool.globalInstance().start(_Look([project.path for project in projects], self))

    def _mark(self, missing: frozenset[str]) -> None:
        for row in self._rows:
            if row.project.path in missing:
                row.set_missing()

    def _color(self) -> None:
        muted = theme.current().colors.muted
        self._drop.setPixmap(theme.icon("drop", muted).pixmap(32, 32))
        for tile in self._tiles:
            tile.color()
        for row in self._rows:
            row.color()


def _heading(said: str) -> QLabel:
    label = QLabel(said)
    label.setMinimumHeight(26)  # as high as the small button beside one of them
    label.setProperty("role", "heading")
    label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
    return label
