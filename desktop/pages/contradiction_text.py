"""What is said of a contradiction: what cannot be, which answer is suspected and why, how it ended.

Hides grammar. Promises to name answers by their number in the record, and never to call a
suspicion more than that.
"""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QLocale

from desktop.widgets import trail, words
from desktop.widgets.judging.link_card import letter
from desktop.widgets.judging.loops import Link, Loop, Why
from engine.model import Conflict, Snapshot, StepKind, Verdict

_NAMED = 4  # answers of a chain named by number; longer chains are counted


def _tr(text: str) -> str:
    return QCoreApplication.translate("Contradiction", text)


def notice(conflicts: tuple[Conflict, ...]) -> str:
    """Say how many contradictions are open and which answer made the newest; "" without any."""
    if not conflicts:
        return ""
    newest = max(conflicts, key=lambda conflict: conflict.seq)
    others, word = len(newest.chain), words.verdict_word(newest.verdict)
    if len(conflicts) > 1:
        return _tr("{0} contradictions, newest: “{1}” (#{2}).").format(
            words.number(len(conflicts)), word, newest.seq
        )
    if others == 1:
        return _tr("“{0}” (#{1}) contradicts another answer.").format(word, newest.seq)
    return _tr("“{0}” (#{1}) contradicts {2} answers.").format(
        word, newest.seq, words.number(others)
    )


def heading(place: int, of: int) -> str:
    """Say which contradiction is looked at."""
    if of == 1:
        return _tr("A contradiction")
    return _tr("Contradiction {0} of {1}").format(words.number(place + 1), words.number(of))


def explain(loop: Loop, *, is_live: bool) -> str:
    """Say what cannot be, and what to do about it; in a replay, why nothing can be done here."""
    *chain, last = loop.links
    one, other = (_name(item, loop) for item in reversed(last.ends))
    so, but = _relation(last.opposite), _relation(last.verdict)
    if len(chain) == 1:
        text = _tr("#{0} says that {1} and {2} {3}, #{4} that they {5}.").format(
            chain[0].seq, one, other, so, last.seq, but
        )
    else:
        text = _tr("By {0}, {1} and {2} {3}, but #{4} says that they {5}.").format(
            _list(chain), one, other, so, last.seq, but
        )
    if not is_live:
        return f"{text} {read_only()}"
    return f"{text} " + _tr(
        "One must be wrong: change it, or mark it “cannot say”. Until then these items wait."
    )


def read_only() -> str:
    """Say why nothing can be changed in a replay."""
    return _tr("You look back at an earlier state: return to now to change an answer.")


def keys(*, is_live: bool, several: bool) -> str:
    """Name the keys that do something here."""
    parts = [_tr("← →: choose")]
    if is_live:
        parts += [_tr("Enter: change it"), _tr("U: cannot say")]
    if several:
        parts.append(_tr("Page Up, Page Down: others"))
    return " · ".join(parts)


def _relation(verdict: Verdict) -> str:
    return _tr("are the same") if verdict is Verdict.SAME else _tr("are different")


def _name(item: int, loop: Loop) -> str:
    return letter(loop.items.index(item))


def _list(chain: list[Link]) -> str:
    if len(chain) > _NAMED:
        return _tr("{0} answers in a chain").format(words.number(len(chain)))
    *first, last = (f"#{link.seq}" for link in chain)
    return _tr("{0} and {1}").format(", ".join(first), last)


def about(loop: Loop, at: int) -> str:
    """Say which answer is looked at; of the suspected one, why it is."""
    link = loop.links[at]
    one, other = (_name(item, loop) for item in link.ends)
    text = _tr("#{0}: {1} and {2} {3}.").format(link.seq, one, other, _relation(link.verdict))
    if at != loop.suspect:
        return text
    reasons = _tr(" and ").join(_reason(why, link, loop) for why in loop.reasons)
    return f"{text} " + _tr("Likeliest slip: {0}.").format(reasons)


def _reason(why: Why, link: Link, loop: Loop) -> str:
    match why:
        case Why.SHARED:
            return _tr("more contradictions hang on it")
        case Why.UNSURE:
            return _tr("you were least sure of it")
        case Why.HASTY:
            return _tr("it took you {0} s, usual are {1} s").format(
                _seconds(link.answer.response_ms or 0), _seconds(loop.usual_ms or 0)
            )
        case Why.NEWEST:
            return _tr("the newest, nothing else tells")


def _seconds(milliseconds: float) -> str:
    return QLocale().toString(milliseconds / 1000, "f", 1)


def settled(before: Snapshot, now: Snapshot) -> str:
    """Say how a changed answer bore on the contradictions; "" where it did not."""
    step = trail.step_at(now, now.position)
    if step is None or step.answer is None or step.kind is not StepKind.REVISE:
        return ""
    was, still = ({one.seq for one in state.conflicts} for state in (before, now))
    if not was and not still:
        return ""
    parts = []
    if ended := len(was - still):
        parts.append(
            _tr("the contradiction is settled")
            if ended == 1
            else _tr("{0} contradictions are settled").format(words.number(ended))
        )
    if fresh := len(still - was):
        parts.append(
            _tr("this makes a new contradiction")
            if fresh == 1
            else _tr("this makes {0} new contradictions").format(words.number(fresh))
        )
    verdict = (
        _tr("cannot say")
        if step.answer.verdict is Verdict.UNSURE
        else words.verdict_word(step.answer.verdict).lower()
    )
    text = _tr("Changed #{0} to “{1}”").format(step.target, verdict)
    if not parts:
        parts = [_tr("other answers still contradict each other")]
    return f"{text}: {_tr(', but ').join(parts)}."


def reopened(before: Snapshot, now: Snapshot) -> str:
    """Say that contradictions are open again after a step was taken back; "" where none is."""
    back = len({one.seq for one in now.conflicts} - {one.seq for one in before.conflicts})
    if back == 0:
        return ""
    if back == 1:
        return _tr("The contradiction is open again.")
    return _tr("{0} contradictions are open again.").format(words.number(back))
