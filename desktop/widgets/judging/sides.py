"""Which item stands left.

Promised: neither item of a pair is favoured, a pair shown again stands as it stood, and an answered
pair is shown as the person saw it.
"""

from __future__ import annotations

from hashlib import blake2b

from engine.model import HistoryItem, Pair, Snapshot


def shuffled(pair: Pair) -> tuple[int, int]:
    """Choose left and right: as by a coin, but the same whenever the pair is shown."""
    coin = blake2b(f"{pair.a} {pair.b}".encode(), digest_size=1).digest()[0] & 1
    return (pair.b, pair.a) if coin else (pair.a, pair.b)


def as_shown(step: HistoryItem, snapshot: Snapshot) -> tuple[int, ...]:
    """Give the items that a step was about, left and right as they stood on the screen.

    Parameters
    ----------
    snapshot
        Holds the history: a changed answer stands as the answer that it changes.
    """
    if step.answer is None:
        return step.items[:2]
    answered = next((other for other in snapshot.history if other.seq == step.target), step)
    pair = step.answer.pair
    shown = None if answered.answer is None else answered.answer.shown_left
    if shown not in pair:
        return shuffled(pair)
    return (pair.b, pair.a) if shown == pair.b else (pair.a, pair.b)
