from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from engine.errors import Cancelled
from engine.job import Job
from engine.kernels import KernelMatrix, Rbf, mmd

JOB = Job()
SIGMA = 0.3


def cloud(n: int = 40, d: int = 2, seed: int = 0) -> torch.Tensor:
    return torch.tensor(np.random.default_rng(seed).random((n, d)), dtype=torch.float32)


def full(points: torch.Tensor) -> np.ndarray:
    x = points.double().numpy()
    return np.exp(-np.square(x[:, None] - x).sum(-1) / (2 * SIGMA**2))


def objective(k: np.ndarray, chosen: list[int]) -> float:
    """J of `mmd.prototypes`, by its formula."""
    m = len(chosen)
    return 2 / (len(k) * m) * k[:, chosen].sum() - k[np.ix_(chosen, chosen)].sum() / m**2


@pytest.mark.parametrize("fixed", [[], [11]])
def test_prototypes_are_the_greedy_maximum_of_the_objective(fixed: list[int]) -> None:
    points = cloud()
    matrix, k = KernelMatrix(points, Rbf(SIGMA)), full(points)
    picked = mmd.prototypes(matrix, matrix.means(JOB), 6, JOB, fixed)
    chosen = list(fixed)
    for found in picked:
        rest = [c for c in range(40) if c not in chosen]
        assert found == max(rest, key=lambda c: objective(k, [*chosen, c]))
        chosen.append(found)


def test_the_first_prototype_has_the_largest_column_sum() -> None:
    points = cloud(seed=4)
    matrix = KernelMatrix(points, Rbf(SIGMA))
    assert mmd.prototypes(matrix, matrix.means(JOB), 1, JOB) == [int(full(points).sum(0).argmax())]


def test_prototypes_end_when_the_points_do() -> None:
    matrix = KernelMatrix(cloud(5), Rbf(SIGMA))
    assert sorted(mmd.prototypes(matrix, matrix.means(JOB), 9, JOB)) == [0, 1, 2, 3, 4]
    assert mmd.prototypes(matrix, matrix.means(JOB), 9, JOB, [0, 1, 2, 3, 4]) == []


def test_ties_go_to_the_lowest_item() -> None:
    matrix = KernelMatrix(torch.zeros(6, 2), Rbf(SIGMA))
    assert mmd.prototypes(matrix, matrix.means(JOB), 3, JOB) == [0, 1, 2]
    assert mmd.criticisms(matrix, torch.zeros(6).double(), 9, JOB) == [0, 1, 2, 3, 4, 5]


def test_criticisms_follow_the_log_determinant() -> None:
    points = cloud(30, seed=2)
    matrix, k = KernelMatrix(points, Rbf(SIGMA)), full(points)
    chosen = [4, 17]
    witness = k.mean(0) - k[:, chosen].mean(1)
    others = np.delete(np.arange(30, dtype=np.int32), chosen)
    found = mmd.criticisms(matrix.part(others), torch.tensor(witness[others]), 12, JOB)
    picked = others[found].tolist()
    assert len(set(picked)) == 12

    def log_det(items: list[int]) -> float:
        block = k[np.ix_(items, items)] + 1e-6 * np.eye(len(items))
        return float(np.linalg.slogdet(block)[1])

    for step, found in enumerate(picked):
        before = picked[:step]
        rest = [c for c in range(30) if c not in chosen and c not in before]
        score = {c: abs(witness[c]) + log_det([*before, c]) - log_det(before) for c in rest}
        assert score[found] >= max(score.values()) - 1e-8


def test_criticisms_survive_copies() -> None:
    points = torch.cat([cloud(10)] * 3)
    matrix = KernelMatrix(points, Rbf(SIGMA))
    picked = mmd.criticisms(matrix, torch.zeros(30).double(), 30, JOB)
    assert sorted(picked) == list(range(30))
    assert len({item % 10 for item in picked[:10]}) == 10  # copies come last


def test_the_witness_is_left_as_it_was() -> None:
    matrix = KernelMatrix(cloud(12), Rbf(SIGMA))
    witness = torch.linspace(-1, 1, 12, dtype=torch.float64)
    before = witness.clone()
    assert mmd.criticisms(matrix, witness, 1, JOB) == [0]
    assert torch.equal(witness, before)
    assert math.isfinite(float(witness.sum()))


def test_the_work_can_be_stopped() -> None:
    job = Job()
    job.cancel()
    matrix = KernelMatrix(cloud(), Rbf(SIGMA))
    with pytest.raises(Cancelled):
        mmd.prototypes(matrix, torch.zeros(40).double(), 2, job)
    with pytest.raises(Cancelled):
        mmd.criticisms(matrix, torch.zeros(40).double(), 2, job)
