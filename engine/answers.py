"""AnswerLog: what people said, append-only; undo, revision and branches are a fold over it."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from engine.model import Answer


class EventKind(enum.Enum):
    """Steps (ANSWER, REVISE, SET_ASIDE, NAME) grow the tree of states; moves walk on it."""

    ANSWER = "answer"
    REVISE = "revise"
    SET_ASIDE = "set_aside"
    NAME = "name"
    UNDO = "undo"
    REDO = "redo"
    GOTO = "goto"


@dataclass(frozen=True, slots=True)
class Event:
    """One row of the log.

    Attributes
    ----------
    seq
        1, 2, 3, ... without gaps.
    at
        Seconds since the epoch, UTC.
    answer
        For ANSWER and REVISE.
    items
        For SET_ASIDE (those set aside) and NAME (an item of the group named).
    text
        For NAME: the name.
    target
        For REVISE: seq of the answer changed. For GOTO: seq of the step to stand on, 0 = start.
    engine
        Strategy, version and seed that asked, such as "falcon/1 seed=0"; empty when nobody asked.
    previous, hash
        blake2b-256 chain: `hash` covers `previous` and every other field.
    """

    seq: int
    kind: EventKind
    at: float
    answer: Answer | None = None
    items: tuple[int, ...] = ()
    text: str = ""
    target: int | None = None
    engine: str = ""
    previous: bytes = b""
    hash: bytes = b""
