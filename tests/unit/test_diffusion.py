from __future__ import annotations

import numpy as np
import pytest

from engine.diffusion import Diffusion
from engine.errors import Cancelled
from engine.job import Job
from engine.neighbors import nearest


def over(points: np.ndarray, k: int, reach: float = 0.8) -> Diffusion:
    return Diffusion.over(nearest(points, k, Job()), reach, Job())


def test_two_items_share_what_they_have_by_hand() -> None:
    found = over(np.array([[0.0], [1.0]]), 1, 0.5)
    # S = [[0, 1], [1, 0]]: (I - S / 2)^-1 = [[4, 2], [2, 4]] / 3
    np.testing.assert_allclose(found.spread(np.array([3.0, 0.0]), Job()), [4, 2], rtol=1e-3)
    np.testing.assert_allclose(found.from_item(1, Job()), [0.5, 1], rtol=1e-3)


def test_weights_are_those_of_the_papers() -> None:
    points = np.random.default_rng(0).random((30, 2))
    near, n = nearest(points, 8, Job()), 30
    apart = np.sqrt(np.square(points[:, None] - points[None]).sum(2))
    scale = np.sort(apart, axis=1)[:, 7]  # the 7th other: it is 0 from itself
    listed = np.zeros((n, n), dtype=bool)
    listed[np.arange(n)[:, None], near.items] = True
    weights = np.where(listed | listed.T, np.exp(-(apart**2) / np.outer(scale, scale)), 0)
    root = np.sqrt(weights.sum(1))
    expected = 0.85 * weights / np.outer(root, root)
    found = Diffusion.over(near, 0.85, Job()).links.toarray()
    np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_is_the_closed_form_also_where_values_are_tiny() -> None:
    points = np.arange(60.0)[:, None] + np.random.default_rng(0).random((60, 1)) / 9
    found = over(points, 2, 0.5)
    exact = np.linalg.inv(np.eye(60) - found.links.toarray())
    spread = found.spread(np.eye(60)[0], Job())
    assert spread.min() < 1e-15
    np.testing.assert_allclose(spread, exact[0], rtol=1e-3)


def test_nothing_comes_to_another_part() -> None:
    points = np.concatenate([np.random.default_rng(0).random((20, 2)) + far for far in (0, 50)])
    found = over(points, 3).from_item(4, Job())
    assert found[:20].min() > 0
    assert not found[20:].any()


def test_copies_and_outliers_stay_linked() -> None:
    rng = np.random.default_rng(0)
    points = np.concatenate([np.zeros((12, 2)), rng.random((20, 2)), [[900.0, 0.0]]])
    found = over(points, 5)
    total = found.spread(np.ones(33), Job())
    assert np.isfinite(total).all()
    assert (np.diff(found.links.indptr) > 0).all()
    assert np.isfinite(over(np.zeros((4, 2)), 3).spread(np.ones(4), Job())).all()
    assert over(np.zeros((1, 2)), 3).from_item(0, Job()).tolist() == [1]


def test_can_be_stopped() -> None:
    found = over(np.zeros((4, 2)), 3)
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        found.spread(np.ones(4), job)
