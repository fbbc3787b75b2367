"""What compositional methods are built of: functions, sets of groups, memberships."""

from __future__ import annotations

import itertools
import math
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from engine.compositional.functions import NAMED, function, unit
from engine.compositional.membership import Composed
from engine.compositional.sets import Sets, count, largest
from engine.dataset import label_parts
from engine.errors import ParameterError, ResourceError

AMPLE = 10**9


class Summing(torch.nn.Module):
    def forward(self, vectors: torch.Tensor) -> torch.Tensor:
        return torch.tanh(vectors).sum(-2)


class FirstOnly(torch.nn.Module):
    def forward(self, vectors: torch.Tensor) -> torch.Tensor:
        return vectors[..., 0, :] * 2


class Wide(torch.nn.Module):
    def forward(self, vectors: torch.Tensor) -> torch.Tensor:
        return torch.cat([vectors.sum(-2), vectors.sum(-2)], -1)


def weights(path, p: int = 3, **other) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(1)
    found = {"W1": rng.normal(size=(p, p)), "W2": rng.normal(size=(p, p))}
    found = {**found, "bias": rng.normal(size=p), **other}
    np.savez(path, **{name: array for name, array in found.items() if array is not None})
    return found


@pytest.mark.parametrize("name", NAMED)
def test_named_functions(name: str) -> None:
    g = function(name)
    rows = np.random.default_rng(0).normal(size=(5, 4, 3))
    expected = getattr(np, name)(rows, axis=1)
    np.testing.assert_allclose(g(torch.from_numpy(rows)), expected)
    np.testing.assert_allclose(g(torch.from_numpy(rows[:, ::-1].copy())), expected)
    np.testing.assert_array_equal(g(torch.from_numpy(rows[:, :1])), rows[:, 0])


def test_of_equal_elements_the_first_alone_has_a_gradient() -> None:
    vectors = torch.tensor([[1.0, 2.0], [1.0, 3.0], [1.0, 0.0]], requires_grad=True)
    function("max")(vectors).sum().backward()
    assert vectors.grad is not None
    assert vectors.grad.tolist() == [[1, 0], [0, 1], [0, 0]]


def test_bilinear_weights_in_rising_order(tmp_path) -> None:
    w = weights(tmp_path / "w.npz")
    g = function(str(tmp_path / "w.npz"), 3)

    def both(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return w["W1"] @ a + w["W1"] @ b + w["W2"] @ (a * b) + w["bias"]

    a, b, c = np.random.default_rng(0).normal(size=(3, 3))

    def of(*rows: np.ndarray) -> torch.Tensor:
        return g(torch.from_numpy(np.stack(rows)))

    np.testing.assert_array_equal(of(a), a)
    np.testing.assert_allclose(of(a, b), both(a, b))
    np.testing.assert_allclose(of(b, a), both(a, b))
    np.testing.assert_allclose(of(a, b, c), both(both(a, b), c))


@pytest.mark.parametrize(
    ("other", "told"),
    [
        ({"W2": None}, "lacks the bilinear weights W2"),
        ({"bias": np.zeros(4)}, "bilinear weights are"),
        ({"bias": np.zeros((3, 1))}, "bilinear weights are"),
        ({"W1": np.full((3, 3), np.nan)}, "must be finite"),
        ({"W1": np.array([["a"] * 3] * 3)}, "must be finite"),
    ],
)
def test_bad_weights(tmp_path, other, told: str) -> None:
    weights(tmp_path / "w.npz", **other)
    with pytest.raises(ParameterError, match=told):
        function(str(tmp_path / "w.npz"), 3)


def test_bad_names_and_files(tmp_path) -> None:
    weights(tmp_path / "w.npz")
    (tmp_path / "text.npz").write_text("no archive")
    (tmp_path / "text.pt").write_text("no module")
    for name, told in (
        ("product", "one of sum, max, mean"),
        ("nowhere.npz", "no file nowhere.npz"),
        (str(tmp_path / "text.npz"), "cannot be read"),
        (str(tmp_path / "text.pt"), "holds no module"),
    ):
        with pytest.raises(ParameterError, match=told):
            function(name)
    (tmp_path / "folder.npz").mkdir()
    with pytest.raises(ParameterError, match="is no file"):
        function(str(tmp_path / "folder.npz"))
    with pytest.raises(ParameterError, match="are for 3 features; the items have 5"):
        function(str(tmp_path / "w.npz"), 5)


def _zipped(file: Path, **members: bytes) -> None:
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)


def _no_archive(file: Path) -> None:
    with file.open("wb") as one:
        np.save(one, np.eye(3))


def _no_arrays(file: Path) -> None:
    _zipped(file, W1=b"one", W2=b"two", bias=b"three")


def _objects(file: Path) -> None:
    np.savez(file, W1=np.array([{}]), W2=np.eye(3), bias=np.zeros(3), allow_pickle=True)


def _endless(file: Path) -> None:
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000000), }"
    array = b"\x93NUMPY\x01\x00" + (len(header) + 1).to_bytes(2, "little") + header + b"\n"
    _zipped(file, W1=array, W2=array, bias=array)


def _odd_compression(file: Path) -> None:
    weights(file)
    content = bytearray(file.read_bytes())
    at = content.index(b"PK\x01\x02")
    content[at + 10 : at + 12] = (99).to_bytes(2, "little")
    file.write_bytes(content)


@pytest.mark.parametrize(
    "make", [_no_archive, _no_arrays, _objects, _endless, _odd_compression, Path.touch]
)
def test_damaged_weights_are_refused(tmp_path, make) -> None:
    make(tmp_path / "w.npz")
    with pytest.raises(ParameterError, match=r"^w\.npz"):
        function(str(tmp_path / "w.npz"), 3)


class Two(torch.nn.Module):
    def forward(self, vectors: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return vectors.sum(-2), vectors.sum(-2)


class Single(torch.nn.Module):
    def forward(self, vectors: torch.Tensor) -> torch.Tensor:
        return vectors.sum(-2).float()


class UpToThree(torch.nn.Module):
    def forward(self, vectors: torch.Tensor) -> torch.Tensor:
        assert vectors.shape[-2] < 4, "too many"
        return vectors.sum(-2)


class Normed(torch.nn.Module):
    """Gives another result while it is trained than afterwards."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = torch.nn.BatchNorm1d(3)

    def forward(self, vectors: torch.Tensor) -> torch.Tensor:
        summed = vectors.sum(-2)
        return self.norm(summed.view(-1, 3)).view(summed.shape)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(
    ("module", "told"), [(Two, "a tensor"), (Single, "of the type"), (UpToThree, "4 groups")]
)
def test_modules_that_cannot_be_used_are_refused(tmp_path, module, told: str) -> None:
    torch.jit.save(torch.jit.script(module()), tmp_path / "m.pt")
    with pytest.raises(ParameterError, match=told):
        function(str(tmp_path / "m.pt"), 3)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_module_is_not_trained_any_more(tmp_path) -> None:
    torch.jit.save(torch.jit.script(Normed().double()), tmp_path / "m.pt")
    g = function(str(tmp_path / "m.pt"), 3)
    vectors = torch.rand(2, 2, 3, dtype=torch.float64)
    torch.testing.assert_close(g(vectors[:1]), g(vectors)[:1])


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_modules_of_ones_own(tmp_path) -> None:
    def saved(module: torch.nn.Module) -> str:
        path = tmp_path / f"{type(module).__name__}.pt"
        torch.jit.save(torch.jit.script(module), path)
        return str(path)

    g = function(saved(Summing()), 3)
    vectors = torch.rand(7, 2, 3, dtype=torch.float64, requires_grad=True)
    torch.testing.assert_close(g(vectors), torch.tanh(vectors).sum(-2))
    torch.testing.assert_close(g(vectors[:, :1]), vectors[:, 0])
    assert g(vectors).requires_grad
    with pytest.raises(ParameterError, match="order of the groups"):
        function(saved(FirstOnly()), 3)
    with pytest.raises(ParameterError, match=r"\(2, 3\), not \(2, 6\)"):
        function(saved(Wide()), 3)


def test_unit_vectors() -> None:
    found = unit(torch.tensor([[3.0, 4.0], [0.0, 0.0]]))
    torch.testing.assert_close(found, torch.tensor([[0.6, 0.8], [0.0, 0.0]]))


@pytest.mark.parametrize(("k", "degree"), [(1, 1), (1, 4), (4, 1), (5, 2), (6, 3), (6, 4), (3, 4)])
def test_sets_by_size_then_lexicographically(k: int, degree: int) -> None:
    sets = Sets.of(k, degree, 1, AMPLE)
    expected = [
        members
        for size in range(1, degree + 1)
        for members in itertools.combinations(range(k), size)
    ]
    assert sets.count == count(k, degree) == len(expected)
    assert [sets.members(at) for at in range(sets.count)] == expected
    assert [sets.index(members[::-1]) for members in expected] == list(range(sets.count))
    table = sets.incidence()
    assert [tuple(np.flatnonzero(row)) for row in table] == expected
    for wrong in (-1, sets.count):
        with pytest.raises(IndexError):
            sets.members(wrong)


@pytest.mark.parametrize("members", [(), (0, 0), (5,), (-1, 2), (0, 1, 2)])
def test_no_such_set(members: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="no set"):
        Sets.of(5, 2, 1, AMPLE).index(members)


def test_what_does_not_fit_is_refused_before_it_is_built() -> None:
    with pytest.raises(ResourceError, match="10,000 groups make 50,005,000 sets") as refused:
        Sets.of(10_000, 2, 10_000, AMPLE)
    assert "at most 157 groups" in refused.value.hint
    assert Sets.of(157, 2, 10_000, AMPLE).count * 10_000 * 8 <= AMPLE
    with pytest.raises(ResourceError):
        Sets.of(158, 2, 10_000, AMPLE)
    for degree in (0, 5):
        with pytest.raises(ParameterError, match="from 1 to 4"):
            Sets.of(3, degree, 1, AMPLE)


@given(st.integers(1, 4), st.integers(1, 50), st.integers(0, 10**6))
def test_the_largest_that_fits(degree: int, rows: int, memory: int) -> None:
    k = largest(degree, rows, memory)
    assert k == 0 or rows * count(k, degree) * 8 <= memory
    assert rows * count(k + 1, degree) * 8 > memory


def test_composed_in_any_blocks() -> None:
    sets = Sets.of(6, 3, 1, AMPLE)
    singles = torch.rand(2, 6, 4, dtype=torch.float64, requires_grad=True)
    expected = torch.stack(
        [singles[:, list(sets.members(at))].sum(1) for at in range(sets.count)], 1
    )
    composed = sets.composed(singles, function("sum"))
    torch.testing.assert_close(composed, expected)
    parts = list(sets.in_blocks(singles, function("sum"), values=100))
    assert len(parts) > 6
    assert [at for part, _ in parts for at in range(part.start, part.stop)] == list(range(41))
    (gradient,) = torch.autograd.grad(composed.sum(), singles)
    uses = sum(math.comb(5, size) for size in range(3))
    torch.testing.assert_close(gradient, torch.full_like(gradient, uses))


def test_memberships_are_numbered_as_they_are_met() -> None:
    composed = Composed.of(
        [(3,), (1, 3), (0,), (1,), (3, 1)],
        np.array([1, 0, 4, 3, 0]),
        np.array([1.0, 2.0, 3.0, 0.0, 0.0]),
        np.array([3.0, 2.0, np.inf, 0.0, 1.0]),
        np.array([1.5, 2.0, 3.5, 0.0, 0.5]),
        np.arange(8.0).reshape(4, 2),
    )
    # 1 is met first, with 3; 0 and 2 belong to nobody
    assert composed.sets == ((0,), (1,), (0, 1))
    assert composed.chosen.tolist() == [2, 1, 2, 0, 1]
    assert composed.centres.tolist() == [[2, 3], [6, 7]]
    assert (composed.n, composed.groups, composed.degree) == (5, 2, 2)
    assert composed.memberships.tolist() == [
        [True, True],
        [False, True],
        [True, True],
        [True, False],
        [False, True],
    ]
    assert composed.confidence.tolist() == [0.5, 0, 1, 0, 1]
    assert composed.item_sets() == [(0, 1), (1,), (0, 1), (0,), (1,)]
    (composition,) = composed.compositions
    assert (composition.groups, composition.items, composition.fit) == ((0, 1), 2, 2)
    assert composed.as_clustering().labels.tolist() == [0, 1, 0, 2, 1]
    with pytest.raises(ValueError, match="read-only"):
        composed.chosen[0] = 1
    with pytest.raises(ValueError, match="belongs to some group"):
        Composed.of([()], np.zeros(1, int), *np.zeros((3, 1)), np.zeros((1, 1)))


def test_labels_that_name_several_groups() -> None:
    assert label_parts("a+b") == label_parts(" b + a ") == {"a", "b"}
    assert label_parts("a") == label_parts("a+a") == {"a"}
    assert label_parts("C++") == {"C"}
    assert label_parts("+") == {"+"}
