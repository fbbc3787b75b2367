"""Save and open give back the same, whatever the data and whatever was said."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import hypothesis.extra.numpy as numpy_strategies
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.answers import AnswerLog, EventKind
from engine.dataset import Column, ColumnKind, Dataset, Item, ItemProblem, Role, SourceKind
from engine.errors import UsageError
from engine.model import Answer, Confidence, Pair, Source, Verdict
from engine.project import Project, Settings

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=12)  # lone surrogates too
SMALL = st.integers(0, 2**40)


@st.composite
def datasets(draw: st.DrawFn) -> Dataset:
    n = draw(st.integers(1, 6))
    items = tuple(
        Item(
            id=number,
            name=draw(ANY_TEXT),
            content=draw(st.binary(min_size=16, max_size=16)),
            path=draw(st.none() | st.binary(max_size=12)),
            cells=tuple(draw(st.lists(ANY_TEXT, max_size=3))),
            copies=tuple(draw(st.lists(ANY_TEXT, max_size=2))),
            label=draw(st.none() | ANY_TEXT),
        )
        for number in range(n)
    )
    column = st.builds(
        Column, ANY_TEXT, st.sampled_from(ColumnKind), st.sampled_from(Role), SMALL, SMALL, ANY_TEXT
    )
    features = numpy_strategies.arrays(np.float32, st.tuples(st.just(n), st.integers(0, 4)))
    return Dataset(
        root=Path("/") / "data",
        source=Path("/") / "data" / "table.csv",
        kind=draw(st.sampled_from(SourceKind)),
        items=items,
        columns=tuple(draw(st.lists(column, max_size=3))),
        features=draw(st.none() | features),
        feature_names=tuple(draw(st.lists(ANY_TEXT, max_size=4))),
        problems=tuple(draw(st.lists(st.builds(ItemProblem, ANY_TEXT, ANY_TEXT), max_size=2))),
        notes=tuple(draw(st.lists(ANY_TEXT, max_size=2))),
    )


@st.composite
def logs(draw: st.DrawFn, n: int) -> AnswerLog:
    """Any log that makes sense on `n` items: answers, revisions, branches."""
    log = AnswerLog()
    item = st.integers(0, n - 1)
    for _ in range(draw(st.integers(0, 8))):
        kind = draw(st.sampled_from(EventKind))
        fields: dict[str, Any] = {
            "at": draw(st.floats(0, 4e9)),
            "engine": draw(ANY_TEXT),
            "text": draw(ANY_TEXT),
            "items": draw(st.lists(item, min_size=1, max_size=3)),
            "target": draw(st.integers(0, 8)),
        }
        if kind in {EventKind.ANSWER, EventKind.REVISE} and n > 1:
            pair = draw(st.lists(item, min_size=2, max_size=2, unique=True))
            fields["answer"] = Answer(
                Pair.of(*pair),
                draw(st.sampled_from(Verdict)),
                draw(st.sampled_from(Confidence)),
                draw(st.sampled_from(Source)),
                draw(st.none() | st.sampled_from(pair)),
                draw(st.none() | SMALL),
                draw(ANY_TEXT),
                draw(ANY_TEXT),
            )
        try:
            log.append(kind, **fields)
        except UsageError:  # nothing to undo, no such step: not a log
            continue
    return log


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_what_was_saved_comes_back(data: st.DataObject) -> None:
    dataset = data.draw(datasets())
    log = data.draw(logs(len(dataset)))
    chosen = Settings(
        source=data.draw(ANY_TEXT),
        embedder=data.draw(ANY_TEXT),
        strategy=data.draw(ANY_TEXT),
        params=data.draw(st.dictionaries(ANY_TEXT, ANY_TEXT, max_size=2)),
        seed=data.draw(SMALL),
        question=data.draw(ANY_TEXT),
        planned=data.draw(st.none() | SMALL),
    )
    key = data.draw(st.text(max_size=8))
    array = data.draw(
        numpy_strategies.arrays(
            numpy_strategies.boolean_dtypes()
            | numpy_strategies.integer_dtypes()
            | numpy_strategies.floating_dtypes(),
            numpy_strategies.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3),
        )
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "p.pairloom"
        with Project.create(path, dataset=dataset, settings=chosen) as project:
            for event in log.events:
                project.append(event)
            project.save_array(key, array)
            project.save_indices(key, np.arange(3, dtype=np.int32))
        with Project.open(path) as project:
            assert project.settings == chosen
            assert_alike(project.dataset(), dataset)
            assert tuple(project.log().events) == tuple(project.events()) == tuple(log.events)
            held = project.load_array(key)
            assert held is not None
            assert (held.dtype, held.shape) == (array.dtype.newbyteorder("<"), array.shape)
            assert held.tobytes() == array.astype(held.dtype).tobytes()
            assert project.load_indices(key) is not None
            assert project.verify() == ()


def assert_alike(one: Dataset, other: Dataset) -> None:
    for name in ("kind", "items", "columns", "feature_names", "problems", "notes"):
        assert getattr(one, name) == getattr(other, name), name
    assert (one.features is None) == (other.features is None)
    if one.features is not None and other.features is not None:
        assert one.features.shape == other.features.shape
        assert one.features.tobytes() == other.features.tobytes()
