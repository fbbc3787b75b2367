"""Problem: the points to be clustered, one seed, and the cache that makes replay cheap."""

from __future__ import annotations

import copy
import hashlib
import sys
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from engine.constraints import Known
from engine.errors import EmbeddingError
from engine.model import IntArray

if TYPE_CHECKING:
    import torch

T = TypeVar("T")


class Shelf(Protocol):
    """A place for small results that outlives the process: the project file."""

    def load_indices(self, key: str) -> IntArray | None:
        """Return what was saved under `key`."""
        ...

    def save_indices(self, key: str, indices: IntArray) -> None:
        """Keep `indices` under `key`."""
        ...


class StepCache:
    """Results of pure, costly steps by key, bounded in bytes (least recently used go first).

    Parameters
    ----------
    budget
        Bytes of arrays and tensors kept.
    shelf
        Where `indices` are kept for the next time the project is opened.
    """

    def __init__(self, budget: int = 512 * 2**20, shelf: Shelf | None = None) -> None:
        self._budget = budget
        self._shelf = shelf
        self._held = 0
        self._entries: OrderedDict[Hashable, tuple[object, int]] = OrderedDict()

    def get(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Return the result under `key`, computing it when it is not held.

        `compute` must be a pure function of `key` and the problem's points and seed.
        """
        if key in self._entries:
            self._entries.move_to_end(key)
            return self._entries[key][0]  # type: ignore[return-value]
        value = compute()
        size = _nbytes(value)
        self._entries[key] = (value, size)
        self._held += size
        while self._held > self._budget and len(self._entries) > 1:
            _, (_, freed) = self._entries.popitem(last=False)
            self._held -= freed
        return value

    def held(self, key: Hashable) -> object | None:
        """Return the result under `key` if it is held, else None; nothing is computed."""
        if key not in self._entries:
            return None
        self._entries.move_to_end(key)
        return self._entries[key][0]

    def indices(self, key: str, compute: Callable[[], npt.ArrayLike]) -> IntArray:
        """Return small results (item ids), from the shelf when an earlier session left them.

        `key` names strategy, its version and every parameter the result depends on.
        """

        def load_or_compute() -> IntArray:
            held = self._shelf.load_indices(key) if self._shelf else None
            if held is None:
                held = np.asarray(compute(), dtype=np.int32)
                if self._shelf:
                    self._shelf.save_indices(key, held)
            return held

        return self.get(("indices", key), load_or_compute)


class Contents:
    """What is in the files that parameters name, by the mark of it.

    Parameters
    ----------
    shelf
        Where it is kept for the next time the project is opened, once somebody chose to use it.
    """

    def __init__(self, shelf: Shelf | None = None) -> None:
        self._shelf = shelf
        self._held: dict[str, bytes] = {}

    def get(self, mark: str) -> bytes | None:
        """Return the content with a mark, None where it is not held."""
        if mark not in self._held and self._shelf is not None:
            kept = self._shelf.load_indices(_CONTENT.format(mark))
            if kept is not None:
                self._held[mark] = kept[1:].astype("<i4").tobytes()[: int(kept[0])]
        return self._held.get(mark)

    def hold(self, mark: str, content: bytes) -> None:
        """Hold a content for as long as the problem is worked on."""
        self._held[mark] = content

    def keep(self, mark: str) -> None:
        """Put on the shelf what is held."""
        key, content = _CONTENT.format(mark), self._held.get(mark)
        if self._shelf is None or content is None or self._shelf.load_indices(key) is not None:
            return
        padded = np.frombuffer(content + bytes(-len(content) % 4), "<i4")
        self._shelf.save_indices(key, np.concatenate([[len(content)], padded]).astype(np.int32))


_CONTENT = "content {}"


def _nbytes(value: object) -> int:
    """Bytes held by a result: arrays, tensors, and containers of them."""
    nbytes = getattr(value, "nbytes", None)
    if isinstance(nbytes, int):
        return nbytes
    if isinstance(value, (tuple, list, set, frozenset)):
        return sys.getsizeof(value) + sum(_nbytes(part) for part in value)
    if isinstance(value, Mapping):
        return sys.getsizeof(value) + sum(map(_nbytes, [*value.keys(), *value.values()]))
    if hasattr(value, "__dict__"):
        return sum(_nbytes(part) for part in vars(value).values())
    slots = getattr(type(value), "__slots__", ())
    if slots:
        return sum(_nbytes(getattr(value, name, None)) for name in slots)
    return sys.getsizeof(value)


class Problem:
    """What a strategy or clusterer works on.

    Parameters
    ----------
    points
        float[n, d], finite, n >= 1. Kept as float32.
    seed
        The project's one seed; every random stream derives from it by name.
    set_aside
        Item ids that must not be asked about.
    device
        Where large sums are computed: a name that `engine.device.choose` knows.

    Attributes
    ----------
    points
        float32[n, d], read-only.
    known
        What answers that another strategy asked for say; a strategy begins with it. Steps that
        depend on it have it in their key.
    steps
        Results of costly steps.
    contents
        What is in files that parameters name; the same for all problems made of this one.
    fingerprint
        Tells these points from any others: what is kept for some must never serve others. Part of
        every step's key, for a shelf outlives the problem.

    Raises
    ------
    EmbeddingError
        For an empty or non-finite array.
    """

    def __init__(
        self,
        points: npt.ArrayLike,
        seed: int = 0,
        *,
        set_aside: frozenset[int] = frozenset(),
        steps: StepCache | None = None,
        contents: Contents | None = None,
        device: str = "auto",
    ) -> None:
        array = np.array(points, dtype=np.float32, copy=True, order="C")
        if array.ndim != 2 or array.shape[0] == 0:
            raise EmbeddingError(f"expected at least one row of features, got shape {array.shape}")
        if not np.isfinite(array).all():
            row, column = np.argwhere(~np.isfinite(array))[0]
            raise EmbeddingError(f"features must be finite; row {row}, column {column} is not")
        self._rows = array
        self.points = array.view()
        self.points.flags.writeable = False
        self.seed = seed
        self.set_aside = set_aside
        self.known = Known()
        self.steps = steps or StepCache()
        self.contents = contents or Contents()
        self.device = device
        self.fingerprint = hashlib.blake2b(
            array.data,
            digest_size=8,
            person=self.n.to_bytes(8, "little") + self.d.to_bytes(8, "little"),
        ).hexdigest()

    @property
    def n(self) -> int:
        """Number of items."""
        return int(self.points.shape[0])

    @property
    def d(self) -> int:
        """Number of features."""
        return int(self.points.shape[1])

    @property
    def tensor(self) -> torch.Tensor:
        """The points as a float32 torch tensor [n, d] over the same memory: never write to it."""
        import torch

        return torch.from_numpy(self._rows)  # not of `points`: torch warns of what is read-only

    def rng(self, purpose: str) -> np.random.Generator:
        """Give the random stream of one purpose, such as "falcon.width".

        Streams are independent of each other and of the order in which they are asked for.
        """
        digest = hashlib.blake2b(f"{self.seed}:{purpose}".encode(), digest_size=16).digest()
        return np.random.default_rng(int.from_bytes(digest, "little"))

    def without(self, set_aside: frozenset[int], known: Known | None = None) -> Problem:
        """Give the same problem with other items set aside, and what is known of the others.

        The step cache is shared.
        """
        other = copy.copy(self)
        other.set_aside = set_aside
        other.known = known or Known()
        return other

    def moved(self, points: npt.ArrayLike) -> Problem:
        """Give the same items with other features; seed and step cache are shared."""
        return Problem(
            points, self.seed, steps=self.steps, contents=self.contents, device=self.device
        )

    def apart(self) -> Problem:
        """Give the same problem with nothing set aside and a step cache of its own, in memory."""
        other = self.without(frozenset())
        other.steps = StepCache()
        return other
