"""How the groups shown were found, in words: nothing to say while they follow every answer.

Hidden: which methods reckon with answers, and which only keep to them. Promised: what nobody has
checked is called a guess, and no sentence says more of an answer than that it is kept to where the
method did not know it.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication

from desktop import strategies
from desktop.messages import Offer
from desktop.widgets import trail, words
from engine.model import OWN, Snapshot, StepKind, Verdict


def _tr(text: str) -> str:
    return QCoreApplication.translate("GroupingWords", text)


def heeds(methods: Sequence[Offer], name: str) -> bool:
    """Whether a method reckons with the answers, and does more than keep to them."""
    return any(offer.heeds for offer in methods if offer.strategy == name)


def newer_answers(shown: Snapshot) -> int:
    """Count what was answered or changed since the groups were found; *unsure* says nothing."""
    newer = 0
    for step in trail.path_of(shown):
        if step.kind is StepKind.GROUPING:
            newer = 0
        elif step.answer is not None:
            newer += step.kind is StepKind.REVISE or step.answer.verdict is not Verdict.UNSURE
    return newer


def can_guess(shown: Snapshot, methods: Sequence[Offer]) -> bool:
    """Whether a first guess can be offered: there are no groups, and items that could be some."""
    is_offered = any(offer.strategy == strategies.GUESSING for offer in methods)
    is_empty = not shown.overview.groups and len(shown.overview.slots) > 1
    # where items may belong to several groups, these come with the questions
    return is_offered and is_empty and shown.live and not shown.shares


def is_unchecked(shown: Snapshot) -> bool:
    """Whether no answer bears on the groups shown, and a method found them."""
    progress = shown.progress
    return shown.grouping != OWN and progress.answered <= progress.unsure


def can_find_again(shown: Snapshot, methods: Sequence[Offer]) -> bool:
    """Whether finding the groups once more would reckon with newer answers."""
    is_method = shown.grouping != OWN and heeds(methods, shown.grouping.strategy)
    return is_method and not is_unchecked(shown) and newer_answers(shown) > 0


def told(shown: Snapshot, methods: Sequence[Offer]) -> str:
    """Say how the groups shown were found; "" while they are the strategy's own."""
    if shown.grouping == OWN:
        return ""
    if is_unchecked(shown):
        return _tr(
            "A guess nobody has checked: found by nearness alone, without an answer."
        )  # fmt: skip
    name = strategies.brief(shown.grouping.strategy)
    answers = words.answers(shown.progress.answered)
    if not heeds(methods, shown.grouping.strategy):
        if shown.overruled:
            text = _tr("Groups by {0}; they go against {1} of your {2}.")
            return text.format(name, words.number(len(shown.overruled)), answers)
        return _tr("Groups by {0}, kept to your {1}.").format(name, answers)
    newer = newer_answers(shown)
    if not newer:
        return _tr("Groups by {0}, found from your {1}.").format(name, answers)
    if not shown.grouped_after:
        found = _tr("Groups by {0}, found without an answer;").format(name)
    else:
        before = words.answers(shown.grouped_after)
        found = _tr("Groups by {0}, found from {1};").format(name, before)
    if newer == 1:
        return _tr("{0} a newer one is kept to, but not yet reckoned with.").format(found)
    text = _tr("{0} {1} newer ones are kept to, but not yet reckoned with.")
    return text.format(found, words.number(newer))
