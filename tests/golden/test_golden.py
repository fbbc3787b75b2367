from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest

from engine.strategies import REGISTRY

HERE = Path(__file__).resolve().parent
GOLDEN = runpy.run_path(str(HERE / "regenerate.py"))


def test_every_strategy_has_a_golden_file() -> None:
    assert {GOLDEN["strategy_of"](case) for case in GOLDEN["CASES"]} == set(REGISTRY)


@pytest.mark.parametrize("case", list(GOLDEN["CASES"]))
def test_asks_and_finds_what_it_did(case: str) -> None:
    kept = json.loads((HERE / f"{case}.json").read_text(encoding="utf-8"))
    found = GOLDEN["play"](case)
    how = "python tests/golden/regenerate.py shows what differs; other picks need a new version"
    assert found["questions"] == kept["questions"], how
    assert found["ari"] == pytest.approx(kept["ari"], abs=1e-6), how
    assert found["version"] == kept["version"], how
