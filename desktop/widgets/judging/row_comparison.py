"""Two rows of a table side by side: what differs most comes first.

Hidden: reading numbers from texts, how far apart two values are, drawing. Promised: every shown
column is listed with both values as they stand in the file; texts are wrapped, not cut off; labels
kept for evaluation are never shown; `painted` tells when the present pair is really on the screen.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from desktop import theme
from engine.dataset import Column, ColumnKind, Item, Role

_SAMPLED_CELLS = 60_000  # read to find the ranges of the columns: a few hundredths of a second
_BAR = 220  # pixels of the layout: the longest bar
_DIGITS = 13  # room for a value before the bar begins
_DOT = 4.0
_PAD = 10
_COLUMN, _LEFT, _RIGHT = range(3)
_WRAPPED = int(Qt.AlignmentFlag.AlignVCenter) | int(Qt.TextFlag.TextWordWrap)
_ENDLESS = 1_000_000  # pixels
_COMPARED = (Role.FEATURE, Role.TEXT)

Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class Range:
    """Where the values of a numeric column lie."""

    low: float
    high: float
    deviation: float


@dataclass(frozen=True, slots=True)
class Line:
    """One column of both rows.

    Attributes
    ----------
    name
        Of the column.
    texts
        Left and right value, as in the file.
    differs
        Whether the values differ.
    places
        Left and right value as shares of the column's range, for numbers; None = no number.
    apart
        Difference in standard deviations; a differing category counts as one.
    """

    name: str
    texts: tuple[str, str]
    differs: bool
    places: tuple[float | None, float | None]
    apart: float

    @property
    def is_text(self) -> bool:
        """Whether there is no number, so that the values may be long."""
        return self.places == (None, None)


def number_in(text: str) -> float | None:
    """Read a number, with decimal point or comma; None where there is none.

    Only for showing: what strategies compute with is read by the engine.
    """
    plain = text.strip().replace("\u00a0", "").replace(" ", "")
    if "," in plain:
        plain = plain.replace(".", "").replace(",", ".") if plain.count(",") == 1 else plain
    try:
        value = float(plain)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def find_ranges(items: Sequence[Item], columns: Sequence[Column]) -> tuple[Range | None, ...]:
    """Find the range of every numeric column; in a large table from rows spread evenly over it."""
    stride = max(1, math.ceil(len(items) * len(columns) / _SAMPLED_CELLS))
    rows = [tuple(item.cells) for item in items[::stride] if len(item.cells) == len(columns)]
    return tuple(
        _range([number_in(row[place]) for row in rows])
        if column.kind is ColumnKind.NUMBER
        else None
        for place, column in enumerate(columns)
    )


def _range(found: Sequence[float | None]) -> Range | None:
    values = [value for value in found if value is not None]
    if not values:
        return None
    mean = math.fsum(values) / len(values)
    variance = math.fsum((value - mean) ** 2 for value in values) / len(values)
    return Range(min(values), max(values), math.sqrt(variance))


def can_compare(columns: Sequence[Column]) -> bool:
    """Whether there are columns to compare: a list of pictures has only their names."""
    return any(column.role in _COMPARED for column in columns)


def compare(
    left: Item, right: Item, columns: Sequence[Column], ranges: Sequence[Range | None]
) -> tuple[Line, ...]:
    """Set two rows against each other: largest standardised difference first, then shown texts."""
    lines = []
    for place, (column, within) in enumerate(zip(columns, ranges, strict=True)):
        if column.role in _COMPARED:
            texts = (left.cells[place].strip(), right.cells[place].strip())
            lines.append((column.role is Role.TEXT, _line(column.name, texts, within)))
    lines.sort(key=lambda entry: (entry[0], -entry[1].apart))
    return tuple(line for _, line in lines)


def _line(name: str, texts: tuple[str, str], within: Range | None) -> Line:
    one, other = (number_in(text) if within is not None else None for text in texts)
    if within is None or one is None or other is None:
        differs = texts[0] != texts[1]
        places = tuple(_place(value, within, (one, other)) for value in (one, other))
        return Line(name, texts, differs, (places[0], places[1]), float(differs))
    apart = abs(one - other) / within.deviation if within.deviation > 0 else 0.0
    places = tuple(_place(value, within, (one, other)) for value in (one, other))
    return Line(name, texts, one != other, (places[0], places[1]), apart)


def _place(
    value: float | None, within: Range | None, pair: tuple[float | None, float | None]
) -> float | None:
    if value is None or within is None:
        return None
    known = [each for each in pair if each is not None]
    low, high = min(within.low, *known), max(within.high, *known)  # the range may be of a sample
    return (value - low) / (high - low) if high > low else 0.5


class _Lines(QAbstractTableModel):
    """The comparison as a model: column, left, right."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: tuple[Line, ...] = ()
        self._heads = ("", "")
        self._tips = ("", "")

    def put(self, lines: tuple[Line, ...]) -> None:
        self.beginResetModel()
        self._lines = lines
        self.endResetModel()

    def name(self, heads: tuple[str, str], tips: tuple[str, str]) -> None:
        self._heads, self._tips = heads, tips
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, _LEFT, _RIGHT)

    def line(self, row: int) -> Line:
        return self._lines[row]

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._lines)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else 3

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        line, column = self._lines[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return line.name if column == _COLUMN else line.texts[column - _LEFT] or "—"
        if role == Qt.ItemDataRole.FontRole and line.differs and column != _COLUMN:
            bold = QFont()
            bold.setBold(True)
            return bold
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{line.name}: {line.texts[0] or '—'} | {line.texts[1] or '—'}"
        return None

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> object:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return (self.tr("Column"), *self._heads)[section]
        if role == Qt.ItemDataRole.ToolTipRole:
            return ("", *self._tips)[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        return None


class _ValueDelegate(QStyledItemDelegate):
    """Draws a value, and where both values lie in the range of the column."""

    def __init__(self, lines: _Lines, parent: QWidget) -> None:
        super().__init__(parent)
        self._lines = lines

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        area = QRect(option.rect)
        painter.save()
        self.initStyleOption(option, index)
        line, side = self._lines.line(index.row()), index.column() - _LEFT
        colors = theme.current().colors
        if option.features & QStyleOptionViewItem.ViewItemFeature.Alternate:
            painter.fillRect(area, QColor(colors.window))
        texts = area.adjusted(_PAD, 0, -_PAD, 0)
        if line.places[side] is not None:
            needed = _DIGITS * option.fontMetrics.horizontalAdvance("0")
            texts.setWidth(min(needed, texts.width() // 2))
        painter.setFont(option.font)
        painter.setPen(QColor(colors.text if line.differs else colors.muted))
        if line.is_text:
            painter.drawText(texts, _WRAPPED, option.text)
        else:
            shown = option.fontMetrics.elidedText(
                option.text, Qt.TextElideMode.ElideRight, texts.width()
            )
            painter.drawText(texts, int(Qt.AlignmentFlag.AlignVCenter), shown)
        if line.places[side] is not None:
            start = texts.right() + _PAD
            length = min(_BAR, area.right() - 2 * _PAD - start)
            bar = QRectF(start, area.top(), length, area.height())
            _paint_places(painter, bar, line.places[side], line.places[1 - side])
        painter.restore()


def _paint_places(painter: QPainter, area: QRectF, own: float | None, other: float | None) -> None:
    """Draw the range as a line, the own value as a dot, the other side's as a ring."""
    colors = theme.current().colors
    middle = area.center().y()
    start, length = area.left() + _DOT, area.width() - 2 * _DOT
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(colors.border), 2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    painter.drawLine(QPointF(start, middle), QPointF(start + length, middle))
    if other is not None:
        painter.setPen(QPen(QColor(colors.muted), 1.2))
        painter.setBrush(QColor(colors.surface))
        painter.drawEllipse(QPointF(start + other * length, middle), _DOT - 1, _DOT - 1)
    if own is not None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colors.accent))
        painter.drawEllipse(QPointF(start + own * length, middle), _DOT, _DOT)


class RowComparison(QTableView):
    """Shows two rows of the open table.

    Notes
    -----
    `painted(token)`: the pair given with `token` is on the screen. Emitted while painting: connect
    it queued.
    """

    painted = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines = _Lines()
        self._columns: tuple[Column, ...] = ()
        self._ranges: tuple[Range | None, ...] = ()
        self._token = self._painted_token = -1
        self._dimmed = False
        self.setModel(self._lines)
        self.setItemDelegateForColumn(_LEFT, _ValueDelegate(self._lines, self))
        self.setItemDelegateForColumn(_RIGHT, _ValueDelegate(self._lines, self))
        self.setAlternatingRowColors(True)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        header.setHighlightSections(False)
        header.setTextElideMode(Qt.TextElideMode.ElideRight)
        header.setSectionsClickable(False)
        theme.current().themeChanged.connect(self.viewport().update)

    def set_table(self, items: Sequence[Item], columns: tuple[Column, ...]) -> None:
        """Take another table."""
        self._columns = columns
        self._ranges = find_ranges(items, columns)

    def show_rows(self, left: Item, right: Item, token: int) -> None:
        """Show two rows. `token` names the pair, see `painted`."""
        self._token = token
        self._lines.put(compare(left, right, self._columns, self._ranges))
        height = self.fontMetrics().height() + _PAD
        self.verticalHeader().setDefaultSectionSize(height)
        self._fit_rows()
        self.scrollToTop()
        self.dimmed = False

    def clear_rows(self) -> None:
        """Show no rows."""
        self._lines.put(())
        self.set_heads("", "")

    def _fit_rows(self) -> None:
        """Give texts the height to be read whole."""
        usual = self.verticalHeader().defaultSectionSize()
        for row, line in enumerate(self.lines):
            height = max(usual, self._text_height(line)) if line.is_text else usual
            if self.rowHeight(row) != height:
                self.setRowHeight(row, height)

    def _text_height(self, line: Line) -> int:
        font = QFont(self.font())
        font.setBold(line.differs)
        room = QRect(0, 0, self.columnWidth(_LEFT) - 2 * _PAD, _ENDLESS)
        measure = QFontMetrics(font).boundingRect
        return max(measure(room, _WRAPPED, text).height() for text in line.texts) + _PAD

    def set_heads(self, left: str, right: str, tips: tuple[str, str] = ("", "")) -> None:
        """Name the two rows; `tips` say more of them."""
        self._lines.name((left, right), tips)

    @property
    def lines(self) -> tuple[Line, ...]:
        """What is shown, from the top."""
        return tuple(self._lines.line(row) for row in range(self._lines.rowCount()))

    @property
    def dimmed(self) -> bool:
        """Whether what is shown is drawn back, as something else is awaited."""
        return self._dimmed

    @dimmed.setter
    def dimmed(self, dimmed: bool) -> None:
        self._dimmed = dimmed
        self.viewport().update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Leave a click to the page, which takes the keyboard focus."""
        super().mousePressEvent(event)
        event.ignore()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Let texts have the height that their new width asks for."""
        super().resizeEvent(event)
        self._fit_rows()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint, and tell when the present pair is on the screen for the first time."""
        super().paintEvent(event)
        if self._dimmed:
            painter = QPainter(self.viewport())
            veil = QColor(theme.current().colors.surface)
            veil.setAlphaF(0.6)
            painter.fillRect(self.viewport().rect(), veil)
            painter.end()
        if self._token != self._painted_token and self._token >= 0:
            self._painted_token = self._token
            self.painted.emit(self._token)
