"""Noted: what every method that knows no answers says of those it is given."""

from __future__ import annotations

from engine.constraints import Constraints


def answers_left_aside(name: str, constraints: Constraints) -> list[str]:
    """Give the warning that answers had no part in a grouping; none where there are no answers."""
    if not constraints.parts() and not constraints.heard:
        return []
    return [f"{name} knows no answers: those given had no part in this grouping."]
