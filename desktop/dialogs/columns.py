"""The columns of a table, each with the role the person gives it.

Hidden: model, delegate, words for roles. Promised: `ColumnsView.roles` is what was chosen, and
`ColumnsView.fault` says in words why a choice cannot work.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractTableModel,
    QCoreApplication,
    QLocale,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from desktop.translation import QT_TRANSLATE_NOOP
from engine.dataset import Column, ColumnKind, Role

ROLES = {
    Role.FEATURE: QT_TRANSLATE_NOOP("Columns", "feature"),
    Role.TEXT: QT_TRANSLATE_NOOP("Columns", "shown text"),
    Role.ID: QT_TRANSLATE_NOOP("Columns", "name of the row"),
    Role.IMAGE: QT_TRANSLATE_NOOP("Columns", "picture file"),
    Role.LABEL: QT_TRANSLATE_NOOP("Columns", "known group, to check"),
    Role.IGNORED: QT_TRANSLATE_NOOP("Columns", "ignored"),
}
_KINDS = {
    ColumnKind.NUMBER: QT_TRANSLATE_NOOP("Columns", "number"),
    ColumnKind.CATEGORY: QT_TRANSLATE_NOOP("Columns", "category"),
    ColumnKind.TEXT: QT_TRANSLATE_NOOP("Columns", "text"),
}
_ONLY_ONE = (Role.ID, Role.IMAGE, Role.LABEL)
_ARROW = 52  # pixels beside a role: the arrow that opens the list, and margins
_SAMPLES = 3  # preview values shown per column
_OPEN_EDITORS = 400  # above that many columns a combo box appears only where one clicks

_Index = QModelIndex | QPersistentModelIndex
_NAME, _ROLE, _KIND, _VALUES, _NOTE = range(5)


class ColumnsModel(QAbstractTableModel):
    """One row per column of the table.

    Parameters
    ----------
    columns
        Columns with their guessed roles.
    preview
        The first rows of the table as texts.
    """

    def __init__(self, columns: Sequence[Column], preview: Sequence[Sequence[str]]) -> None:
        super().__init__()
        self._columns = tuple(columns)
        self._roles = [column.role for column in columns]
        self._values = [
            ", ".join(row[at] for row in preview[:_SAMPLES] if at < len(row))
            for at in range(len(columns))
        ]

    @property
    def roles(self) -> dict[str, Role]:
        """Chosen role of each column by name."""
        return {c.name: role for c, role in zip(self._columns, self._roles, strict=True)}

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        """Count the columns of the table."""
        return 0 if parent.isValid() else len(self._columns)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        """Count what is said of each."""
        return 0 if parent.isValid() else 5

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> object:
        """Name what is said."""
        if role != Qt.ItemDataRole.DisplayRole or orientation != Qt.Orientation.Horizontal:
            return None
        names = ("Column", "Use it as", "Holds", "First values", "Note")
        return _tr(names[section])

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Say it."""
        column = self._columns[index.row()]
        at = index.column()
        if role == Qt.ItemDataRole.EditRole and at == _ROLE:
            return self._roles[index.row()]
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._text(column, index.row(), at)
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(column, index.row(), at)
        return None

    def _text(self, column: Column, row: int, at: int) -> str:
        if at == _NAME:
            return column.name
        if at == _ROLE:
            return _tr(ROLES[self._roles[row]])
        if at == _KIND:
            distinct = QLocale().toString(column.distinct)
            if column.kind is ColumnKind.CATEGORY and column.distinct:
                return _tr("category ({0})").format(distinct)
            return _tr(_KINDS[column.kind])
        if at == _VALUES:
            return self._values[row]
        missing = _tr("{0} missing").format(QLocale().toString(column.missing))
        parts = (
            missing if column.missing and str(column.missing) not in column.note else "",
            column.note,
        )
        return "; ".join(part for part in parts if part)

    def setData(self, index: _Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Take a role chosen by the person."""
        if not isinstance(value, Role) or role != Qt.ItemDataRole.EditRole:
            return False
        self._roles[index.row()] = value
        self.dataChanged.emit(index, index)
        return True

    def flags(self, index: _Index) -> Qt.ItemFlag:
        """Let the role be edited, nothing else."""
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return flags | Qt.ItemFlag.ItemIsEditable if index.column() == _ROLE else flags


class _RoleDelegate(QStyledItemDelegate):
    """Edits a role with a combo box, which stands in the place of the text."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: _Index) -> None:
        super().initStyleOption(option, index)
        view = self.parent()
        if isinstance(view, QTableView) and view.isPersistentEditorOpen(index):
            option.text = ""

    def createEditor(
        self, parent: QWidget, _option: QStyleOptionViewItem, index: _Index
    ) -> QWidget:
        combo = QComboBox(parent)
        for role, english in ROLES.items():
            combo.addItem(_tr(english), role)
        name = index.model().index(index.row(), _NAME).data()
        combo.setAccessibleName(_tr("Use of column {0}").format(name))
        combo.setProperty("role", "cell")
        combo.activated.connect(lambda: self.commitData.emit(combo))
        return combo

    def setEditorData(self, editor: QWidget, index: _Index) -> None:
        if isinstance(editor, QComboBox):
            role = index.model().data(index, Qt.ItemDataRole.EditRole)
            editor.setCurrentIndex(list(ROLES).index(role))

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: _Index) -> None:
        if isinstance(editor, QComboBox):
            model.setData(index, list(ROLES)[editor.currentIndex()])


class ColumnsView(QTableView):
    """The table of columns.

    Signals
    -------
    rolesChanged
        A role was chosen.
    """

    rolesChanged = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Columns of the table and what each is used for"))
        self.setItemDelegateForColumn(_ROLE, _RoleDelegate(self))
        self.setEditTriggers(QAbstractItemView.EditTrigger.AllEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setShowGrid(False)
        self.setAlternatingRowColors(True)
        self.setWordWrap(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(36)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setDefaultAlignment(
            Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        )
        self._columns: ColumnsModel | None = None

    def show_columns(self, columns: Sequence[Column], preview: Sequence[Sequence[str]]) -> None:
        """List the columns found."""
        model = self._columns = ColumnsModel(columns, preview)
        model.setParent(self)
        model.dataChanged.connect(self._changed)
        self.setModel(model)
        header = self.horizontalHeader()
        for at, width in ((_NAME, 148), (_KIND, 104), (_VALUES, 108)):
            header.resizeSection(at, width)
        self._fit_roles()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setStretchLastSection(True)
        noted = any(column.note or column.missing for column in columns)
        self.setColumnHidden(_NOTE, not noted)
        if len(columns) <= _OPEN_EDITORS:
            for row in range(len(columns)):
                self.openPersistentEditor(model.index(row, _ROLE))

    def _changed(self) -> None:
        self._fit_roles()
        self.rolesChanged.emit()

    def _fit_roles(self) -> None:
        """Make the roles as wide as those that are chosen: the notes need the room."""
        named = [self.horizontalHeader().model().headerData(_ROLE, Qt.Orientation.Horizontal)]
        named += [_tr(ROLES[role]) for role in set(self.roles.values())]
        widest = max(self.fontMetrics().horizontalAdvance(str(name)) for name in named)
        self.horizontalHeader().resizeSection(_ROLE, widest + _ARROW)

    @property
    def roles(self) -> dict[str, Role]:
        """Chosen role of each column by name; empty where there are no columns."""
        return self._columns.roles if self._columns else {}

    @property
    def fault(self) -> str:
        """Why these roles cannot work, in words; "" = they can."""
        chosen = list(self.roles.values())
        if not chosen:
            return ""
        if Role.FEATURE not in chosen and Role.IMAGE not in chosen:
            return self.tr("Choose at least one column as feature, or a column of picture files.")
        for role in _ONLY_ONE:
            if chosen.count(role) > 1:
                return self.tr("Only one column can be “{0}”.").format(_tr(ROLES[role]))
        return ""


def _tr(english: str) -> str:
    return QCoreApplication.translate("Columns", english)
