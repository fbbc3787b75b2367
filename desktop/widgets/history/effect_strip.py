"""A small strip of bars: how many items each answer moved, from the first to the last.

Hides scaling and gathering where there are more answers than pixels. Promises that an answer that
changed nothing is seen as such, and that the strip can be read out.
"""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from desktop import theme
from desktop.widgets import words
from engine.model import HistoryItem

_STEP = 5.0  # pixels an answer has at most
_LEAST = 3.0  # and at least, with its gap


class EffectStrip(QWidget):
    """The strip."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._steps: tuple[HistoryItem, ...] = ()
        self._shared = False
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.current().themeChanged.connect(self.update)

    def show_steps(self, steps: tuple[HistoryItem, ...], *, shared: bool = False) -> None:
        """Show the answers of a way, oldest first; `shared`: items may belong to several groups."""
        self._steps, self._shared = steps, shared
        name = self.tr("Items whose groups each answer changed")
        self.setAccessibleName(name if shared else self.tr("Items moved by each answer"))
        changed = sum(words.changed_groups(step.effect) for step in steps)
        text = self.tr("{0} of {1} answers changed the groups").format(changed, len(steps))
        self.setAccessibleDescription(text)
        self.update()

    def sizeHint(self) -> QSize:
        """Ask for a low, wide strip."""
        return QSize(240, 48)

    def bars(self) -> list[tuple[QRectF, HistoryItem, bool]]:
        """Lay out the bars: place, the step that moved most in it, whether anything changed."""
        room, height = float(self.width()), float(self.height()) - 3
        if not self._steps or room < _LEAST:
            return []
        n_bars = min(len(self._steps), int(room / _LEAST))
        width = min(_STEP, room / n_bars)
        moved = np.array([step.effect.moved if step.effect else 0 for step in self._steps])
        share = np.sqrt(moved / max(1, moved.max()))  # roots: small effects can be seen too
        bars = []
        for at, part in enumerate(np.array_split(np.arange(len(moved)), n_bars)):
            most = int(part[moved[part].argmax()])
            changed = any(words.changed_groups(self._steps[one].effect) for one in part)
            tall = max(4.0, height * float(share[most])) if changed else 2.0
            bars.append(
                (QRectF(at * width, height - tall, width - 1, tall), self._steps[most], changed)
            )
        return bars

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint it in the colours of the theme."""
        colors = theme.current().colors
        painter = QPainter(self)
        painter.setPen(Qt.PenStyle.NoPen)
        ground = QRectF(0, self.height() - 2, self.width(), 1)
        painter.fillRect(ground, QColor(colors.border))
        for bar, _, changed in self.bars():
            painter.fillRect(bar, QColor(colors.accent if changed else colors.muted))
        painter.end()

    def event(self, event: QEvent) -> bool:
        """Tell about the answer below the pointer."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            for bar, step, _ in self.bars():
                if bar.left() <= event.pos().x() <= bar.right() + 1:
                    effect = words.effect(step.effect, shared=self._shared)
                    text = f"#{step.seq}: {effect}"
                    QToolTip.showText(event.globalPos(), text, self)
                    return True
            QToolTip.hideText()
            return True
        return super().event(event)
