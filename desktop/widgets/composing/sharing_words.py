"""Groups, sets of groups and the evidence for them, in the words people read.

Hides how many digits a distance needs and when evidence counts as weak. Promises that matrix and
graph say one thing one way, and that distances which are compared have the same digits.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Iterable

import numpy as np
from PySide6.QtCore import QCoreApplication, QLocale

from desktop import theme
from desktop.widgets import shared_words, words
from desktop.widgets.composing.sharing import Sharing, Slots, Wanted, Which
from engine.model import Composition, Group

FEW = 3
"""Items, below which a composition may be chance."""
_CLEARLY = 0.85  # of the distance to the nearest single group: what is more is hardly nearer
translate = QCoreApplication.translate


class Evidence(enum.Enum):
    """What speaks for a composition."""

    CLEAR = "clear"
    FEW = "few"
    HARDLY = "hardly"
    NONE = "none"

    @property
    def is_weak(self) -> bool:
        """Whether a person should look twice."""
        return self is not Evidence.CLEAR


def evidence(composition: Composition) -> Evidence:
    """Judge whether items are nearer to what groups make together than to a single group."""
    if not composition.fit < composition.alone:
        return Evidence.NONE
    if composition.items < FEW:
        return Evidence.FEW
    if composition.fit > _CLEARLY * composition.alone:
        return Evidence.HARDLY
    return Evidence.CLEAR


def signs(slots: Iterable[int]) -> str:
    """Write a set by signs and numbers, such as "■1 + ▲2"."""
    return " + ".join(theme.slot_text(slot) for slot in slots)


class SharingWords:
    """Words for one state.

    Parameters
    ----------
    sharing
        The state.
    """

    def __init__(self, sharing: Sharing) -> None:
        self._sharing = sharing
        self._locale = QLocale()
        self._groups = {group.slot: group for group in sharing.groups}
        distances = [sharing.fit[~sharing.is_aside].max(initial=0.0)]
        distances += [one.alone for one in sharing.compositions]
        largest = float(np.max([value for value in distances if math.isfinite(value)] or [0.0]))
        self._digits = 2 if largest <= 0 else min(6, max(0, 2 - math.floor(math.log10(largest))))
        self._digits = 2 if self._digits == 3 else self._digits  # 0.91 says enough

    def distance(self, value: float) -> str:
        """Write a distance."""
        return self._locale.toString(float(value), "f", self._digits)

    def certainty(self, margin: float) -> str:
        """Write a certainty as a bare figure; never rounded up to 1."""
        hundredths = min(int(margin * 100 + 0.5), 100 if margin >= 1 else 99)
        return self._locale.toString(hundredths / 100, "f", 2)

    def title(self, slot: int) -> str:
        """Name a group; one without a name by its number."""
        group = self._groups.get(slot)
        name = group.name if group is not None else ""
        return name or translate("Sharing", "Group {0}").format(slot + 1)

    def names(self, slots: Slots) -> str:
        """Name a set: signs, and the names that were given."""
        if any(self._groups[slot].name for slot in slots if slot in self._groups):
            named = " + ".join(self.title(slot) for slot in slots)
            return f"{signs(slots)} ({named})"
        return signs(slots)

    def group(self, group: Group) -> str:
        """Say how large a group is, and how many of its items belong to others too."""
        others = shared_words.elsewhere(group.size, group.mixed)[0]
        return f"{words.items(group.size)}, {others}"

    def fits(self, composition: Composition) -> str:
        """Tell the evidence as figures."""
        return translate("Sharing", "fits {0}; nearest single group {1}").format(
            self.distance(composition.fit), self.distance(composition.alone)
        )

    def composition(self, composition: Composition) -> str:
        """Tell all about a composition in a sentence or two."""
        return translate("Sharing", "{0}: {1}. {2}. {3}").format(
            self.names(composition.groups),
            words.items(composition.items),
            capital(self.fits(composition)),
            evidence_words(composition),
        )

    def wanted(self, wanted: Wanted) -> str:
        """Name a choice of items."""
        match wanted.which:
            case Which.ALL:
                return translate("Sharing", "All items")
            case Which.PURE:
                return translate("Sharing", "In one group only")
            case Which.MIXED:
                return translate("Sharing", "In several groups")
            case Which.ASIDE:
                return translate("Sharing", "Set aside")
            case Which.GROUP:
                return translate("Sharing", "In {0}").format(self.names(wanted.slots))
            case Which.SET:
                return translate("Sharing", "Only in {0}").format(self.names(wanted.slots))


def evidence_words(composition: Composition) -> str:
    """Say what speaks for a composition, or that little does."""
    match evidence(composition):
        case Evidence.CLEAR:
            return translate("Sharing", "Clearly nearer than any single group")
        case Evidence.HARDLY:
            return translate("Sharing", "Weak: hardly nearer than a single group")
        case Evidence.NONE:
            return translate("Sharing", "Weak: no nearer than a single group")
        case Evidence.FEW:
            if composition.items == 1:
                return translate("Sharing", "Weak: only 1 item")
            return translate("Sharing", "Weak: only {0}").format(words.items(composition.items))


def capital(text: str) -> str:
    """Begin a sentence."""
    return text[:1].upper() + text[1:]


def about_fit() -> str:
    """Explain what fit means."""
    return translate(
        "Sharing",
        "Fit: the distance of an item to what its groups make together; smaller is better.",
    )
