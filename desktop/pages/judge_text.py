"""What the judge page says in words: progress, reasons, steps of a replay.

Hides grammar. Promises plain figures without promises of their own.
"""

from __future__ import annotations

import time

from PySide6.QtCore import QCoreApplication, QLocale

from desktop import strategies
from desktop.pages import contradiction_text
from desktop.widgets import shared_words, trail, words
from engine.model import OWN, HistoryItem, Question, Snapshot, Source, StepKind


def _tr(text: str) -> str:
    return QCoreApplication.translate("JudgePage", text)


def progress_line(snapshot: Snapshot) -> str:
    """Say how far the person is, and whether the last answers still changed anything."""
    progress = snapshot.progress
    parts = [_question_number(snapshot)]
    if is_asked_again(snapshot):
        parts.append(_tr("this pair again"))
    if not snapshot.overview.groups:
        parts.append(_tr("no groups yet"))
    elif snapshot.shares and progress.answered <= progress.unsure:
        parts.append(_tr("groups guessed so far: {0}").format(words.number(progress.groups)))
    elif progress.groups == 1:
        parts.append(_tr("1 group"))
    else:
        parts.append(_tr("{0} groups").format(words.number(progress.groups)))
    if progress.recent == 1:
        changed = progress.recent_changes == 1
        parts.append(
            _tr("changed by the last answer") if changed else _tr("not changed by the last answer")
        )
    elif progress.recent and not progress.recent_changes:
        parts.append(_tr("not changed by the last {0} answers").format(progress.recent))
    elif progress.recent:
        parts.append(
            _tr("changed by {0} of the last {1} answers").format(
                progress.recent_changes, progress.recent
            )
        )
    return " · ".join(parts)


def progress_in_full(snapshot: Snapshot) -> str:
    """Say the same, and how questions are counted."""
    counting = _tr(
        "Questions are numbered by the answers in force: one taken back is asked again under its "
        "number. Setting items aside, changing an answer and naming a group do not count."
    )
    return f"{progress_line(snapshot)}\n{counting}"


def _question_number(snapshot: Snapshot) -> str:
    progress = snapshot.progress
    if not snapshot.live or snapshot.question is None:
        if progress.answered == 1:
            return _tr("1 answer")
        return _tr("{0} answers").format(words.number(progress.answered))
    number, planned = progress.answered + 1, progress.planned
    if planned is None:
        return _tr("Question {0}").format(words.number(number))
    if number > planned:
        return _tr("Question {0}, {1} were planned").format(
            words.number(number), words.number(planned)
        )
    return _tr("Question {0} of about {1} planned").format(
        words.number(number), words.number(planned)
    )


def is_asked_again(snapshot: Snapshot) -> bool:
    """Whether the question is about a pair that an answer in force judged already."""
    question = snapshot.question
    return question is not None and any(
        step.answer is not None and step.answer.pair == question.pair
        for step in reversed(snapshot.history)
        if step.on_path
    )


def reason(snapshot: Snapshot, question: Question) -> str:
    """Give the strategy's reason for the pair; of one judged already, say so, but not how."""
    template = QCoreApplication.translate("Reasons", question.reason.template)
    text = template.format(**dict(question.reason.values))
    if is_asked_again(snapshot):
        text = _tr("You have judged it before; judge it afresh. {0}").format(text)
    return text


def worth(question: Question) -> str:
    """Say what an answer decides; "" when that is not known."""
    if question.worth <= 0:
        return ""
    if question.worth == 1:
        return _tr("Decides about 1 item.")
    return _tr("Decides about {0} items.").format(words.number(question.worth))


def details(snapshot: Snapshot, embedder: str) -> str:
    """Say more about how the pair was chosen."""
    line = _tr("Chosen by “{0}” from the features “{1}”.").format(
        strategies.title(snapshot.approach.strategy), embedder
    )
    implied = snapshot.progress.implied
    if implied:
        line += " " + _tr("Pairs settled so far without asking: {0}.").format(words.number(implied))
    return line


def taken(step: HistoryItem, state: Snapshot | None = None, *, is_guess: bool = False) -> str:
    """Say that a step was taken, and what it changed, in the words of a state; see `deed`.

    `is_guess`: there were no groups before.
    """
    said, shared = deed(step, state), state is not None and state.shares
    if step.kind is StepKind.SET_ASIDE:
        return _tr("{0} {1}").format(said, words.set_aside(step, shared=shared))
    effect = words.found(step.effect) if is_guess else words.effect(step.effect, shared=shared)
    return f"{said} · {effect}" if effect else said


def deed(step: HistoryItem, state: Snapshot | None = None) -> str:
    """Say what a step was, in the words of a state: items may belong to several groups there."""
    match step.kind:
        case StepKind.ANSWER | StepKind.REVISE:
            if step.answer is None:
                return ""
            shared = state is not None and state.shares
            word = words.verdict_word(step.answer.verdict, shared=shared)
            word = _tr("“{0}”").format(word) if shared else word.lower()
            if step.kind is StepKind.REVISE:
                return _tr("Changed to {0}").format(word)
            sure = words.confidence_word(step.answer.confidence)
            said = f"{word} ({sure})" if sure else word
            if state is not None and shared:
                return _with_groups(said, step, state)
            return _tr("Answered {0}").format(said)
        case StepKind.SET_ASIDE:
            return _tr("Set aside")
        case StepKind.NAME:
            return _tr("Named “{0}”").format(step.text)
        case StepKind.STRATEGY:
            name = strategies.title(step.approach.strategy) if step.approach else ""
            return _tr("Pairs chosen by “{0}”").format(name)
        case StepKind.GROUPING:
            if step.approach == OWN:
                return _tr("Groups found as the questions go")
            name = strategies.title(step.approach.strategy) if step.approach else ""
            return _tr("Groups found by “{0}”").format(name)
        case StepKind.SPACE:
            name = strategies.title(step.approach.strategy) if step.approach else ""
            return _tr("Items compared by “{0}”").format(name)


def _with_groups(said: str, step: HistoryItem, state: Snapshot) -> str:
    """Add to an answer which groups it named."""
    named = shared_words.listed(shared_words.named(state, step), short=True)
    return _tr("{0}: {1}").format(said, named) if named else said


def chosen(step: HistoryItem, state: Snapshot) -> str:
    """Say which settings a step changed of what was chosen in the state before it; "" = none."""
    before = {
        StepKind.STRATEGY: state.approach,
        StepKind.GROUPING: state.grouping,
        StepKind.SPACE: state.space,
    }.get(step.kind)
    approach = step.approach
    if approach is None or before is None or approach.strategy != before.strategy:
        return ""
    return ", ".join(strategies.unlike(approach, dict(before.params)))


def moved(before: Snapshot, now: Snapshot) -> tuple[str, str]:
    """Say what the step between two states did, also one taken back; "" where it was no step.

    Returns
    -------
    tuple
        That, and how a changed answer bore on the contradictions; "" where it did not.
    """
    step, left = trail.step_at(now, now.position), trail.step_at(now, before.position)
    if step is not None and step.parent == before.position:
        settled = contradiction_text.settled(before, now)
        text = taken(step, now, is_guess=trail.is_guess(now, step))
        settings = chosen(step, before)
        return settled or (f"{text} · {settings}" if settings else text), settled
    if left is not None and left.parent == now.position:
        text = _tr("Taken back: {0}").format(deed(left, before))
        reopened = contradiction_text.reopened(before, now)
        return (f"{text}. {reopened}" if reopened else text), ""
    return "", ""


def not_shown(*, neither: bool, is_left: bool) -> str:
    """Say which picture cannot be shown, and what follows."""
    if neither:
        return _tr("Neither picture can be shown, so this pair cannot be judged.")
    if is_left:
        return _tr("The left picture cannot be shown, so this pair cannot be judged.")
    return _tr("The right picture cannot be shown, so this pair cannot be judged.")


def circumstances(step: HistoryItem) -> str:
    """Say when an answer was given, and how long the person looked; "" for other steps."""
    if step.answer is None:
        return ""
    when = words.clock(step.at, time.time())
    text = _tr("Answered {0}.").format(when)
    if step.answer.response_ms is not None:
        seconds = QLocale().toString(step.answer.response_ms / 1000, "f", 1)
        text = _tr("Answered {0}, after {1} s.").format(when, seconds)
    if step.answer.source is Source.SUGGESTED:
        text += " " + _tr("It was suggested by other answers, not asked.")
    return text
