"""The rounds of FALCON: incremental as from nothing, whatever is chosen about them."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import kernels
from engine.errors import ParameterError, ResourceError
from engine.job import Job
from engine.kernels import mmd
from engine.problem import Problem
from engine.strategies import make, parameters
from engine.strategies.falcon import growth as growing
from engine.strategies.falcon import params as choosing
from engine.strategies.falcon.growth import NEAR, Growth
from engine.strategies.falcon.params import FalconParams

CHOICES = [
    {name: choice}
    for name, choices in {
        "kernel": ("laplacian", "rational-quadratic"),
        "width": ("fixed", "knn", "dimension"),
        "split": ("size",),
        "local": ("random", "none"),
        "sums": ("exact", "nystroem", "random-features"),
    }.items()
    for choice in choices
]


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("kernel", kernels.KERNELS),
        ("width", kernels.WIDTHS),
        ("sums", kernels.SUMS),
        ("landmarks", kernels.LANDMARKS),
    ],
)
def test_all_that_kernels_know_can_be_chosen(name: str, known: tuple[str, ...]) -> None:
    (choice,) = (one for one in parameters("falcon") if one.name == name)
    assert choice.choices == known


def blobs(n: int = 240, d: int = 3, k: int = 5, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.random((k, d))[rng.integers(0, k, n)] + rng.normal(0, 0.08, (n, d))


def grown(points: np.ndarray, rounds: int, **params: Any) -> Growth:
    growth = Growth(Problem(points), FalconParams(**params), "test", Job())
    for index in range(rounds):
        assert growth.reach(index)
        growth.partition(index)
    return growth


@pytest.mark.parametrize("params", [{}, *CHOICES], ids=str)
def test_step_by_step_as_from_nothing(
    params: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    points = blobs()
    one = grown(points, 9, **params)
    other = Growth(Problem(points), FalconParams(**params), "test", Job())
    assert other.reach(8)
    assert one.all_prototypes(8) == other.all_prototypes(8)
    chosen = one.all_prototypes(8)
    assert len(set(chosen)) == len(chosen)
    monkeypatch.setattr(Growth, "_nearest_held", lambda *_: (0, None))
    held, anew = one.partition(8), other._assign(8)
    np.testing.assert_array_equal(held.near, anew.near)
    np.testing.assert_array_equal(held.distance, anew.distance)
    np.testing.assert_array_equal(held.pull, anew.pull)


@pytest.mark.parametrize("params", [{}, *CHOICES], ids=str)
def test_partition_and_pull_are_what_they_say(params: dict[str, Any]) -> None:
    points = blobs().astype(np.float32)
    growth = grown(points, 7, **params)
    chosen = growth.all_prototypes(6)
    apart = np.linalg.norm(points[:, None].astype(float) - points[chosen], axis=2)
    apart[chosen, np.arange(len(chosen))] = -1
    held = growth.partition(6)
    k = min(NEAR, len(chosen))
    np.testing.assert_array_equal(held.near, np.argsort(apart, axis=1, kind="stable")[:, :k].T)
    likeness = kernels.kernel(growth._params.kernel, growth._width)
    values = likeness.of_distances(torch.from_numpy(np.maximum(apart, 0)))
    np.testing.assert_allclose(held.pull, values.sum(1), rtol=1e-4)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.lists(st.integers(0, 6), min_size=5, max_size=5), min_size=1, max_size=14))
def test_fresh_prototypes_go_where_sorting_puts_them(apart: list[list[int]]) -> None:
    table = np.array(apart, dtype=np.float32)  # [prototype, point]
    k = min(NEAR, len(table))
    near, distance = np.full((k, 5), -1, np.int32), np.full((k, 5), np.inf, np.float32)
    for fresh, row in enumerate(table):
        growing._insert(near, distance, fresh, row)
    np.testing.assert_array_equal(near, np.argsort(table, axis=0, kind="stable")[:k])
    np.testing.assert_array_equal(distance, np.sort(table, axis=0)[:k])


def test_splits_the_largest_cell_when_told_to() -> None:
    growth = grown(blobs(), 8, split="size")
    for index in range(1, 8):
        nearest = growth.partition(index - 1).nearest
        sizes = np.bincount(nearest)
        split = {int(nearest[item]) for item in growth.prototypes(index)}
        assert len(split) == 1
        assert sizes[split.pop()] == sizes.max()


def test_splits_the_cell_with_most_criticisms() -> None:
    growth = grown(blobs(), 8)
    for index in range(1, 8):
        nearest = growth.partition(index - 1).nearest
        counts = np.bincount(nearest[growth.criticisms(index)])
        assert len(growth.criticisms(index)) == len(growth.all_prototypes(index - 1)) + 1
        split = {int(nearest[item]) for item in growth.prototypes(index)}
        assert len(split) == 1
        assert counts[split.pop()] == counts.max() == len(growth.prototypes(index))


def test_any_items_of_the_cell_when_told_to() -> None:
    exact, random = grown(blobs(), 2), grown(blobs(), 2, local="random")
    assert exact.prototypes(0) == random.prototypes(0)
    assert len(exact.prototypes(1)) == len(random.prototypes(1))
    cell = {int(random.partition(0).nearest[item]) for item in random.prototypes(1)}
    assert len(cell) == 1
    other = Growth(Problem(blobs(), seed=1), FalconParams(local="random"), "test", Job())
    other.reach(1)
    assert other.prototypes(1) != random.prototypes(1)


def test_without_cells_the_prototypes_are_those_of_all_items() -> None:
    growth = grown(blobs(), 12, local="none")
    assert [len(growth.prototypes(index)) for index in range(12)] == [2, *[1] * 11]
    matrix = kernels.KernelMatrix(growth._points, kernels.Rbf(growth._width))
    assert growth.all_prototypes(11) == mmd.prototypes(matrix, matrix.means(Job()), 13, Job())
    assert growth.criticisms(11) == []


def test_criticisms_have_a_width_of_their_own() -> None:
    plain, wide = grown(blobs(), 2), grown(blobs(), 2, criticism_width=8.0)
    assert plain.prototypes(0) == wide.prototypes(0)
    assert plain.criticisms(1) != wide.criticisms(1)


def test_landmarks_at_every_point_change_nothing() -> None:
    rng = np.random.default_rng(3)
    apart = np.repeat(np.eye(4) * 3, 20, axis=0) + rng.normal(0, 0.3, (80, 4))
    exact = grown(apart, 5, sums="exact")
    near = grown(apart, 5, sums="nystroem", rank=80)
    assert exact.all_prototypes(4) == near.all_prototypes(4)
    assert near.report()["largest_error"] < 1e-5


@pytest.mark.parametrize(("sums", "wide"), [("nystroem", False), ("auto", True)])
def test_criticisms_of_many_points_are_sought_among_some(
    monkeypatch: pytest.MonkeyPatch, sums: str, wide: bool
) -> None:
    everywhere = grown(blobs(), 6, sums=sums, rank=64)
    monkeypatch.setattr(growing, "_CANDIDATES", 50)
    if wide:
        monkeypatch.setattr(growing, "_ALL_SOUGHT", blobs().size - 1)
    growth = grown(blobs(), 6, sums=sums, rank=64)
    assert [growth.criticisms(at) for at in range(6)] != [
        everywhere.criticisms(at) for at in range(6)
    ]
    for index in range(1, 6):
        found = growth.criticisms(index)
        assert len(found) == len(set(found)) == len(growth.all_prototypes(index - 1)) + 1
        assert set(found).isdisjoint(growth.all_prototypes(index - 1))


def test_reports_what_was_chosen_and_approximated() -> None:
    exact = grown(blobs(), 1).report()
    assert exact["sums"] == "exact"
    assert exact["kernel"] == "rbf"
    width = grown(blobs() * 2, 1).report()["width"]
    assert width == pytest.approx(2 * exact["width"])  # type: ignore[operator]
    found = grown(blobs(), 1, sums="random-features", rank=300).report()
    assert found["rank"] == 300
    assert 0 < found["mean_error"] < 0.1  # type: ignore[operator]


def test_reports_on_criticisms_where_they_have_a_width_of_their_own() -> None:
    assert "criticisms" not in grown(blobs(), 2).report()
    assert "criticisms" not in grown(blobs(), 2, local="none", criticism_width=0.5).report()
    report = grown(blobs(), 2, criticism_width=0.5, sums="nystroem", rank=9).report()
    own = report["criticisms"]
    assert isinstance(own, dict)
    assert own["width"] == report["width"] / 2  # type: ignore[operator]
    assert own["rank"] == report["rank"] == 9
    assert own["mean_error"] != report["mean_error"]


def test_the_number_of_points_decides_how_sums_are_computed() -> None:
    many = blobs(5001, d=2)
    assert grown(many[:-1], 1).report()["sums"] == "exact"
    assert grown(many, 1).report()["sums"] == "nystroem"
    assert grown(many, 1, sums="exact").report()["sums"] == "exact"


def test_what_is_kept_belongs_to_every_choice() -> None:
    problem = Problem(blobs())
    keys = set()
    for params in [{}, *CHOICES, {"rank": 7}, {"landmarks": "k-means++"}, {"c": 0.5}]:
        growth = Growth(problem, FalconParams(**params), "test", Job())  # type: ignore[arg-type]
        keys.add(growth._key)
    assert len(keys) == len(CHOICES) + 4
    fields = {field.name for field in dataclasses.fields(FalconParams)}
    assert all(f"{name}=" in growth._key for name in fields - choosing._PLACING)


def test_a_device_that_is_not_there_is_refused() -> None:
    absent = "mps" if torch.cuda.is_available() else "cuda"
    growth = Growth(Problem(blobs(), device=absent), FalconParams(), "test", Job())
    with pytest.raises(ResourceError, match=absent):
        growth.reach(0)
    with pytest.raises(ParameterError):
        Growth(Problem(blobs(), device="abacus"), FalconParams(), "test", Job()).reach(0)


def test_too_large_a_rank_is_refused_with_sizes() -> None:
    strategy = make("falcon", {"sums": "random-features", "rank": str(10**9)})
    with pytest.raises(ResourceError, match="MiB"):
        next(strategy.run(Problem(blobs()), Job()))
