"""The line that says an earlier state is shown, on pages that otherwise look as they do now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from desktop.widgets import trail, words
from desktop.widgets.notice import Notice
from engine.model import Snapshot

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
        self.say(self.tr("{0}: the groups as they were then").format(step_line(shown, live)))


def step_line(shown: Snapshot, live: Snapshot) -> str:
    """Say which step a replay shows, of how many."""
    if shown.position == 0:
        return _tr("Before the first step")
    to_live, to_shown = ([step.seq for step in trail.path_of(state)] for state in (live, shown))
    number = words.number(len(to_shown))
    if shown.position in to_live:
        return _tr("Step {0} of {1}").format(number, words.number(len(to_live)))
    if live.position in to_shown:
        return _tr("Step {0}, taken back").format(number)
    return _tr("Step {0} of another branch").format(number)


def _tr(text: str) -> str:
    return QCoreApplication.translate("ReplayNotice", text)
