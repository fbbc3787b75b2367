"""Several groups in words and signs: what an item belongs to, which groups an answer named.

Hides that groups are named by items that stand for them. Promises signs and numbers as everywhere,
for the state that is given: a group that an answer named keeps its sign there, or is not told.
"""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QCoreApplication

from desktop import theme
from desktop.widgets import words
from engine.model import Group, HistoryItem, Overview, Snapshot, StepKind


def groups_of(overview: Overview, item: int) -> tuple[Group, ...]:
    """Give the groups that an item belongs to, where it may belong to several."""
    if overview.memberships is None:
        return ()
    slots = overview.memberships.of(item)
    return tuple(group for group in overview.groups if group.slot in slots)


def called(group: Group) -> str:
    """Name a group by sign and number, and by its name where it has one."""
    return " ".join((theme.slot_text(group.slot), group.name)).rstrip()


def listed(groups: Iterable[Group], *, short: bool = False) -> str:
    """Name groups; `short`: by sign and number only."""
    return ", ".join(theme.slot_text(one.slot) if short else called(one) for one in groups)


def elsewhere(size: int, mixed: int) -> tuple[str, ...]:
    """Say how many items of a group are in other groups too, in fewer and fewer words."""
    tr = QCoreApplication.translate
    if mixed == 0:
        return tr("Sharing", "none of them in other groups"), tr("Sharing", "none in others")
    if mixed == size:
        return tr("Sharing", "all of them in other groups too"), tr("Sharing", "all in others too")
    said = (
        tr("Sharing", "{0} of them in other groups too"),
        tr("Sharing", "{0} in other groups too"),
        tr("Sharing", "{0} in others too"),
    )
    return tuple(text.format(words.number(mixed)) for text in said)


def named(snapshot: Snapshot, step: HistoryItem) -> tuple[Group, ...]:
    """Give the groups that an answer named as those in common, by what they are in this state.

    Each was named by an item that stood for it. Where that belongs to several groups by now, it no
    longer tells which was meant, and none is given for it.
    """
    if step.kind is not StepKind.ANSWER:
        return ()
    found = (groups_of(snapshot.overview, item) for item in step.items)
    told = {one.slot: one for groups in found if len(groups) == 1 for one in groups}
    return tuple(told[slot] for slot in sorted(told))


def default_question(*, shared: bool) -> str:
    """Give the question that stands above every pair where the person gave none."""
    if shared:
        return QCoreApplication.translate("Question", "Do these two have a group in common?")
    return QCoreApplication.translate("Question", "Do these two belong together?")


def question(given: str, *, shared: bool) -> str:
    """Give the question that stands above every pair: the person's own, else the usual one.

    A project may hold the usual question of the other kind: it was proposed when it was made.
    """
    text = given.strip()
    usual = {default_question(shared=kind) for kind in (False, True)}
    return default_question(shared=shared) if not text or text in usual else text
