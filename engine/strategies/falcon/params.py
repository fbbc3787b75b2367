"""What can be chosen about FALCON."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine import parameters


@dataclass(frozen=True, slots=True)
class FalconParams:
    """Parameters of FALCON.

    The article has the fixed width. It suits up to about ten columns scaled to [0, 1]; with more,
    or with features of pictures, hardly two items look alike to it, and a share of the median
    distance does better (mean ARI over 200 questions, 43 tables of up to 2500 rows: 0.628 fixed,
    0.650, 0.645, 0.642 for c = 0.25, 0.35, 0.5; three sets of pictures: 0.480, 0.513, 0.524,
    0.503).
    """

    width: str = field(
        default="median",
        metadata={
            "choices": ("median", "fixed"),
            "help": "How near items must be to count as alike: a share of the median distance"
            " between them, or a fixed distance.",
        },
    )
    c: float = field(
        default=0.35,
        metadata={"above": 0, "help": "The share of the median distance, for width=median."},
    )
    sigma: float = field(
        default=0.25,
        metadata={"above": 0, "help": "The distance, for width=fixed; columns scaled to 0..1."},
    )


def shown(params: FalconParams) -> str:
    """Name every value that the rounds depend on, for the keys of what is kept of them."""
    return " ".join(f"{name}={text}" for name, text in parameters.texts(params).items())
