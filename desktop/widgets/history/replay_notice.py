"""The line that says an earlier state is shown, on pages that otherwise look as they do now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from desktop.widgets import words
from desktop.widgets.notice import Notice

if TYPE_CHECKING:
    from desktop.controller import Controller


class ReplayNotice(Notice):
    """Says which step the groups are of while a replay is shown, and leads back to now.

    Parameters
    ----------
    controller
        Whose `shown` state it speaks of.
    """

    def __init__(self, controller: Controller, parent: QWidget | None = None) -> None:
        super().__init__("history", "accent", parent)
        self._controller = controller
        self.back = self.add_button(self.tr("Return to now"), lambda: controller.view(None))
        for changed in (controller.snapshotChanged, controller.replayChanged, controller.closed):
            changed.connect(self._tell)
        self._tell()

    def _tell(self, _state: object = None) -> None:
        shown, live = self._controller.shown, self._controller.snapshot
        if not self._controller.replaying or shown is None or live is None:
            self.say("")
            return
        text = self.tr("{0}: the groups as they were then")
        if shown.position == live.position:
            text = self.tr("{0}: the groups as they are")
        self.say(text.format(words.step_line(shown, live)))
