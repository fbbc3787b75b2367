from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

from engine import clusterers
from engine.constraints import Constraints
from engine.errors import Cancelled, ParameterError
from engine.job import Job
from engine.metrics import adjusted_rand_index, normalized_mutual_information
from engine.model import Clustering
from engine.problem import Problem


def kmeans(points: np.ndarray, groups: int, seed: int = 0, **params: str) -> Clustering:
    method = clusterers.make("kmeans", {"groups": str(groups), **params})
    return method.cluster(Problem(points, seed), Constraints(), Job())


def test_reference_value_on_iris() -> None:
    data = load_iris()
    points = (data.data - data.data.min(0)) / np.ptp(data.data, axis=0)
    found = kmeans(points, 3)
    assert normalized_mutual_information(found.labels, data.target) == pytest.approx(
        0.742, abs=5e-4
    )
    assert adjusted_rand_index(found.labels, data.target) == pytest.approx(0.716, abs=5e-4)


def test_finds_groups_far_apart_and_is_sure_of_them() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 4, 200)
    points = np.stack([truth % 2, truth // 2], 1) + rng.normal(0, 0.03, (200, 2))
    found = kmeans(points, 4)
    assert adjusted_rand_index(found.labels, truth) == 1
    assert found.labels.dtype == np.int32
    assert found.labels[0] == 0
    assert found.confidence.dtype == np.float32
    assert found.confidence.min() > 0.7


def test_the_same_seed_gives_the_same_groups() -> None:
    points = np.random.default_rng(1).random((80, 3))
    np.testing.assert_array_equal(kmeans(points, 5, 3).labels, kmeans(points, 5, 3).labels)


def test_one_group_and_as_many_groups_as_items() -> None:
    points = np.random.default_rng(1).random((6, 2))
    one = kmeans(points, 1)
    assert one.labels.tolist() == [0] * 6
    assert one.confidence.tolist() == [1] * 6
    assert kmeans(points, 6).labels.tolist() == [0, 1, 2, 3, 4, 5]


def test_copies_stay_together() -> None:
    found = kmeans(np.array([[0, 0], [0, 0], [1, 1], [0, 0], [1, 1]]), 3)
    assert found.labels.tolist() == [0, 0, 1, 0, 1]


def test_an_empty_group_takes_the_farthest_point() -> None:
    import torch

    from engine.clusterers.kmeans import _fill_empty

    labels = torch.tensor([0, 0, 0, 2])
    _fill_empty(labels, torch.tensor([0.1, 0.9, 0.2, 5.0]).double(), 4)
    assert labels.tolist() == [0, 1, 3, 2]  # the lonely far point keeps its group


def test_more_groups_than_items_are_refused() -> None:
    with pytest.raises(ParameterError, match="at most 3, one per item, not 4"):
        kmeans(np.eye(3), 4)


def test_the_work_can_be_stopped() -> None:
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        clusterers.make("kmeans", {"groups": "2"}).cluster(Problem(np.eye(3)), Constraints(), job)
