"""Finding groups otherwise in mid-project: which items move is seen before any does."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from desktop.dialogs.choice import ChoiceDialog, Matter
from desktop.dialogs.moves import MovesPanel
from desktop.messages import Offer, Opened
from desktop.widgets.groups.grouping_words import can_find_again
from desktop.widgets.item_words import ItemWords
from engine.model import Approach, Snapshot, StepKind

if TYPE_CHECKING:
    from desktop.controller import Controller
    from desktop.images import PictureStore

_BY_QUESTIONS = "components"
"""The strategy that asks about the groups of a guess first."""
_GUESSES = ("rcc", "rcc-dr")


def _tr(text: str) -> str:
    return QCoreApplication.translate("GroupingDialog", text)


class GroupingDialog(ChoiceDialog):
    """Chooses how groups are found from now on.

    Parameters
    ----------
    controller
        With an open project; looks and changes.
    pictures
        Where thumbnails come from.
    start
        What is chosen at first; None = what is in force.

    Notes
    -----
    `checkWanted(Approach)`: the guess is to be checked by the questions of this strategy instead.
    """

    checkWanted = Signal(object)

    def __init__(
        self,
        controller: Controller,
        pictures: PictureStore,
        parent: QWidget | None = None,
        *,
        start: Approach | None = None,
    ) -> None:
        opened, now = controller.opened, controller.snapshot
        self.check = QPushButton(_tr("Check it &by questions…"))
        self.check.setProperty("role", "small")
        self.check.setAutoDefault(False)
        self.check.setToolTip(
            _tr("Show what would be asked if pairs were chosen so that this guess is checked.")
        )
        self._checks = {offer.strategy: offer for offer in opened.offers} if opened else {}
        super().__init__(
            controller,
            _matter(opened, now),
            MovesPanel(pictures, ItemWords(opened)),
            parent,
            start=start,
            below=self.check,
        )
        self.setObjectName("grouping")
        self.check.clicked.connect(self._check)
        self.choice.changed.connect(self._offer_check)
        self._offer_check()

    def _offer_check(self) -> None:
        can = _BY_QUESTIONS in self._checks and self.choice.strategy in _GUESSES
        self.check.setVisible(can)

    def _check(self) -> None:
        """Leave for the questions, with the method that was looked at where they take it."""
        parameters = self._checks[_BY_QUESTIONS].parameters
        taken = next((one.choices for one in parameters if one.name == "method"), ())
        name = self.choice.strategy if self.choice.strategy in taken else _GUESSES[0]
        self.close()
        self.checkWanted.emit(Approach(_BY_QUESTIONS, (("method", name),)))


def _matter(opened: Opened | None, now: Snapshot | None) -> Matter:
    methods = opened.methods if opened is not None else ()
    return Matter(
        kind=StepKind.GROUPING,
        title=_tr("How groups are found"),
        about=_tr(
            "Your answers stay, and whatever is chosen here, the groups keep to them. Only the"
            " groups are found otherwise, not the pairs you are asked about. It is one step, which"
            " Undo takes back."
        ),
        label=_tr("&How groups are found"),
        change=_tr("&Take these groups"),
        present=(
            _tr("This is how groups are found now"),
            _tr(
                "Choose another way, or other settings, to see which items would move."
                " Looking changes nothing."
            ),
        ),
        offers=_with_groups(methods, len(now.overview.groups) if now is not None else 0),
        in_force=lambda state: state.grouping,
        is_stale=lambda state: can_find_again(state, methods),
    )


def _with_groups(methods: tuple[Offer, ...], groups: int) -> tuple[Offer, ...]:
    """Let methods that must be told a number of groups begin with that of the groups now."""

    def told(offer: Offer) -> Offer:
        return replace(
            offer,
            parameters=tuple(
                replace(one, default=str(groups))
                if one.name == "groups" and one.default is None
                else one
                for one in offer.parameters
            ),
        )

    return tuple(map(told, methods)) if groups > 0 else methods
