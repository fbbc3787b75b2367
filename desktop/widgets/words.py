"""What the log records, in the words people read: verdicts, effects, times, counts.

Hides plurals and the locale. Promises that history, progress and item views say one thing one way.
"""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QDateTime, QLocale

from desktop.widgets import trail
from engine.model import Confidence, Effect, HistoryItem, Snapshot, Verdict

SIGNS = {Verdict.SAME: "✓", Verdict.DIFFERENT: "✗", Verdict.UNSURE: "?"}


def number(value: int) -> str:
    """Write a count as the person's locale does, such as 1 204."""
    return QLocale().toString(value)


def verdict_word(verdict: Verdict, *, shared: bool = False) -> str:
    """Name a verdict; `shared`: as it is read where items may belong to several groups."""
    match verdict:
        case Verdict.SAME if shared:
            return QCoreApplication.translate("Words", "In common")
        case Verdict.DIFFERENT if shared:
            return QCoreApplication.translate("Words", "Nothing in common")
        case Verdict.SAME:
            return QCoreApplication.translate("Words", "Same")
        case Verdict.DIFFERENT:
            return QCoreApplication.translate("Words", "Different")
        case Verdict.UNSURE:
            return QCoreApplication.translate("Words", "Unsure")


def confidence_word(confidence: Confidence) -> str:
    """Name a confidence worth telling; "" for the ordinary one."""
    match confidence:
        case Confidence.GUESS:
            return QCoreApplication.translate("Words", "a guess")
        case Confidence.CERTAIN:
            return QCoreApplication.translate("Words", "certain")
        case Confidence.QUITE:
            return ""


def items(count: int) -> str:
    """Count items."""
    if count == 1:
        return QCoreApplication.translate("Words", "1 item")
    return QCoreApplication.translate("Words", "{0} items", "", count).format(number(count))


def pictures(count: int) -> str:
    """Count pictures."""
    if count == 1:
        return QCoreApplication.translate("Words", "1 picture")
    return QCoreApplication.translate("Words", "{0} pictures", "", count).format(number(count))


def rows(count: int) -> str:
    """Count rows of a table."""
    if count == 1:
        return QCoreApplication.translate("Words", "1 row")
    return QCoreApplication.translate("Words", "{0} rows", "", count).format(number(count))


def answers(count: int) -> str:
    """Count answers."""
    if count == 1:
        return QCoreApplication.translate("Words", "1 answer")
    return QCoreApplication.translate("Words", "{0} answers", "", count).format(number(count))


def steps(count: int) -> str:
    """Count steps of the history."""
    if count == 1:
        return QCoreApplication.translate("Words", "1 step")
    return QCoreApplication.translate("Words", "{0} steps", "", count).format(number(count))


def certainty(margin: float) -> str:
    """Tell a margin in [0, 1]: no probability, so never per cent; never rounded up to 1."""
    hundredths = min(int(margin * 100 + 0.5), 100 if margin >= 1 else 99)
    shown = QLocale().toString(hundredths / 100, "f", 2)
    return QCoreApplication.translate("Words", "certainty {0}").format(shown)


def about_certainty(*, shared: bool = False) -> str:
    """Explain what certainty means; `shared`: where items may belong to several groups."""
    if shared:
        return QCoreApplication.translate(
            "Words",
            "Certainty: 0 = other groups would explain the item as well, 1 = none come near.",
        )
    return QCoreApplication.translate(
        "Words", "Certainty: 0 = on the border to another group, 1 = far from every other."
    )


def effect(of: Effect | None, *, short: bool = False, shared: bool = False) -> str:
    """Say what a step changed, `short` where there is little room; "" when that is not known.

    `shared`: items may belong to several groups; then none moves from one to another.
    """
    if of is None:
        return ""
    moved = _changed(of.moved, short=short) if shared else _moved(of.moved, short=short)
    parts = [part for part in (_groups(of, shared=shared), moved) if part]
    return " · ".join(parts) or QCoreApplication.translate("Words", "no change")


def found(of: Effect | None) -> str:
    """Say how many groups there are where there were none; "" when that is not known."""
    if of is None:
        return ""
    if of.groups_after == 1:
        return QCoreApplication.translate("Words", "1 group")
    return QCoreApplication.translate("Words", "{0} groups", "", of.groups_after).format(
        number(of.groups_after)
    )


def set_aside(step: HistoryItem, *, short: bool = False, shared: bool = False) -> str:
    """Say how many items a step set aside, and how many others it moved; see `effect`."""
    count = items(len(step.items))
    others = max(0, (step.effect.moved if step.effect else 0) - len(step.items))
    if others == 0:
        return count
    if shared:
        return f"{count} · {_changed(others, short=short)}"
    if short:
        return QCoreApplication.translate("Words", "{0} · {1} others moved").format(count, others)
    return QCoreApplication.translate("Words", "{0} · {1} other items moved", "", others).format(
        count, number(others)
    )


def changed_groups(of: Effect | None) -> bool:
    """Whether a step changed the groups at all."""
    return of is not None and (of.moved > 0 or of.groups_before != of.groups_after)


def _groups(of: Effect, *, shared: bool) -> str:
    change = of.groups_after - of.groups_before
    if change == 0:
        return ""
    if change == -1 and shared:
        return QCoreApplication.translate("Words", "1 group fewer")
    if change == -1:
        return QCoreApplication.translate("Words", "2 groups joined")
    if change == 1:
        return QCoreApplication.translate("Words", "1 new group")
    if change < 0:
        return QCoreApplication.translate("Words", "{0} groups fewer", "", -change).format(
            number(-change)
        )
    return QCoreApplication.translate("Words", "{0} new groups", "", change).format(number(change))


def _moved(count: int, *, short: bool) -> str:
    if count == 0:
        return ""
    if short:
        return QCoreApplication.translate("Words", "{0} moved", "", count).format(number(count))
    if count == 1:
        return QCoreApplication.translate("Words", "1 item moved")
    return QCoreApplication.translate("Words", "{0} items moved", "", count).format(number(count))


def _changed(count: int, *, short: bool) -> str:
    """Say how many items belong to other groups than before, or to more, or to fewer."""
    if count == 0:
        return ""
    if short:
        return QCoreApplication.translate("Words", "{0} changed", "", count).format(number(count))
    if count == 1:
        return QCoreApplication.translate("Words", "1 item changed its groups")
    return QCoreApplication.translate("Words", "{0} items changed their groups", "", count).format(
        number(count)
    )


def clock(at: float, now: float, *, seconds: bool = True) -> str:
    """Write a time of day, local; of another day the day, and no seconds.

    Parameters
    ----------
    at, now
        Seconds since the epoch, UTC.
    """
    local, today = (QDateTime.fromSecsSinceEpoch(int(when)) for when in (at, now))
    time = QLocale().toString(local.time(), "HH:mm:ss")
    if local.date() == today.date():
        return time if seconds else time[:-3]
    pattern = "d MMM" if local.date().year() == today.date().year() else "d MMM yyyy"
    return f"{QLocale().toString(local.date(), pattern)} {time[:-3]}"


def step_line(shown: Snapshot, live: Snapshot) -> str:
    """Say which step a replay shows, of how many."""
    if shown.position == 0:
        return QCoreApplication.translate("Words", "Before the first step")
    to_live, to_shown = ([step.seq for step in trail.path_of(state)] for state in (live, shown))
    at = number(len(to_shown))
    if shown.position in to_live:
        return QCoreApplication.translate("Words", "Step {0} of {1}").format(
            at, number(len(to_live))
        )
    if live.position in to_shown:
        return QCoreApplication.translate("Words", "Step {0}, taken back").format(at)
    return QCoreApplication.translate("Words", "Step {0} of another branch").format(at)
