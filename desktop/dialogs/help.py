"""Help without a network: the keyboard sheet, which also finds and runs commands; the about box."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from desktop import actions, theme
from desktop.translation import QT_TRANSLATE_NOOP
from desktop.versions import version, versions

# Keys that the judging pane takes itself, so that they never act while text is typed elsewhere.
JUDGING = (
    ("Num 4, 6, 2, 8", QT_TRANSLATE_NOOP("Keys", "Different, same, unsure, set aside")),
    ("Shift + answer", QT_TRANSLATE_NOOP("Keys", "Answer, certain")),
    ("G, then answer", QT_TRANSLATE_NOOP("Keys", "Answer, only a guess")),
    ("Backspace, Ctrl+Z", QT_TRANSLATE_NOOP("Keys", "Take back the last step")),
    ("K", QT_TRANSLATE_NOOP("Keys", "Link or unlink the views")),
    ("+, −, 0, 9", QT_TRANSLATE_NOOP("Keys", "Zoom in, out, fit, 100 %")),
    ("I, R", QT_TRANSLATE_NOOP("Keys", "Invert, reset the grey window")),
    ("C", QT_TRANSLATE_NOOP("Keys", "Look at a contradiction; there:")),
    ("←, →, 1 … 9", QT_TRANSLATE_NOOP("Keys", "– choose an answer")),
    ("Enter, U", QT_TRANSLATE_NOOP("Keys", "– change it, cannot say")),
    ("Page Up, Page Down", QT_TRANSLATE_NOOP("Keys", "– previous, next contradiction")),
    ("Esc, C", QT_TRANSLATE_NOOP("Keys", "– back to the pair")),
    ("[, ]", QT_TRANSLATE_NOOP("Keys", "Previous, next grey window")),
)

WHICH = (
    ("1 … 9", QT_TRANSLATE_NOOP("Keys", "Choose a group, or no longer")),
    ("←, →, Space", QT_TRANSLATE_NOOP("Keys", "Walk among the groups, choose one")),
    ("Enter, S", QT_TRANSLATE_NOOP("Keys", "Answer so; with none chosen: not sure which")),
    ("Esc, Backspace", QT_TRANSLATE_NOOP("Keys", "Back to the pair, without an answer")),
)

TREE = (
    ("↑, ↓, Page Up, Page Down", QT_TRANSLATE_NOOP("Keys", "Cut at fewer or more groups")),
    ("Home, Esc", QT_TRANSLATE_NOOP("Keys", "Cut as at first, back to your groups")),
    ("←, →", QT_TRANSLATE_NOOP("Keys", "Choose the group to the left or right")),
    ("Enter, Backspace", QT_TRANSLATE_NOOP("Keys", "Open the chosen branch, one branch up")),
    ("+, −, 0", QT_TRANSLATE_NOOP("Keys", "Zoom in, out, the whole tree")),
)

MATRIX = (
    ("M, C", QT_TRANSLATE_NOOP("Keys", "Show the matrix, the composition graph")),
    ("S", QT_TRANSLATE_NOOP("Keys", "Sort by the column; again: the other way round")),
    ("F, Esc", QT_TRANSLATE_NOOP("Keys", "Choose which items are shown, show all")),
    ("Enter, G", QT_TRANSLATE_NOOP("Keys", "Look at the item, go to the column's group")),
    ("Ctrl+C", QT_TRANSLATE_NOOP("Keys", "Copy the selected rows as text")),
    ("Arrow keys", QT_TRANSLATE_NOOP("Keys", "In the graph: walk from card to card")),
    ("Enter, G", QT_TRANSLATE_NOOP("Keys", "– show the items of a card, go to its group")),
    ("+, −, 0", QT_TRANSLATE_NOOP("Keys", "– zoom in, out, all of it")),
)

SUGGESTIONS = (
    ("↑, ↓, Page Up, Page Down", QT_TRANSLATE_NOOP("Keys", "Look at another suggestion")),
    ("Enter, Delete", QT_TRANSLATE_NOOP("Keys", "Confirm it, reject it")),
    ("S, D, U", QT_TRANSLATE_NOOP("Keys", "Say same, different, unsure outright")),
    ("Backspace, Ctrl+Z", QT_TRANSLATE_NOOP("Keys", "Take back the last answer")),
    ("L", QT_TRANSLATE_NOOP("Keys", "Learn again from all answers")),
    ("Esc", QT_TRANSLATE_NOOP("Keys", "Stop learning")),
)


class KeysDialog(QDialog):
    """Every command with its keys; type to find one, Enter to run it.

    Parameters
    ----------
    made
        The window's actions by id.
    """

    def __init__(self, made: Mapping[str, QAction], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._made = made
        self.setWindowTitle(self.tr("Keyboard and commands"))
        self.resize(560, 620)
        self.search = QLineEdit()
        self.search.setPlaceholderText(self.tr("Find a command"))
        self.search.setAccessibleName(self.tr("Find a command"))
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._filter)
        self.search.returnPressed.connect(self._run_first)
        self.list = QTreeWidget()
        self.list.setAccessibleName(self.tr("Commands"))
        self.list.setHeaderLabels([self.tr("Command"), self.tr("Keys")])
        self.list.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.list.header().setStretchLastSection(False)
        self.list.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.itemActivated.connect(self._run)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(10)
        column.addWidget(self.search)
        column.addWidget(self.list, 1)
        self.list.ensurePolished()  # else rows are as high as before the style was known
        self._fill()

    def _fill(self) -> None:
        for menu, title in actions.MENUS:
            commands = [command for command in actions.COMMANDS if command.menu == menu]
            if not commands:
                continue
            heading = self._heading(actions.text(title).replace("&", ""))
            for command in commands:
                action = self._made[command.id]
                said = actions.plain(action) if command.shared else actions.words(command)
                row = QTreeWidgetItem([said, actions.keys(command)])
                row.setToolTip(0, action.toolTip())
                row.setData(0, Qt.ItemDataRole.UserRole, command.id)
                row.setDisabled(not action.isEnabled())
                heading.addChild(row)
        for title, told in (
            (self.tr("More keys while judging"), JUDGING),
            (self.tr("More keys at “Which in common?”"), WHICH),
            (self.tr("More keys in the tree"), TREE),
            (self.tr("More keys in the matrix"), MATRIX),
            (self.tr("More keys among the suggestions"), SUGGESTIONS),
        ):
            heading = self._heading(title)
            for keys, english in told:
                words = QCoreApplication.translate("Keys", english)
                heading.addChild(QTreeWidgetItem([words, keys]))
        self.list.expandAll()

    def _heading(self, title: str) -> QTreeWidgetItem:
        heading = QTreeWidgetItem(self.list, [title])
        heading.setFlags(Qt.ItemFlag.ItemIsEnabled)
        font = heading.font(0)
        font.setBold(True)
        heading.setFont(0, font)
        return heading

    def _rows(self) -> list[QTreeWidgetItem]:
        return [row for heading in self._headings() for row in _children(heading)]

    def _headings(self) -> list[QTreeWidgetItem]:
        return _children(self.list.invisibleRootItem())

    def _filter(self, words: str) -> None:
        wanted = words.casefold().split()
        for row in self._rows():
            shown = row.text(0).casefold()
            row.setHidden(not all(word in shown for word in wanted))
        for heading in self._headings():
            heading.setHidden(all(row.isHidden() for row in _children(heading)))

    def _run_first(self) -> None:
        for row in self._rows():
            if not row.isHidden() and not row.isDisabled() and self._command(row):
                self._run(row)
                return

    def _run(self, row: QTreeWidgetItem) -> None:
        command = self._command(row)
        if command:
            self.close()
            self._made[command].trigger()

    @staticmethod
    def _command(row: QTreeWidgetItem) -> str:
        command = row.data(0, Qt.ItemDataRole.UserRole)
        return command if isinstance(command, str) else ""


def _children(of: QTreeWidgetItem) -> list[QTreeWidgetItem]:
    rows = (of.child(at) for at in range(of.childCount()))
    return [row for row in rows if row is not None]


class AboutDialog(QDialog):
    """Name, version, licence, and what it is built on."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("About Pairloom"))
        self.resize(480, 420)
        logo = QLabel()
        logo.setPixmap(theme.icon("pairloom").pixmap(64, 64))
        name = QLabel(f"Pairloom {version()}")
        name.setProperty("role", "title")
        words = QLabel(
            self.tr(
                "Sort what you know by eye: answer “do these two belong together?” and watch the "
                "groups form. Works without a network; your pictures and tables are never changed."
            )
        )
        words.setWordWrap(True)
        licence = QLabel(
            self.tr(
                "BSD 3-Clause licence. Qt is used under the LGPL 3. The samples are from the UCI "
                "repository (CC BY 4.0)."
            )
        )
        licence.setProperty("role", "muted")
        licence.setWordWrap(True)
        parts = QPlainTextEdit(versions())
        parts.setReadOnly(True)
        parts.setAccessibleName(self.tr("Versions"))
        copy = QPushButton(theme.icon("copy"), self.tr("&Copy versions"))
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(versions()))
        close = QPushButton(self.tr("C&lose"))
        close.setDefault(True)
        close.setFocus()
        close.clicked.connect(self.accept)
        head = QHBoxLayout()
        head.setSpacing(16)
        head.addWidget(logo)
        head.addWidget(name, 1)
        foot = QHBoxLayout()
        foot.addWidget(copy)
        foot.addStretch(1)
        foot.addWidget(close)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 20, 20, 16)
        column.setSpacing(12)
        column.addLayout(head)
        column.addWidget(words)
        column.addWidget(parts, 1)
        column.addWidget(licence)
        column.addLayout(foot)
