"""What can be chosen about FALCON: kernel and width, how rounds grow, what is summed how."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine import parameters

_PLACING = frozenset({"order", "noise"})  # how answers are taken, not which items come next


@dataclass(frozen=True, slots=True)
class FalconParams:
    """Parameters of FALCON.

    Width and order are the best measured (`tests/benchmark/curves.py`): mean ARI over 200
    questions on 43 tables of up to 2500 rows, and over 300 on three sets of pictures by lite0.

    ========================  ======  ========
    width                     tables  pictures
    ========================  ======  ========
    median, c = 0.2            0.654     0.541
    median, c = 0.25           0.656     0.567
    median, c = 0.3            0.657     0.569
    median, c = 0.35           0.652     0.571
    median, c = 0.5            0.649     0.562
    median, c = 1              0.629
    knn                        0.646     0.559
    dimension                  0.645     0.564
    fixed, 0.25                0.635     0.516
    fixed, by mean (article)   0.628     0.516
    ========================  ======  ========

    The fixed width suits up to about ten columns scaled to [0, 1]; with more, or with features of
    pictures, hardly two items look alike to it. All but the last ask about the group with the
    nearest example first: it is the right one more often than the one with the nearest mean
    (median, c = 0.3: 0.657 against 0.652, better on 26 of the 39 tables that differ, Wilcoxon
    p = 0.01).

    `split`, `local` and `kernel` reproduce the article's analyses of its parts.
    """

    width: str = field(
        default="median",
        metadata={
            "choices": ("median", "fixed", "knn", "dimension"),
            "help": "How near items must be to count as alike: a share of the median distance"
            " between them, a fixed distance, the distance to the 7th nearest item, or a distance"
            " that grows with the root of the number of columns.",
        },
    )
    c: float = field(
        default=0.3,
        metadata={
            "above": 0,
            "help": "Where the width is a share of the median distance: that share.",
        },
    )
    sigma: float = field(
        default=0.25,
        metadata={
            "above": 0,
            "help": "Where the width is a fixed distance: that distance, of columns from 0 to 1.",
        },
    )
    criticism_width: float = field(
        default=1.0,
        metadata={
            "above": 0,
            "more": True,
            "help": "The width for criticisms, as a multiple of that for prototypes.",
        },
    )
    kernel: str = field(
        default="rbf",
        metadata={
            "choices": ("rbf", "laplacian", "rational-quadratic"),
            "more": True,
            "help": "How likeness falls with distance: as a bell, sharply, or with a long tail.",
        },
    )
    order: str = field(
        default="example",
        metadata={
            "choices": ("example", "mean"),
            "more": True,
            "help": "Which group is asked about first: the one with the nearest example, or the"
            " one whose examples are nearest on average.",
        },
    )
    noise: float = field(
        default=0.0,
        metadata={
            "least": 0,
            "help": "The share of wrong answers to expect, such as 0.1: what surprises is asked"
            " again, and answers may be overruled by others; 0 = every answer is right.",
        },
    )
    split: str = field(
        default="criticisms",
        metadata={
            "choices": ("criticisms", "size"),
            "more": True,
            "help": "Which cell is divided next: the one with most criticisms, or with most items.",
        },
    )
    local: str = field(
        default="mmd",
        metadata={
            "choices": ("mmd", "random", "none"),
            "more": True,
            "help": "Its new prototypes: those that stand for it best, or any; none = no cell is"
            " divided, and the best prototype among all items comes next.",
        },
    )
    sums: str = field(
        default="auto",
        metadata={
            "choices": ("auto", "exact", "nystroem", "random-features"),
            "more": True,
            "help": "How the likeness to all items is summed: exactly, by comparing with some"
            " items (landmarks), or by random features; auto = exact up to 5000 items, then"
            " landmarks.",
        },
    )
    rank: int = field(
        default=256,
        metadata={"more": True, "least": 1, "help": "The number of landmarks or random features."},
    )
    landmarks: str = field(
        default="uniform",
        metadata={
            "choices": ("uniform", "k-means++", "prototypes"),
            "more": True,
            "help": "How landmarks are chosen: at random, spread out, or as prototypes are.",
        },
    )


def shown(params: FalconParams) -> str:
    """Name every value that the rounds depend on, for the keys of what is kept of them."""
    texts = parameters.texts(params).items()
    return " ".join(f"{name}={text}" for name, text in texts if name not in _PLACING)
