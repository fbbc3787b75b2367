"""The set-up script: plain Python, and it installs once only."""

from __future__ import annotations

import ast
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "packaging" / "bootstrap.py"


@pytest.fixture
def bootstrap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("bootstrap", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "VENV", tmp_path)
    monkeypatch.setattr(module, "STAMP", tmp_path / "stamp.txt")
    return module


def test_it_needs_the_standard_library_only() -> None:
    tree = ast.parse(SCRIPT.read_text(encoding="utf-8"))
    names = {
        alias.name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    } | {
        (node.module or "").split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
    }
    assert names <= sys.stdlib_module_names


def test_a_stamp_saves_the_second_installation(bootstrap: ModuleType) -> None:
    bootstrap.STAMP.write_text(bootstrap.fingerprint("test") + "\n", encoding="utf-8")
    # Neither touches anything: the folder that stands for the environment stays as it is.
    bootstrap.install("test")
    bootstrap.install("dicom,tiff")
    assert [path.name for path in bootstrap.VENV.iterdir()] == ["stamp.txt"]


@pytest.mark.skipif(sys.platform != "linux", reason="the loader of this system has no such names")
def test_missing_libraries_are_named_by_their_package(bootstrap: ModuleType) -> None:
    found = bootstrap.missing_packages({"libc.so.6": "libc6", "libnowhere.so.9": "nowhere"})
    assert found == ["nowhere"]
