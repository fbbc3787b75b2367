from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import torch
from scipy.spatial.distance import cdist
from torch._subclasses import FakeTensorMode

from engine import kernels
from engine.errors import Cancelled, ParameterError, ResourceError
from engine.job import Job
from engine.kernels import KERNELS, LANDMARKS, Approximation, KernelMatrix, Rbf
from engine.kernels import features as module

JOB = Job()
EACH_LANDMARKS = pytest.mark.parametrize("landmarks", LANDMARKS)
EACH_KERNEL = pytest.mark.parametrize("name", KERNELS)


def cloud(n: int = 300, d: int = 4) -> torch.Tensor:
    return torch.tensor(np.random.default_rng(n).random((n, d)), dtype=torch.float32)


def full(points: torch.Tensor, name: str = "rbf", sigma: float = 0.5) -> np.ndarray:
    apart = torch.from_numpy(cdist(points.double(), points.double()))
    return kernels.kernel(name, sigma).of_distances(apart).numpy()


def found(
    points: torch.Tensor,
    name: str = "rbf",
    sigma: float = 0.5,
    seed: int = 0,
    sums: str = "nystroem",
    **options: object,
) -> Approximation:
    result = kernels.approximate(
        points,
        kernels.kernel(name, sigma),
        sums=sums,
        rng=np.random.default_rng(seed),
        **{"job": JOB, **options},  # type: ignore[arg-type]
    )
    assert result is not None
    return result


def product(approximation: Approximation) -> np.ndarray:
    values = approximation.features.double().numpy()
    return values @ values.T


@EACH_KERNEL
@EACH_LANDMARKS
def test_every_point_a_landmark_is_exact(name: str, landmarks: str) -> None:
    points = cloud(200)
    approximation = found(points, name, rank=200, landmarks=landmarks)
    np.testing.assert_allclose(product(approximation), full(points, name), atol=1e-5)
    assert approximation.accuracy.largest_error < 1e-6
    assert approximation.accuracy.largest_pair_error < 1e-5


@EACH_KERNEL
@EACH_LANDMARKS
def test_the_error_shrinks_with_the_rank(name: str, landmarks: str) -> None:
    points, errors = cloud(), []
    for rank in (5, 40, 150):
        approximation = found(points, name, rank=rank, landmarks=landmarks)
        off = np.abs(product(approximation) - full(points, name))
        np.testing.assert_array_less(np.diag(product(approximation)), 1 + 1e-5)
        errors.append((off.mean(), approximation.accuracy.mean_error))
    assert errors == sorted(errors, reverse=True)
    assert errors[2][0] < errors[0][0] / 10
    assert errors[2][1] < errors[0][1] / 10


@EACH_KERNEL
@pytest.mark.parametrize("d", [1, 4, 784])
def test_random_features_are_within_their_bound(name: str, d: int) -> None:
    points = cloud(60, d)
    sigma = 0.35 * d**0.5
    approximation = found(points, name, sigma, sums="random-features", rank=2000)
    pairs = np.random.default_rng(1).integers(60, size=(2, 200))
    off = np.abs(product(approximation) - full(points, name, sigma))[pairs[0], pairs[1]]
    assert off.max() < 0.12
    assert off.mean() < 0.03


@pytest.mark.parametrize("sums", ["nystroem", "random-features"])
def test_the_error_told_is_the_error_there_is(sums: str) -> None:
    points = cloud(120)
    approximation = found(points, sums=sums, rank=30)
    accuracy = approximation.accuracy
    exact = full(points).mean(0)
    off = np.abs(KernelMatrix(points, Rbf(0.5), approximation.features).means(JOB).numpy() - exact)
    assert accuracy.columns == 120  # so it was measured on all
    assert accuracy.mean_error == pytest.approx(off.mean(), rel=1e-6)
    assert accuracy.largest_error == pytest.approx(off.max(), rel=1e-6)
    assert accuracy.share_of_spread == pytest.approx(off.mean() / exact.std(), rel=1e-6)
    between = product(approximation)
    np.fill_diagonal(between, 1)
    off = np.abs(between - full(points))
    assert accuracy.pairs == 1000
    assert 0.8 * off.mean() < accuracy.pair_error < 1.2 * off.mean()
    assert 0.3 * off.max() < accuracy.largest_pair_error <= off.max() + 1e-12
    assert accuracy.rank == 30
    assert accuracy.sums == sums
    assert accuracy.landmarks == ("uniform" if sums == "nystroem" else "")
    assert all(type(value) in (str, int, float) for value in dataclasses.astuple(accuracy))


def test_of_many_points_128_columns_are_compared() -> None:
    assert found(cloud(400), rank=10).accuracy.columns == 128


@pytest.mark.parametrize("sums", ["nystroem", "random-features"])
@EACH_LANDMARKS
def test_seeded(sums: str, landmarks: str) -> None:
    one, same, other = (
        found(cloud(), sums=sums, landmarks=landmarks, rank=16, seed=seed) for seed in (1, 1, 2)
    )
    assert torch.equal(one.features, same.features)
    assert one.accuracy == same.accuracy
    if landmarks != "prototypes" or sums == "random-features":  # prototypes need no luck
        assert not torch.equal(one.features, other.features)


@EACH_LANDMARKS
def test_tiles_change_nothing(monkeypatch: pytest.MonkeyPatch, landmarks: str) -> None:
    large = found(cloud(), landmarks=landmarks, rank=20).features
    monkeypatch.setattr(module, "TILE_BYTES", 1)
    small = found(cloud(), landmarks=landmarks, rank=20).features
    np.testing.assert_allclose(small, large, atol=1e-5)


class TestLandmarks:
    @EACH_LANDMARKS
    @pytest.mark.parametrize("points", [cloud(80), cloud(9).repeat(9, 1), torch.ones(80, 3)])
    def test_are_different_points(self, landmarks: str, points: torch.Tensor) -> None:
        rng = np.random.default_rng(0)
        chosen = module._landmarks(landmarks, points, Rbf(0.5), 30, rng, JOB)
        assert len(set(chosen.tolist())) == 30
        assert chosen.min() >= 0
        assert chosen.max() < len(points)

    def test_far_apart_ones_reach_small_groups(self) -> None:
        crowd = torch.zeros(400, 2) + cloud(400, 2) / 100
        points = torch.cat([crowd, torch.tensor([[5.0, 5], [9, 0], [0, 9]])])
        for seed in range(5):
            rng = np.random.default_rng(seed)
            chosen = module._landmarks("k-means++", points, Rbf(0.5), 4, rng, JOB)
            assert {400, 401, 402} <= set(chosen.tolist())

    def test_prototypes_are_those_of_the_textbook(self) -> None:
        points, k = cloud(70), full(cloud(70))
        expected: list[int] = []
        for step in range(8):
            score = 2 * k.mean(0) - (2 * k[:, expected].sum(1) + 1) / (step + 1)
            score[expected] = -np.inf
            expected.append(int(score.argmax()))
        rng = np.random.default_rng(0)
        chosen = module._landmarks("prototypes", points, Rbf(0.5), 8, rng, JOB)
        assert chosen.tolist() == sorted(expected)

    @pytest.mark.parametrize("landmarks", ["k-means++", "prototypes"])
    def test_are_sought_in_a_part_of_many_points(
        self, monkeypatch: pytest.MonkeyPatch, landmarks: str
    ) -> None:
        monkeypatch.setattr(module, "_POOL", 50)
        one, other = (
            module._landmarks(
                landmarks, cloud(), Rbf(0.5), 10, np.random.default_rng(seed), JOB
            ).tolist()
            for seed in (0, 1)
        )
        assert one != other
        assert one[-1] > 50  # from all over


class TestChoice:
    def test_exact_up_to_5000_points(self) -> None:
        points, rng = torch.zeros(5000, 1), np.random.default_rng(0)
        assert kernels.approximate(points, Rbf(1), rng=rng, job=JOB) is None

    def test_landmarks_above(self) -> None:
        accuracy = found(cloud(5001, 2), sums="auto", rank=16).accuracy
        assert (accuracy.sums, accuracy.rank) == ("nystroem", 16)

    def test_any_can_be_forced(self) -> None:
        rng = np.random.default_rng(0)
        many = torch.zeros(6000, 1)
        assert kernels.approximate(many, Rbf(1), sums="exact", rng=rng, job=JOB) is None
        assert found(cloud(20), sums="nystroem").accuracy.rank == 20  # no more than there are
        assert found(cloud(20), sums="random-features", rank=64).accuracy.rank == 64

    def test_the_rank_is_lowered_to_what_fits(self) -> None:
        points = cloud(5001, 2)
        assert found(points, sums="auto", budget=9 * (5001 * 4 + 40 * 9)).accuracy.rank == 9
        assert found(points, sums="auto", budget=1).accuracy.rank == 1

    @pytest.mark.parametrize(
        ("sums", "takes", "most"), [("nystroem", 26, 112), ("random-features", 16, 126)]
    )
    def test_what_was_asked_for_and_does_not_fit_is_refused(
        self, sums: str, takes: int, most: int
    ) -> None:
        with pytest.raises(ResourceError) as caught:
            found(cloud(8192, 2), sums=sums, rank=512, budget=4 * 2**20)
        assert caught.value.message == (
            f"512 features of each of 8192 items take {takes} MiB; 4 MiB are allowed."
        )
        assert f"at most {most}," in caught.value.hint
        assert found(cloud(8192, 2), sums=sums, rank=most, budget=4 * 2**20).accuracy.rank == most
        with pytest.raises(ResourceError) as caught:
            found(cloud(8192, 2), sums=sums, rank=512, budget=5)
        assert caught.value.hint == "Choose sums=exact, which takes longer."

    def test_what_it_takes_to_compute_features_counts_as_well(self) -> None:
        for n, d, sums, rank in (
            (150, 784, "random-features", 300_000),
            (20_000, 4, "nystroem", 13_000),
        ):
            assert 4 * n * rank < module.FEATURE_BYTES
            with pytest.raises(ResourceError, match="1,024 MiB are allowed"):
                found(torch.zeros(n, d), sums=sums, rank=rank)

    def test_unknown_names_are_refused(self) -> None:
        with pytest.raises(ParameterError, match="way to sum “guess”"):
            found(cloud(), sums="guess")
        with pytest.raises(ParameterError, match="choose landmarks “best”"):
            found(cloud(), landmarks="best")


class TestAwkwardPoints:
    @EACH_LANDMARKS
    @EACH_KERNEL
    def test_copies(self, landmarks: str, name: str) -> None:
        points = cloud(40).repeat(5, 1)
        approximation = found(points, name, rank=100, landmarks=landmarks)
        np.testing.assert_allclose(
            approximation.features[:40], approximation.features[160:], atol=1e-4
        )
        assert approximation.accuracy.mean_error < 0.02

    @EACH_LANDMARKS
    def test_one_point_again_and_again(self, landmarks: str) -> None:
        approximation = found(torch.ones(60, 2), rank=30, landmarks=landmarks)
        np.testing.assert_allclose(product(approximation), 1, atol=1e-5)
        assert approximation.accuracy.share_of_spread == 0

    @pytest.mark.parametrize("sums", ["nystroem", "random-features"])
    @pytest.mark.parametrize("points", [cloud(1), cloud(2), cloud(50, 1), cloud(30, 784)])
    def test_few_points_or_columns(self, sums: str, points: torch.Tensor) -> None:
        approximation = found(points, sums=sums, rank=64, sigma=0.4 * points.shape[1] ** 0.5)
        assert bool(torch.isfinite(approximation.features).all())
        assert approximation.accuracy.mean_error < 0.15

    @pytest.mark.parametrize("sums", ["nystroem", "random-features"])
    @pytest.mark.parametrize("scale", [1e-30, 1e30])
    def test_any_scale(self, sums: str, scale: float) -> None:
        plain = found(cloud(), sums=sums, rank=40)
        scaled = found(cloud() * scale, sigma=0.5 * scale, sums=sums, rank=40)
        np.testing.assert_allclose(scaled.features, plain.features, atol=1e-3)

    def test_widths_far_from_any_distance(self) -> None:
        for sigma in (1e-200, 1e200):
            for sums in ("nystroem", "random-features"):
                assert bool(torch.isfinite(found(cloud(), sigma=sigma, sums=sums).features).all())

    def test_a_matrix_that_is_not_quite_positive_gets_more_on_its_diagonal(self) -> None:
        between = torch.ones(3, 3, dtype=torch.float64)
        between[0, 1] = between[1, 0] = 1 + 1e-5
        whitening = module._whitening(between)
        assert bool(torch.isfinite(whitening).all())
        inverse = torch.linalg.inv(between + 1e-4 * torch.eye(3, dtype=torch.float64))
        np.testing.assert_allclose(whitening @ whitening.T, inverse, rtol=1e-6)


def test_selected_prototypes_agree_with_exact_ones_for_groups_far_apart() -> None:
    rng = np.random.default_rng(3)
    centres = rng.random((6, 5)) * 20
    group = np.repeat(np.arange(6), [90, 80, 70, 60, 50, 40])
    points = torch.tensor(centres[group] + rng.standard_normal((390, 5)), dtype=torch.float32)
    exact = KernelMatrix(points, Rbf(1.5)).means(JOB)
    features = found(points, sigma=1.5, rank=128).features
    near = KernelMatrix(points, Rbf(1.5), features).means(JOB)
    assert group[int(exact.argmax())] == group[int(near.argmax())]
    assert np.corrcoef(exact, near)[0, 1] > 0.99


def test_all_stays_on_the_device_of_the_points(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a graphics card: "meta" is a device of its own, and none may be mixed with it."""
    monkeypatch.setattr(module, "_whitening", lambda between: between)  # it looks at values
    with FakeTensorMode():
        points = torch.empty(700, 3, device="meta")
        rng = np.random.default_rng(0)
        for features in (
            module.nystroem(points, Rbf(1.0), np.arange(20), JOB),
            module.random_features(points, Rbf(1.0), 20, rng, JOB),
        ):
            assert features.shape == (700, 20)
            assert features.device.type == "meta"
            assert features.dtype == torch.float32


@pytest.mark.parametrize("sums", ["nystroem", "random-features"])
@EACH_LANDMARKS
def test_the_work_can_be_stopped(sums: str, landmarks: str) -> None:
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        found(cloud(), sums=sums, landmarks=landmarks, rank=8, job=job)


def test_progress_is_reported() -> None:
    seen: list[tuple[int, int, str]] = []
    found(cloud(), rank=8, job=Job(lambda *step: seen.append(step)), text="Preparing")
    assert seen[0][1:] == (300, "Preparing")
