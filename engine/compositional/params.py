"""What every compositional method is told: how groups compose, and how many may."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.compositional.functions import FILES, NAMED


@dataclass(frozen=True, slots=True, kw_only=True)
class ComposingParams:
    """Parameters that compositional methods have in common."""

    compose: str = field(
        default="sum",
        metadata={
            "choices": tuple(NAMED),
            "files": FILES,
            "help": "What groups make together: sum, max (element by element) or mean; or a file: "
            "bilinear weights (.npz), which are kept with the project, or a module (.pt), which is "
            "a program and stays where it is.",
        },
    )
    degree: int = field(
        default=2,
        metadata={"least": 1, "help": "How many groups an item may belong to at once, up to 4."},
    )
    normalize: bool = field(
        default=False,
        metadata={
            "help": "Compare directions only, not lengths, as suits features of neural networks.",
        },
    )
    memory: int = field(
        default=2000,
        metadata={
            "least": 1,
            "more": True,
            "help": "Memory for what is kept of every item and every set of groups, in MB, at "
            "most.",
        },
    )
