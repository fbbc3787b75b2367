"""Suggestions in words: what is likely of a pair, how strongly, and what it was learned from.

Hides grammar. Promises that a suggestion is never told as a fact, and its strength never as a
probability.
"""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QLocale

from desktop.widgets import words
from desktop.widgets.item_words import ItemWords
from engine.model import Verdict
from engine.suggestions import Suggestion

_NAMED = 6  # answers named by number; the others are counted


def _tr(text: str) -> str:
    return QCoreApplication.translate("Suggestions", text)


def together(verdict: Verdict) -> str:
    """Say in a word what is likely."""
    return _tr("Together") if verdict is Verdict.SAME else _tr("Apart")


def strength(confidence: float) -> str:
    """Write a strength below 1; never rounded up to it."""
    return QLocale().toString(min(int(confidence * 100 + 0.5), 99) / 100, "f", 2)


def about_strength() -> str:
    """Explain what strength means."""
    return _tr(
        "Strength: how strongly your answers speak for it once they have spread to items that are"
        " alike, from 0.5 to 1. It is no probability. In our measurements nine in ten suggestions"
        " were right where the groups agree, and half of those that would change the groups."
    )


def changes(*, short: bool = False) -> str:
    """Mark a suggestion that the groups shown contradict, `short` where there is little room."""
    return _tr("would change groups") if short else _tr("would change the groups")


def heading(one: Suggestion) -> str:
    """Say of the chosen suggestion what is likely."""
    same = one.verdict is Verdict.SAME
    if one.changes:
        return (
            _tr("Do these two belong together after all?") if same else _tr("Are these two apart?")
        )
    if same:
        return _tr("These two probably belong together")
    return _tr("These two probably do not belong together")


def standing(one: Suggestion) -> str:
    """Say how strong it is, and what the groups shown say of it."""
    if not one.changes:
        agrees = _tr("the groups shown agree")
    elif one.verdict is Verdict.SAME:
        agrees = _tr("the groups shown keep them apart")
    else:
        agrees = _tr("the groups shown have them in one")
    return _tr("strength {0} · {1}").format(strength(one.confidence), agrees)


def names(one: Suggestion, item_words: ItemWords, *, names_hidden: bool) -> str:
    """Name the two items; by what tells them apart most where names are hidden."""
    a, b = one.pair
    if not names_hidden:
        return f"{item_words.short_name(a)} – {item_words.short_name(b)}"
    left, right = item_words.telling(a, (b,), 1), item_words.telling(b, (a,), 1)
    if not left or not right:
        return ""
    column, texts = left[0].column, (left[0].text, right[0].text)
    return f"{column}: {' – '.join(texts)}"


def sentence(one: Suggestion, item_words: ItemWords, *, names_hidden: bool) -> str:
    """Say everything about a row, as a screen reader would."""
    parts = [
        together(one.verdict),
        _tr("strength {0}").format(strength(one.confidence)),
        changes() if one.changes else "",
        names(one, item_words, names_hidden=names_hidden),
    ]
    return ", ".join(part for part in parts if part)


def because(one: Suggestion) -> str:
    """Name the answers it was learned from as links to their steps, in rich text."""
    if not one.because:
        return ""
    shown, more = one.because[:_NAMED], len(one.because) - _NAMED
    links = ", ".join(f'<a href="{seq}">#{seq}</a>' for seq in shown)
    if len(one.because) == 1:
        return _tr("Learned from your answer {0}").format(links)
    text = _tr("Learned from your answers {0}").format(links)
    if more > 0:
        text += " " + _tr("and {0} more").format(words.number(more))
    return text


def confirm(one: Suggestion) -> str:
    """Say what confirming says."""
    return _tr("Confirm: same") if one.verdict is Verdict.SAME else _tr("Confirm: different")


def reject(one: Suggestion) -> str:
    """Say what rejecting says."""
    return _tr("Reject: different") if one.verdict is Verdict.SAME else _tr("Reject: same")


def opposite(verdict: Verdict) -> Verdict:
    """Give what rejecting a suggestion says."""
    return Verdict.DIFFERENT if verdict is Verdict.SAME else Verdict.SAME
