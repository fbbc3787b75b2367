from __future__ import annotations

import pytest
import torch

from engine import device
from engine.errors import ParameterError, ResourceError


def there(monkeypatch: pytest.MonkeyPatch, *, cuda: bool, mps: bool) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)


@pytest.mark.parametrize(
    ("cuda", "mps", "expected"),
    [(True, True, "cuda"), (True, False, "cuda"), (False, True, "mps"), (False, False, "cpu")],
)
def test_auto_takes_the_fastest_for_large_problems_only(
    monkeypatch: pytest.MonkeyPatch, cuda: bool, mps: bool, expected: str
) -> None:
    there(monkeypatch, cuda=cuda, mps=mps)
    assert device.choose("auto", 70_000, 64).type == expected
    assert device.choose("auto", 31_250, 64).type == expected
    assert device.choose("auto", 31_249, 64).type == "cpu"
    assert device.choose("auto", 1, 1).type == "cpu"


def test_one_asked_for_is_taken_whatever_the_size(monkeypatch: pytest.MonkeyPatch) -> None:
    there(monkeypatch, cuda=True, mps=True)
    for name in ("cpu", "cuda", "mps"):
        assert device.choose(name, 3, 2).type == name
        assert device.choose(name, 10**6, 100).type == name


def test_one_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    there(monkeypatch, cuda=False, mps=True)
    with pytest.raises(ResourceError) as caught:
        device.choose("cuda", 10, 2)
    assert "cuda" in caught.value.message
    assert caught.value.hint == "Choose auto, or one of those found here: mps, cpu."


def test_unknown_names_are_refused() -> None:
    with pytest.raises(ParameterError) as caught:
        device.choose("gpu", 10, 2)
    assert caught.value.hint == "Choose one of auto, cpu, cuda, mps."


def test_the_processor_is_always_there() -> None:
    assert device.available()[-1] == "cpu"


def test_mps_has_no_float64() -> None:
    assert device.widest(torch.device("mps")) == torch.float32
    assert device.widest(torch.device("cpu")) == torch.float64
    assert device.widest(torch.device("cuda")) == torch.float64
