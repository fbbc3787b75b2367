"""Choosing pairs otherwise in mid-project: what it would change is seen before it is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from desktop.dialogs.choice import ChoiceDialog, Matter
from desktop.dialogs.outlook import OutlookPanel
from desktop.messages import Offer
from desktop.widgets.item_words import ItemWords
from engine.model import Approach, StepKind

if TYPE_CHECKING:
    from desktop.controller import Controller
    from desktop.images import PictureStore


def _tr(text: str) -> str:
    return QCoreApplication.translate("StrategyDialog", text)


class StrategyDialog(ChoiceDialog):
    """Chooses how pairs are chosen from now on.

    Parameters
    ----------
    controller
        With an open project; looks and changes.
    pictures
        Where thumbnails come from.
    start
        What is chosen at first; None = what is in force.
    """

    def __init__(
        self,
        controller: Controller,
        pictures: PictureStore,
        parent: QWidget | None = None,
        *,
        start: Approach | None = None,
    ) -> None:
        opened = controller.opened
        panel = OutlookPanel(pictures, ItemWords(opened))
        matter = _matter(opened.offers if opened is not None else ())
        super().__init__(controller, matter, panel, parent, start=start)
        self.setObjectName("strategy")


def _matter(offers: tuple[Offer, ...]) -> Matter:
    return Matter(
        kind=StepKind.STRATEGY,
        title=_tr("Change how pairs are chosen"),
        about=_tr(
            "Your answers stay. Pairs are chosen otherwise from here on, and the groups follow"
            " from the same answers. It is one step, which Undo takes back."
        ),
        label=_tr("&How pairs are chosen"),
        change=_tr("&Change"),
        present=(
            _tr("This is how pairs are chosen now"),
            _tr(
                "Choose another way, or other settings, to see what they would change."
                " Looking changes nothing."
            ),
        ),
        offers=offers,
        in_force=lambda now: now.approach,
    )
