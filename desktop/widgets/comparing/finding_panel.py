"""One half of a comparison on the screen: what it rests on, a plot, a table, what it means."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QSplitter,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from desktop import theme
from desktop.widgets.comparing import keys
from desktop.widgets.comparing.curve_plot import CurvePlot
from desktop.widgets.comparing.findings import Finding, Row
from engine.model import Approach

_LEAST_TABLE = 110
_PADDING = 4  # of cells, as in the style sheet
_BESIDE_ICON = 10
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class FindingPanel(QFrame):
    """The panel.

    Parameters
    ----------
    title
        Its heading.

    Attributes
    ----------
    tools
        The row of the heading; more may be put at its end.

    Notes
    -----
    `useWanted(Approach)`, `saveWanted`: to go on with a strategy, to save the plot.
    """

    useWanted = Signal(object)
    saveWanted = Signal()

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._title = title
        self._rows: tuple[Row, ...] = ()
        self._made_for: object = None  # what the columns and buttons of the table fit
        heading = QLabel(title, self)
        heading.setProperty("role", "heading")
        self.facts, self._meaning = QLabel(self, wordWrap=True), QLabel(self, wordWrap=True)
        self._meaning.setProperty("role", "muted")
        self.plot = CurvePlot(title, self)
        self.table = self._make_table()
        save = QPushButton(self.tr("Save the plot…"), self)
        save.setProperty("role", "small")
        save.setAccessibleName(self.tr("Save the plot: {0}").format(title))
        save.setToolTip(self.tr("As a picture (PNG) or drawing (SVG)"))
        save.clicked.connect(self.saveWanted)
        self.tools = QHBoxLayout()
        self.tools.addWidget(heading)
        self.tools.addStretch(1)
        self.tools.addWidget(save)
        split = QSplitter(Qt.Orientation.Vertical, self)
        split.addWidget(self.plot)
        split.addWidget(self.table)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 2)
        split.setChildrenCollapsible(False)
        split.setSizes([600, 400])
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 10, 14, 10)
        column.setSpacing(6)
        column.addLayout(self.tools)
        column.addWidget(self.facts)
        column.addWidget(split, 1)
        column.addWidget(self._meaning)
        theme.current().themeChanged.connect(self._fill)

    def _make_table(self) -> QTableWidget:
        table = QTableWidget(self)
        table.setAccessibleName(self.tr("{0}: figures").format(self._title))
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setTabKeyNavigation(False)
        table.setShowGrid(False)
        table.setProperty("role", "figures")
        table.setWordWrap(True)
        table.setIconSize(keys.SAMPLE)
        table.setFrameShape(QFrame.Shape.NoFrame)
        table.verticalHeader().hide()
        table.setMinimumHeight(_LEAST_TABLE)
        self._fitting = QTimer(self, singleShot=True, interval=0)
        self._fitting.timeout.connect(self._fit)
        table.horizontalHeader().sectionResized.connect(self._fitting.start)
        return table

    # ------------------------------------------------------------------ what is shown

    def show_finding(self, finding: Finding, in_use: Approach) -> None:
        """Show what was found so far."""
        self.facts.setText(finding.facts)
        self._meaning.setText(finding.meaning)
        self.plot.show_lines(finding.lines, finding.axes)
        made_for = (in_use, finding.columns, tuple(row.approach for row in finding.rows))
        if made_for != self._made_for:
            self._made_for = made_for
            self._begin_table(finding, in_use)
        self._rows = finding.rows
        self._fill()

    def _begin_table(self, finding: Finding, in_use: Approach) -> None:
        """Make rows, columns and buttons; they stay while only figures change."""
        table, last = self.table, len(finding.columns) + 1
        table.clear()
        table.setRowCount(len(finding.rows))
        table.setColumnCount(last + 1)
        titles = [(self.tr("Strategy"), ""), *finding.columns, ("", "")]
        for column, (text, about) in enumerate(titles):
            title = QTableWidgetItem(text)
            title.setToolTip(about)
            title.setTextAlignment(_LEFT if column == 0 else Qt.AlignmentFlag.AlignCenter)
            table.setHorizontalHeaderItem(column, title)
        header = table.horizontalHeader()
        header.setSectionsClickable(False)
        header.setHighlightSections(False)
        header.setMinimumSectionSize(40)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(last, QHeaderView.ResizeMode.Fixed)
        for at, row in enumerate(finding.rows):
            table.setCellWidget(at, last, self._offer(row, in_use))

    def _fit(self) -> None:
        """Give names the lines they need, and what the table does not need to the plot.

        Qt forgets the icon and the style sheet's padding when it reckons how a name wraps.
        """
        table, last = self.table, self.table.columnCount() - 1
        offers = [table.cellWidget(row, last) for row in range(table.rowCount())]
        widest = max((one.sizeHint().width() for one in offers), default=0)
        table.setColumnWidth(last, widest + 2 * _PADDING)
        tallest = max((one.sizeHint().height() for one in offers), default=0)
        metrics = table.fontMetrics()
        room = table.columnWidth(0) - keys.SAMPLE.width() - 2 * _PADDING - _BESIDE_ICON
        needed = table.horizontalHeader().sizeHint().height() + 2 * table.frameWidth() + 4
        for at, row in enumerate(self._rows):
            box = QRect(0, 0, max(1, room), 10_000)
            name = metrics.boundingRect(box, Qt.TextFlag.TextWordWrap, _said(row)).height()
            lines = max(text.count("\n") + 1 for text in row.cells) * metrics.lineSpacing()
            height = max(name, lines, tallest - 2) + 6
            table.setRowHeight(at, height)
            needed += height
        table.setMaximumHeight(max(_LEAST_TABLE, needed))

    def _offer(self, row: Row, in_use: Approach) -> QWidget:
        """Offer to go on with a strategy, or say that it is the one in use."""
        cell = QWidget(self.table)
        layout = QHBoxLayout(cell)
        layout.setContentsMargins(2, 3, 2, 3)
        if row.approach == in_use:
            said = QLabel(self.tr("in use"), cell, alignment=Qt.AlignmentFlag.AlignCenter)
            said.setProperty("role", "muted")
            layout.addWidget(said)
            return cell
        button = QPushButton(self.tr("Use this…"), cell)
        button.setProperty("role", "small")
        button.setAccessibleName(self.tr("Use this: {0}").format(row.name))
        button.clicked.connect(lambda: self.useWanted.emit(row.approach))
        layout.addWidget(button)
        return cell

    def _fill(self) -> None:
        """Write the figures; also again in another look, whose colours the samples take."""
        for at, row in enumerate(self._rows):
            name = QTableWidgetItem(_said(row))
            name.setIcon(keys.icon(row.place))
            name.setTextAlignment(_LEFT)
            self.table.setItem(at, 0, name)
            for column, text in enumerate(row.cells, 1):
                cell = QTableWidgetItem(text)
                cell.setTextAlignment(Qt.AlignmentFlag.AlignCenter)
                self.table.setItem(at, column, cell)
        self._fitting.start()


def _said(row: Row) -> str:
    """Give what stands in the first cell of a row."""
    return f"{row.name}\n{row.remark}" if row.remark else row.name
