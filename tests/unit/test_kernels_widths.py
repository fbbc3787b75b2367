from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.spatial.distance import cdist, pdist

from engine.errors import Cancelled, ParameterError
from engine.job import Job
from engine.kernels import FIXED_WIDTH, WIDTHS, width

BY_DISTANCE = pytest.mark.parametrize("rule", ["median", "knn"])


def cloud(n: int = 101, d: int = 5) -> torch.Tensor:
    return torch.tensor(np.random.default_rng(n).random((n, d)), dtype=torch.float32)


def found(
    rule: str, points: torch.Tensor, share: float = 1, seed: int = 0, job: Job | None = None
) -> float:
    rng = np.random.default_rng(seed)
    return width(rule, points, share=share, sigma=0.4, rng=rng, job=job or Job())


def test_median_is_a_share_of_the_median_distance() -> None:
    expected = np.median(pdist(cloud().double().numpy()))
    assert found("median", cloud()) == pytest.approx(expected, rel=1e-6)
    assert found("median", cloud(), share=0.25) == pytest.approx(expected / 4, rel=1e-6)


@pytest.mark.parametrize("n", [2, 5, 8, 9, 101, 1200])
def test_knn_is_the_mean_distance_to_the_seventh_neighbour(n: int) -> None:
    points = cloud(n)
    apart = np.sort(cdist(points.double(), points.double()), axis=1)  # column 0 is the point itself
    assert found("knn", points) == pytest.approx(apart[:, min(7, n - 1)].mean(), rel=1e-6)


def test_fixed_and_dimension_look_at_no_point() -> None:
    assert found("fixed", cloud()) == 0.4
    assert found("dimension", cloud(9, 4)) == 0.25
    assert found("dimension", cloud(9, 1)) == 0.125
    assert found("dimension", torch.zeros(3, 784)) == pytest.approx(3.5)


@BY_DISTANCE
@pytest.mark.parametrize("n", [40, 2300])
@pytest.mark.parametrize("scale", [1e-6, 3.0, 1e12])
def test_scaled_points_have_a_scaled_width(rule: str, n: int, scale: float) -> None:
    assert found(rule, cloud(n, 3).double() * scale) == pytest.approx(
        scale * found(rule, cloud(n, 3).double()), rel=1e-6
    )


@BY_DISTANCE
@pytest.mark.parametrize("n", [60, 2000])
def test_the_order_of_the_points_does_not_matter(rule: str, n: int) -> None:
    points = cloud(n, 3)
    shuffled = points[torch.from_numpy(np.random.default_rng(7).permutation(n))]
    assert found(rule, shuffled, seed=5) == pytest.approx(found(rule, points), rel=1e-9)


@BY_DISTANCE
@pytest.mark.parametrize("points", [torch.ones(9, 2), torch.ones(1, 2), torch.ones(2500, 1)])
def test_one_point_again_and_again(rule: str, points: torch.Tensor) -> None:
    assert found(rule, points) == FIXED_WIDTH


def test_median_leaves_copies_out() -> None:
    assert found("median", torch.tensor([[0.0], [0.0], [0.0], [0.0], [3.0]])) == 3


def test_knn_of_copies_goes_on_with_the_points_that_have_neighbours() -> None:
    spread = cloud(60, 2)
    crowd = torch.full((30, 2), 0.3)
    points = torch.cat([spread, crowd])
    apart = np.sort(cdist(points.double(), points.double()), axis=1)[:, 7]
    assert (apart == 0).sum() == 30
    assert found("knn", points) == pytest.approx(apart[apart > 0].mean(), rel=1e-6)


def test_knn_where_every_point_has_many_copies_is_the_share_of_the_median() -> None:
    points = cloud(20, 3).repeat(9, 1)
    assert found("knn", points, share=0.3) == found("median", points, share=0.3) > 0


def test_knn_is_exact_for_near_copies_far_from_the_origin() -> None:
    points = torch.tensor([[1000.0 + at / 64] for at in range(16)])
    points = torch.cat([points, points + 5000])
    assert found("knn", points) == pytest.approx(
        np.sort(cdist(points.double(), points.double()), axis=1)[:, 7].mean(), rel=1e-9
    )


@BY_DISTANCE
def test_of_many_points_a_seeded_part_is_looked_at(rule: str) -> None:
    points = cloud(2500, 2)
    one, same, other = (found(rule, points, seed=seed) for seed in (1, 1, 2))
    assert one == same != other
    assert one == pytest.approx(other, rel=0.1)


def test_knn_of_many_points_is_that_of_all_of_them_not_of_a_part() -> None:
    points = cloud(6000, 2)
    apart = np.sort(cdist(points[:500].double(), points.double()), axis=1)
    assert found("knn", points) == pytest.approx(apart[:, 7].mean(), rel=0.1)


@pytest.mark.parametrize("rule", WIDTHS)
@pytest.mark.parametrize("points", [cloud(30, 1), torch.hstack([cloud(30, 3), torch.ones(30, 2)])])
def test_few_or_constant_columns(rule: str, points: torch.Tensor) -> None:
    assert 0 < found(rule, points) < 1


@BY_DISTANCE
def test_values_near_the_ends_of_float32(rule: str) -> None:
    assert 0 < found(rule, cloud(50, 3) * 1e37) < np.inf
    assert found(rule, cloud(50, 3) * 1e-37) > 0


@BY_DISTANCE
def test_the_work_can_be_stopped(rule: str) -> None:
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        found(rule, cloud(), job=job)


def test_unknown_rules_are_refused() -> None:
    with pytest.raises(ParameterError) as caught:
        found("silverman", cloud())
    assert caught.value.hint == "Choose one of median, fixed, knn, dimension."
