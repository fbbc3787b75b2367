"""The line above the pair that tells of contradictions, until they are settled or put off.

Hides which were put off, and whether the last step made the contradiction. Promises that a new one
is told of, whatever was put off before.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from desktop.pages import contradiction_text
from desktop.widgets import trail
from desktop.widgets.notice import Notice
from engine.model import Snapshot


class ConflictLine(QObject):
    """Says in a bar what contradicts what, and offers what can be done about it.

    Parameters
    ----------
    bar
        Where it is said.

    Notes
    -----
    `lookWanted`, `undoWanted`: what was pressed. `putOff`: the bar is silent from now on.
    """

    lookWanted = Signal()
    undoWanted = Signal()
    putOff = Signal()

    def __init__(self, bar: Notice) -> None:
        super().__init__(bar)
        self._bar = bar
        self._silent: frozenset[int] = frozenset()  # contradictions put off
        self._shown: Snapshot | None = None
        look = bar.add_button(self.tr("Look now  C"), self.lookWanted.emit)
        look.setAccessibleName(self.tr("Look at the contradiction now"))
        look.setToolTip(self.tr("Show the answers that cannot all be right, side by side (C)"))
        self._undo = bar.add_button(self.tr("Undo"), self.undoWanted.emit)
        self._undo.setToolTip(self.tr("Take the last step back (Backspace or Ctrl+Z)"))
        later = bar.add_button(self.tr("Later"), self._put_off)
        later.setToolTip(self.tr("Hide this line; the progress panel keeps the count"))

    def clear(self) -> None:
        """Forget what was put off: another project is open."""
        self._silent = frozenset()

    def show_state(self, shown: Snapshot) -> None:
        """Tell of contradictions, unless all were put off; undo where the last step made one."""
        self._shown = shown
        is_news = any(conflict.seq not in self._silent for conflict in shown.conflicts)
        tell = shown.live and is_news
        self._bar.say(contradiction_text.notice(shown.conflicts) if tell else "")
        step = trail.step_at(shown, shown.position)
        answer = None if step is None else step.target or step.seq
        self._undo.setVisible(
            any(
                answer in (conflict.seq, *(seq for seq, _, _ in conflict.chain))
                for conflict in shown.conflicts
            )
        )

    def _put_off(self) -> None:
        if self._shown is not None:
            self._silent = frozenset(conflict.seq for conflict in self._shown.conflicts)
            self.show_state(self._shown)
            self.putOff.emit()
