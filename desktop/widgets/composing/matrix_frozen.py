"""The first column of the matrix once more, in place while groups are scrolled; lines, settings.

Hides how two tables move as one. Promises that both look alike, and that only one takes the keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QTableView

from desktop import theme
from desktop.widgets.composing.matrix_delegate import MatrixDelegate, row_height
from desktop.widgets.composing.matrix_header import MatrixHeader
from desktop.widgets.composing.matrix_model import MatrixModel
from desktop.widgets.composing.sharing import Field

if TYPE_CHECKING:
    from desktop.images import PictureStore

_Index = QModelIndex | QPersistentModelIndex
_FAINT = 0.5


class FrozenItems(QTableView):
    """The first column once more, lying over the table, so that it stays in place."""

    def __init__(self, table: QTableView, matrix: MatrixModel, pictures: PictureStore) -> None:
        super().__init__(table)
        self._table, self._matrix = table, matrix
        self.setHorizontalHeader(MatrixHeader(self))
        self.setModel(matrix)
        self.setSelectionModel(table.selectionModel())
        self.setItemDelegate(MatrixDelegate(pictures, self, frozen=True))
        set_up(self)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setStyleSheet("QTableView { border: 0; border-radius: 0; }")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFocusProxy(table)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("Items"))
        ours, theirs = self.verticalScrollBar(), table.verticalScrollBar()
        theirs.valueChanged.connect(ours.setValue)
        ours.valueChanged.connect(theirs.setValue)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the items, and lines between them."""
        super().paintEvent(event)
        draw_lines(self, self._matrix)

    def lie_over(self, width: int) -> None:
        """Cover the first column."""
        table = self._table
        frame, high = table.frameWidth(), table.horizontalHeader().height()
        self.setColumnWidth(0, width)
        self.setGeometry(frame, frame, width, high + table.viewport().height())
        self.setVisible(width < table.viewport().width())

    def scrollTo(
        self,
        _index: _Index,
        _hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible,
    ) -> None:
        """Leave scrolling to the table below."""


def set_up(table: QTableView) -> None:
    """Let a table be one of rows that are walked and chosen."""
    table.verticalHeader().hide()
    table.verticalHeader().setDefaultSectionSize(row_height(table.fontMetrics().height()))
    table.verticalHeader().setMinimumSectionSize(1)
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.setCornerButtonEnabled(False)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
    table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setTabKeyNavigation(False)


def draw_lines(table: QTableView, matrix: MatrixModel) -> None:
    """Draw a line below each row, and a faint one beside each group that leads to its heading."""
    painter = QPainter(table.viewport())
    painter.setPen(QColor(theme.current().colors.border))
    wide, high = table.viewport().width(), table.viewport().height()
    first, last = table.rowAt(0), table.rowAt(high - 1)
    rows = range(first, (last if last >= 0 else matrix.rowCount() - 1) + 1) if first >= 0 else ()
    across = min(wide, table.horizontalHeader().length() - table.horizontalHeader().offset())
    bottom = 0
    for row in rows:
        bottom = table.rowViewportPosition(row) + table.rowHeight(row) - 1
        painter.drawLine(0, bottom, across - 1, bottom)
    painter.setOpacity(_FAINT)
    for at, column in enumerate(matrix.columns):
        left = table.columnViewportPosition(at)
        if column.field is Field.GROUP and 0 <= left < wide:
            painter.drawLine(left, 0, left, bottom)
    painter.end()
