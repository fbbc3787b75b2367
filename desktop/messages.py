"""The whole protocol between the window and the engine thread, on one page.

Requests go one way, replies the other, both frozen and picklable. Every project-changing request
names the revision it was made at; the worker drops stale ones, the controller drops stale replies.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from engine.compare import Comparison
from engine.dataset import Column, Item, ItemProblem, Role
from engine.hierarchy import Tree
from engine.model import (
    Approach,
    Confidence,
    FloatArray,
    Outlook,
    Pair,
    Snapshot,
    Source,
    StepKind,
    Verdict,
)
from engine.parameters import Parameter
from engine.suggestions import Suggestions

# ---------------------------------------------------------------------------- requests


@dataclass(frozen=True, slots=True)
class ScanSource:
    """Look at a folder or table, without making anything."""

    source: Path


@dataclass(frozen=True, slots=True)
class CreateProject:
    """Make a project from a source and open it."""

    source: Path
    path: Path
    embedder: str
    seed: int
    strategy: str = "falcon"
    params: dict[str, str] = field(default_factory=dict)
    roles: dict[str, Role] = field(default_factory=dict)
    question: str = ""
    planned: int | None = None


@dataclass(frozen=True, slots=True)
class OpenProject:
    """Open a project file."""

    path: Path


@dataclass(frozen=True, slots=True)
class Relink:
    """Look for the pictures of the open project in another folder (matched by content)."""

    folder: Path


@dataclass(frozen=True, slots=True)
class Tell:
    """Answer the question of `revision`, or say something about another pair."""

    revision: int
    a: int
    b: int
    verdict: Verdict
    confidence: Confidence = Confidence.QUITE
    shown_left: int | None = None
    response_ms: int | None = None
    source: Source | None = None
    """SUGGESTED for a reply to a suggestion; None = asked or volunteered, as the pair tells."""
    common: tuple[int, ...] = ()
    """Of `Question.common`, those that stand for groups which the two share; with SAME only."""


@dataclass(frozen=True, slots=True)
class SetAside:
    """Take items out of the questions: unusable pictures."""

    revision: int
    items: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class NameGroup:
    """Name the group that holds `item`."""

    item: int
    name: str


@dataclass(frozen=True, slots=True)
class Undo:
    """Take back the last step."""


@dataclass(frozen=True, slots=True)
class Redo:
    """Bring back the step taken back last."""


@dataclass(frozen=True, slots=True)
class Revise:
    """Change an earlier answer, keeping the later ones."""

    seq: int
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class GoTo:
    """Make any earlier step (or another branch's) the present; 0 = before the first answer."""

    seq: int


@dataclass(frozen=True, slots=True)
class View:
    """Show the state after a step, read-only (replay). The reply is a `Replayed`."""

    seq: int


@dataclass(frozen=True, slots=True)
class Consider:
    """Work out what a choice would change, changing nothing. The reply: `Considered`.

    `kind`: STRATEGY, GROUPING or SPACE.
    """

    approach: Approach
    kind: StepKind = StepKind.STRATEGY


@dataclass(frozen=True, slots=True)
class Choose:
    """Choose questions, find groups or compare items otherwise from the state of `revision` on."""

    revision: int
    approach: Approach
    kind: StepKind = StepKind.STRATEGY


@dataclass(frozen=True, slots=True)
class Suggest:
    """Learn from the answers what is likely of other pairs. The reply: `Suggested`."""


@dataclass(frozen=True, slots=True)
class ShowTree:
    """Ask for the hierarchy behind the groups. The reply: `TreeShown`."""


@dataclass(frozen=True, slots=True)
class CutTree:
    """Look at the level of the hierarchy with so many groups. The reply: `Cut`."""

    groups: int


@dataclass(frozen=True, slots=True)
class Compare:
    """Try strategies, by label, on the answers given and on the labels. Replies: `Compared`."""

    approaches: tuple[tuple[str, Approach], ...]
    budget: int
    noise: float = 0.0


@dataclass(frozen=True, slots=True)
class SaveComparison:
    """Write a comparison as CSV. The reply is an `Exported`."""

    comparison: Comparison
    csv: Path


@dataclass(frozen=True, slots=True)
class Export:
    """Write the groups: a CSV file, and pictures copied into one folder per group."""

    csv: Path | None = None
    folders: Path | None = None


@dataclass(frozen=True, slots=True)
class CloseProject:
    """Close the open project."""


Request = (
    ScanSource
    | CreateProject
    | OpenProject
    | Relink
    | Tell
    | SetAside
    | NameGroup
    | Undo
    | Redo
    | Revise
    | GoTo
    | View
    | Consider
    | Choose
    | Suggest
    | ShowTree
    | CutTree
    | Compare
    | SaveComparison
    | Export
    | CloseProject
)
LongRequest = (
    ScanSource
    | CreateProject
    | OpenProject
    | Relink
    | Consider
    | Suggest
    | ShowTree
    | Compare
    | Export
)
"""Those that `cancel` stops; the others are answers and looks, which are carried through."""

# ---------------------------------------------------------------------------- replies


@dataclass(frozen=True, slots=True)
class Offer:
    """A strategy (or a method to find groups) that can be chosen, and what can be set about it.

    `heeds`: of a method, whether it reckons with the answers, and does more than keep to them.
    `shares`: of a strategy, whether items may belong to several groups at once, so that it is asked
    whether two have one in common.
    """

    strategy: str
    parameters: tuple[Parameter, ...]
    heeds: bool = True
    shares: bool = False


@dataclass(frozen=True, slots=True)
class Scanned:
    """What a source holds.

    `kind` is "images" or "table"; `columns` is empty for images. `unusable` says why the whole
    source cannot be used ("" = it can). Of images, `samples` are the files of some and `suffixes`
    tells how many have which, see `engine.readers.SourcePreview`.
    """

    source: Path
    kind: str
    n_items: int
    n_copies: int
    columns: tuple[Column, ...]
    preview: tuple[tuple[str, ...], ...]
    problems: tuple[ItemProblem, ...]
    notes: tuple[str, ...]
    embedders: tuple[str, ...]
    unusable: str = ""
    hint: str = ""
    samples: tuple[Path, ...] = ()
    suffixes: tuple[tuple[str, int], ...] = ()
    offers: tuple[Offer, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """A project is open. `coordinates`: float32[n, 2], the map of the features, which never moves.

    `offers`: the strategies to choose from; `methods`: the ways to find groups. `labelled`:
    whether there are labels, which nothing but a comparison looks at.
    """

    path: Path
    source: Path
    source_found: bool
    items: tuple[Item, ...]
    columns: tuple[Column, ...]
    problems: tuple[ItemProblem, ...]
    coordinates: FloatArray
    question: str
    embedder: str
    snapshot: Snapshot
    offers: tuple[Offer, ...] = ()
    methods: tuple[Offer, ...] = ()
    labelled: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Changed:
    """The live state changed; `saved` = its events are on disk."""

    snapshot: Snapshot
    saved: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Replayed:
    """A read-only look at an earlier state."""

    snapshot: Snapshot


@dataclass(frozen=True, slots=True, eq=False)
class Considered:
    """What another choice would make of the answers."""

    outlook: Outlook


@dataclass(frozen=True, slots=True, eq=False)
class Suggested:
    """What has been learned and is open in the state of `revision`; follows every change of it."""

    revision: int
    suggestions: Suggestions


@dataclass(frozen=True, slots=True, eq=False)
class TreeShown:
    """The hierarchy behind the groups of `revision`, and the answers in force there."""

    revision: int
    tree: Tree
    said: tuple[tuple[int, Pair, Verdict], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """A read-only look at a level of the hierarchy; `snapshot.overruled`: answers it breaks."""

    groups: int
    snapshot: Snapshot


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """What is known of a comparison so far."""

    comparison: Comparison


@dataclass(frozen=True, slots=True)
class Working:
    """Progress of a long task; `total` 0 = unknown."""

    done: int
    total: int
    text: str


@dataclass(frozen=True, slots=True)
class Idle:
    """The engine has nothing more to do."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """The person's stop took effect; what was running left nothing behind."""

    what: str


@dataclass(frozen=True, slots=True)
class Exported:
    """The export is on disk; `report` says what was written where, in words."""

    report: str


@dataclass(frozen=True, slots=True)
class Failed:
    """Something expected went wrong."""

    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Crashed:
    """A bug: `report` is the text to copy. The log is on disk.

    `of_request`: whether it ended what was asked for, not only what is done unasked meanwhile.
    """

    report: str
    of_request: bool = True


@dataclass(frozen=True, slots=True)
class Closed:
    """No project is open."""


Reply = (
    Scanned
    | Opened
    | Changed
    | Replayed
    | Considered
    | Suggested
    | TreeShown
    | Cut
    | Compared
    | Working
    | Idle
    | Stopped
    | Exported
    | Failed
    | Crashed
    | Closed
)
