"""What a source holds, as the import dialog shows it: counts, pictures or columns, problems.

Hidden: where thumbnails come from, and what is left out for want of room. Promised: everything that
cannot be used is listed with its reason.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QFrame,
    QHeaderView,
    QLabel,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from desktop.dialogs.columns import ColumnsView
from desktop.images import PictureStore
from desktop.messages import Scanned
from desktop.widgets import words
from desktop.widgets.thumb_grid import ThumbGrid
from engine.dataset import ItemProblem

_PROBLEMS_LISTED = 5000
_FORMATS = {"jpg": "JPEG", "tif": "TIFF", "dcm": "DICOM"}  # others are named as their suffix
_FORMATS_LISTED = 4


class FoundPanel(QFrame):
    """The left half of the import dialog.

    Attributes
    ----------
    summary, notes
        Counts, or why the source cannot be used; and what else is to be said.
    columns
        Of a table, with their roles.
    pictures
        Some pictures of a folder.
    problems
        What is left out, and why.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._store = PictureStore(None, self)
        self.summary = QLabel(wordWrap=True)
        self.summary.setProperty("role", "heading")
        self.notes = QLabel(wordWrap=True)
        self.notes.setProperty("role", "muted")
        self.columns = ColumnsView()
        self.pictures = ThumbGrid(self._store)
        self.pictures.setAccessibleName(self.tr("Some of the pictures"))
        self._problems_title = QLabel()
        self._problems_title.setProperty("role", "strong")
        self.problems = QTreeWidget()
        self.problems.setAccessibleName(self.tr("What cannot be read, and why"))
        self.problems.setHeaderLabels([self.tr("Name"), self.tr("Why it is left out")])
        self.problems.setRootIsDecorated(False)
        self.problems.setUniformRowHeights(True)
        self.problems.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
        self.problems.header().resizeSection(0, 240)
        self._next = QLabel(
            self.tr(
                "<b>What happens next</b><br>Every picture is described by the computer, once and "
                "without a network. Then a map of all of them is drawn, and the first question is "
                "asked. The groups form as you answer; you can stop and go on whenever you like."
            ),
            wordWrap=True,
        )
        self._next.setAlignment(Qt.AlignmentFlag.AlignTop)
        inside = QVBoxLayout(self)
        inside.setContentsMargins(18, 16, 18, 16)
        inside.setSpacing(10)
        inside.addWidget(self.summary)
        inside.addWidget(self.notes)
        inside.addWidget(self.columns, 3)
        inside.addWidget(self.pictures, 3)
        inside.addWidget(self._problems_title)
        inside.addWidget(self.problems, 2)
        inside.addWidget(self._next)
        self._rest = QWidget()  # keeps what there is at the top
        inside.addWidget(self._rest, 1)

    def wait(self) -> None:
        """Show that nothing is known yet."""
        self.show_reason(self.tr("Looking at what is there…"))

    def show_reason(
        self, reason: str, more: Sequence[str] = (), problems: Sequence[ItemProblem] = ()
    ) -> None:
        """Say why there is nothing to show."""
        self.summary.setText(reason)
        self._say(more)
        self._show_problems(problems)
        for widget in (self.columns, self.pictures, self._next):
            widget.hide()
        self._rest.show()

    def show_found(self, found: Scanned) -> None:
        """Show what was found."""
        self.summary.setText(self._counts(found))
        self._say([f"• {remark}" for remark in self._remarks(found)])
        self._show_problems(found.problems)
        self.columns.setVisible(bool(found.columns))
        if found.columns:
            self.columns.show_columns(found.columns, found.preview)
        self._store.show_files(found.samples)
        self.pictures.show_items(range(len(found.samples)))
        self.pictures.setVisible(bool(found.samples))
        self._next.setVisible(not found.columns and not found.problems)
        self._rest.setVisible(not (found.columns or found.samples or found.problems))

    def clear(self) -> None:
        """Want no pictures any more."""
        self._store.show_files(())

    def _say(self, lines: Sequence[str]) -> None:
        self.notes.setText("\n".join(lines))
        self.notes.setVisible(bool(lines))

    def _counts(self, found: Scanned) -> str:
        locale = self.locale()
        count = words.pictures if found.kind == "images" else words.rows
        parts = [count(found.n_items)]
        if found.columns:
            parts.append(self.tr("{0} columns").format(locale.toString(len(found.columns))))
        if found.n_copies:
            copies = self.tr("{0} exact copies, asked about once")
            one = self.tr("1 exact copy, asked about once")
            n = found.n_copies
            parts.append(one if n == 1 else copies.format(locale.toString(n)))
        if found.problems:
            unread = self.tr("{0} cannot be used")
            parts.append(unread.format(locale.toString(len(found.problems))))
        return "  ·  ".join(parts)

    def _remarks(self, found: Scanned) -> list[str]:
        remarks = list(found.notes)
        if found.suffixes:
            remarks.insert(0, self._formats(found.suffixes))
        if not found.problems:
            remarks.append(self.tr("Everything can be read."))
        return remarks

    def _formats(self, suffixes: Sequence[tuple[str, int]]) -> str:
        """Say how many pictures have which format, such as "310 JPEG, 12 PNG"."""
        counts: dict[str, int] = {}
        for suffix, n in suffixes:
            name = _FORMATS.get(suffix, suffix.upper()) or self.tr("without a suffix")
            counts[name] = counts.get(name, 0) + n
        parts = [f"{self.locale().toString(n)} {name}" for name, n in counts.items()]
        if len(parts) > _FORMATS_LISTED:
            parts = [*parts[:_FORMATS_LISTED], self.tr("others")]
        return ", ".join(parts)

    def _show_problems(self, problems: Sequence[ItemProblem]) -> None:
        self.problems.clear()
        listed = problems[:_PROBLEMS_LISTED]
        self.problems.addTopLevelItems(
            [QTreeWidgetItem([problem.name, problem.reason]) for problem in listed]
        )
        self.problems.setVisible(bool(listed))
        self._problems_title.setVisible(bool(listed))
        self._problems_title.setText(
            self.tr("Left out, the rest goes on ({0})").format(
                self.locale().toString(len(problems))
            )
        )
