"""What can be chosen about HMCAHC: its variant, where merging stops, what counts as certain."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class HmcahcParams:
    """Parameters of HMCAHC.

    `keep_best` is a small aid: an answer of "different" is about the groups shown, and so rules
    them out, and certainty takes few values. On Iris (K = 3, 20 answers) it changes nothing.
    """

    variant: str = field(
        default="hmcahc",
        metadata={
            "choices": ("hmcahc", "which", "when1", "when2", "how1", "how2"),
            "help": "hmcahc is the whole method; the others change one part of it. which: asks"
            " what three ways of merging disagree about. when1: asks when certainty falls. when2:"
            " asks by a timetable. how1: after a 'different', only mends the groups. how2: after"
            " a 'different', starts again from single items.",
        },
    )
    groups: int = field(
        default=0,
        metadata={
            "least": 0,
            "help": "The number of groups at which merging stops. 0 = unknown: where the groups"
            " and the answers suggest it.",
        },
    )
    neighbours: int = field(
        default=2,
        metadata={
            "least": 1,
            "help": "How many nearest items should be in an item's own group for it to count as"
            " certain.",
        },
    )
    min_size: int = field(
        default=0,
        metadata={
            "least": 0,
            "help": "Groups of up to so many items are not judged for certainty. 0 = as many as"
            " neighbours.",
        },
    )
    questions: int = field(
        default=0,
        metadata={
            "least": 0,
            "help": "Ask so many questions at most. 0 = no limit. The timetable of when2 spreads"
            " them over the merging; with 0 it is made for 20, and the rest come at the end.",
        },
    )
    schedule: str = field(
        default="steps",
        metadata={
            "choices": ("steps", "entropy"),
            "help": "The timetable of when2: evenly over the merges, or at merges that lower the"
            " entropy of the group sizes by more than 0.1.",
        },
    )
    keep_best: bool = field(
        default=False,
        metadata={
            "help": "More answers can make the groups worse. Of the groupings after each answer"
            " that agree with all answers, show the one with the highest certainty. It is seldom"
            " another than the last: most answers of 'different' rule out what was shown.",
        },
    )
    memory: int = field(
        default=2000,
        metadata={
            "least": 1,
            "help": "Memory for the distances between all items, in MB, at most; 10,000 items"
            " take 800: 400, held twice while groups are merged.",
        },
    )
