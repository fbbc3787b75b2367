"""Studies made by hand for the overview and history views: no engine, no files unless asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QColor, QImage, QPixmap
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from desktop.controller import Controller
from desktop.messages import Offer, Opened
from engine.dataset import Column, ColumnKind, Item, Role
from engine.model import (
    Answer,
    Approach,
    Clustering,
    Composition,
    Effect,
    Group,
    HistoryItem,
    IntArray,
    Memberships,
    Overview,
    Pair,
    Progress,
    Question,
    Reason,
    Snapshot,
    StepKind,
    Verdict,
)
from engine.parameters import Parameter

NOON = 1_795_000_000.0

OFFERS = (
    Offer(
        "falcon",
        (
            Parameter("width", str, "median", ("median", "fixed"), "How near is alike."),
            Parameter("c", float, "0.3", (), "A share of the median distance.", above=0),
            Parameter("noise", float, "0.0", (), "The share of wrong answers.", least=0),
            Parameter("rank", int, "256", (), "The number of landmarks.", least=1, more=True),
            Parameter("exact_sums", bool, "no", (), "Whether sums are exact.", more=True),
        ),
    ),
    Offer("active-pck", (Parameter("groups", int, "0", (), "If known; 0 = not.", least=0),)),
    Offer("random", ()),
)
METHODS = (
    Offer("own", ()),
    Offer("kmeans", (Parameter("groups", int, None, (), "The number.", least=1),), heeds=False),
    Offer("fc2", (Parameter("groups", int, "0", (), "If known; 0 = not.", least=0),)),
    Offer(
        "rcc",
        (
            Parameter("neighbours", int, "10", (), "How many.", least=1),
            Parameter("stretch", float, "1.0", (), "The scale.", above=0),
            Parameter("rounds", int, "100", (), "At most.", least=1, more=True),
        ),
        heeds=False,
    ),
)
FALCON = Approach(
    "falcon",
    (("width", "median"), ("c", "0.3"), ("noise", "0.0"), ("rank", "256"), ("exact_sums", "no")),
)

COLUMNS = (
    Column("id", ColumnKind.TEXT, Role.ID),
    Column("radius", ColumnKind.NUMBER, Role.FEATURE),
    Column("texture", ColumnKind.NUMBER, Role.FEATURE),
    Column("site", ColumnKind.CATEGORY, Role.FEATURE),
    Column("truth", ColumnKind.CATEGORY, Role.LABEL),
)


def answer_step(
    seq: int,
    parent: int,
    a: int,
    b: int,
    verdict: Verdict = Verdict.SAME,
    *,
    effect: Effect | None = None,
    on_path: bool = True,
    kind: StepKind = StepKind.ANSWER,
    target: int | None = None,
) -> HistoryItem:
    answer = Answer(Pair.of(a, b), verdict, shown_left=a, response_ms=2000 + 50 * seq)
    return HistoryItem(
        seq=seq,
        parent=parent,
        kind=kind,
        at=NOON + 7 * seq,
        on_path=on_path,
        answer=answer,
        target=target,
        effect=effect or Effect(4, 4, 0),
    )


def chain(n: int, *, n_items: int = 40) -> tuple[HistoryItem, ...]:
    """Make n answers in a row with all three verdicts and some effects."""
    verdicts = (Verdict.SAME, Verdict.DIFFERENT, Verdict.DIFFERENT, Verdict.UNSURE)
    return tuple(
        answer_step(
            seq,
            seq - 1,
            seq % n_items,
            (3 * seq + 7) % n_items if seq % n_items != (3 * seq + 7) % n_items else 0,
            verdicts[seq % 4],
            effect=Effect(5, 4, 31) if seq % 10 == 0 else Effect(4, 4, 0),
        )
        for seq in range(1, n + 1)
    )


def overview_of(labels: IntArray, names: dict[int, str] | None = None, seed: int = 0) -> Overview:
    """Group items by label; label = slot, -1 = undecided; the first member is the exemplar."""
    rng = np.random.default_rng(seed)
    confidence = rng.beta(4, 1.2, len(labels)).astype(np.float32)
    groups = [
        Group(
            slot=int(slot),
            name=(names or {}).get(int(slot), ""),
            exemplar=int(members[0]),
            members=members.astype(np.int32),
            confidence=float(confidence[members].mean()),
        )
        for slot in np.unique(labels[labels >= 0])
        for members in [np.flatnonzero(labels == slot)]
    ]
    groups.sort(key=lambda group: -group.size)
    return Overview(
        groups=tuple(groups),
        slots=labels.astype(np.int32),
        confidence=confidence,
        prototypes=tuple(group.exemplar for group in groups),
        criticisms=tuple(int(group.members[-1]) for group in groups[:3]),
    )


def shared_overview(
    sets: Sequence[tuple[int, ...]], names: dict[int, str] | None = None, seed: int = 0
) -> Overview:
    """Make an overview of items that belong to several groups: the slots of each, rising."""
    rng = np.random.default_rng(seed)
    confidence = rng.beta(4, 1.2, len(sets)).astype(np.float32)
    distinct = sorted(set(sets), key=lambda one: (len(one), one))
    place = {one: at for at, one in enumerate(distinct)}
    chosen = np.array([place[one] for one in sets], dtype=np.int32)
    fit = rng.uniform(0.2, 0.6, len(sets)).astype(np.float32)
    groups = []
    for slot in sorted({slot for one in distinct for slot in one}):
        held = [item for item, one in enumerate(sets) if slot in one]
        held.sort(key=lambda item: (len(sets[item]), -confidence[item], item))
        groups.append(
            Group(
                slot=slot,
                name=(names or {}).get(slot, ""),
                exemplar=held[0],
                members=np.array(held, dtype=np.int32),
                confidence=float(confidence[held].mean()),
                mixed=sum(len(sets[item]) > 1 for item in held),
            )
        )
    groups.sort(key=lambda group: (-group.size, group.slot))
    memberships = Memberships(
        sets=tuple(distinct),
        chosen=chosen,
        fit=fit,
        compositions=tuple(
            Composition(
                one, int((chosen == at).sum()), float(fit[chosen == at].mean()), 0.9 + at / 50
            )
            for at, one in enumerate(distinct)
            if len(one) > 1
        ),
        slots=np.arange(1 + max(one[-1] for one in distinct), dtype=np.int32),
    )
    return Overview(
        groups=tuple(groups),
        slots=np.array([one[0] for one in sets], dtype=np.int32),
        confidence=confidence,
        memberships=memberships,
    )


def snapshot_of(
    overview: Overview,
    history: tuple[HistoryItem, ...] = (),
    *,
    revision: int = 1,
    position: int | None = None,
    redo: int | None = None,
    live: bool = True,
    pair: Pair | None = None,
    planned: int | None = 200,
) -> Snapshot:
    position = (history[-1].seq if history else 0) if position is None else position
    answered = sum(step.kind is StepKind.ANSWER for step in history)
    unsure = sum(
        step.answer is not None and step.answer.verdict is Verdict.UNSURE for step in history
    )
    reason = Reason.of("Group {a} and group {b} lie side by side.", a=1, b=2)
    return Snapshot(
        revision=revision,
        question=Question(pair, reason, 12, revision) if pair is not None and live else None,
        clustering=Clustering(overview.slots, overview.confidence),
        overview=overview,
        history=history,
        position=position,
        undo=position or None,
        redo=redo,
        progress=Progress(
            answered=answered,
            unsure=unsure,
            groups=len(overview.groups),
            implied=3 * answered,
            planned=planned,
            recent=min(20, answered),
            recent_changes=min(3, answered),
            set_aside=0,
        ),
        live=live,
        approach=FALCON,
    )


def blobs(n: int, k: int, seed: int = 0) -> tuple[np.ndarray, IntArray]:
    """Make float32[n, 2] places in k heaps, and the labels."""
    rng = np.random.default_rng(seed)
    labels = (np.arange(n) % k).astype(np.int32)
    middles = rng.uniform(-0.8, 0.8, size=(k, 2))
    places = middles[labels] + rng.normal(scale=0.07, size=(n, 2))
    return places.astype(np.float32), labels


def opened_of(
    coordinates: np.ndarray,
    snapshot: Snapshot,
    *,
    table: bool = False,
    source: Path = Path("nowhere"),
    paths: tuple[bytes, ...] | None = None,
) -> Opened:
    """Make an open study of pictures (which need not exist) or of table rows."""
    n = len(coordinates)
    if table:
        sites = ("left", "right", "both")
        items = tuple(
            Item(
                id=i,
                name=f"row {i + 1}",
                content=b"",
                cells=(str(i), f"{10 + i % 7}.5", f"{i % 3},25", sites[i % 3], "secret"),
            )
            for i in range(n)
        )
    else:
        given = paths or tuple(f"heap/IMG_{i:04d}.png".encode() for i in range(n))
        items = tuple(
            Item(id=i, name=path.decode(), content=b"", path=path) for i, path in enumerate(given)
        )
    return Opened(
        path=Path("study.pairloom"),
        source=source,
        source_found=True,
        items=items,
        columns=COLUMNS if table else (),
        problems=(),
        coordinates=coordinates,
        question="",
        embedder="table" if table else "lite0",
        snapshot=snapshot,
        offers=OFFERS,
        methods=METHODS,
    )


def controller_on(
    n: int = 40,
    k: int = 4,
    *,
    history: tuple[HistoryItem, ...] = (),
    table: bool = False,
    pair: Pair | None = None,
) -> tuple[Controller, Opened]:
    """Make a controller without engine, and a study to hand to its `receive`."""
    coordinates, labels = blobs(n, k)
    snapshot = snapshot_of(overview_of(labels), history, pair=pair)
    return Controller(worker=None), opened_of(coordinates, snapshot, table=table)


def moved_on(snapshot: Snapshot, **changes: object) -> Snapshot:
    """Make the same snapshot at the next revision, with changes."""
    return replace(snapshot, revision=snapshot.revision + 1, **changes)  # type: ignore[arg-type]


class RecordedPictures(QObject):
    """Stands in for the `PictureStore`: notes what is asked for, gives grey squares."""

    pictureReady = Signal(int, int, QImage)
    pictureFailed = Signal(int, str)

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[int] = []
        self.requested: list[int] = []

    def has_picture(self, item: int) -> bool:
        return True

    def thumbnail(self, item: int, size: int = 128) -> QPixmap:
        self.asked.append(item)
        pixmap = QPixmap(size, size)
        pixmap.fill(QColor.fromHsv(item * 37 % 360, 90, 200))
        return pixmap

    def request(self, item: int, size: int | None = None) -> None:
        self.requested.append(item)

    def failure(self, item: int) -> str | None:
        return None


def double_click(widget: QWidget, where: QPoint) -> None:
    """Click twice, and let go: `QTest.mouseDClick` leaves the button down for the tests after."""
    QTest.mouseDClick(widget, Qt.MouseButton.LeftButton, pos=where)
    QTest.mouseRelease(widget, Qt.MouseButton.LeftButton, pos=where)
