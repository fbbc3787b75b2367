"""The rules of the house, read off the syntax trees: who may import whom, and what stays light."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# Rooms from the ground up: a module imports only from rooms below its own, or from its own room.
ENGINE_FLOORS = [
    {"errors", "model"},
    {"job", "loading"},
    {"answers", "constraints", "dataset", "hierarchy", "problem"},
    {"device", "kernels", "metrics", "neighbors", "parameters", "confidence", "outfile"},
    {"readers", "penalised", "diffusion", "forest", "spreading"},
    {"embedders", "strategies", "clusterers", "compositional", "overview", "layout"},
    {"choices", "project", "suggestions"},
    {"fold"},
    {"showing"},
    {"session"},
    {"study"},
    {"simulate", "export", "constraint_table"},
    {"compare"},
    {"cli"},
    {"__main__"},
]
DESKTOP_FLOORS = [
    {
        "messages",
        "paths",
        "samples",
        "settings",
        "sources",
        "strategies",
        "translation",
        "versions",
        "doctor",
    },
    {"worker", "log"},
    {"controller", "theme", "style"},
    {"images", "pictures", "actions"},
    {"widgets"},
    {"pages", "docks", "dialogs"},
    {"main_window"},
    {"demo", "launch"},
    {"app"},
    {"__main__"},
]
BANNED = {
    "engine": {"PySide6", "pyqtgraph", "shiboken6", "desktop"},
    "desktop": {"scipy", "torch", "sqlite3", "sklearn"},
}
# What the window knows of the engine: values. The rest is the worker's.
ENGINE_OF_VIEWS = {
    "engine.compare",
    "engine.dataset",
    "engine.errors",
    "engine.hierarchy",
    "engine.model",
    "engine.parameters",
    "engine.readers",
    "engine.suggestions",
}
CRAMPED_NAMES = {"utils", "helpers", "manager", "common", "misc"}


def modules(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def imports(path: Path) -> Iterator[str]:
    """Yield the dotted names a module imports, also inside functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def room(path: Path) -> str:
    return path.relative_to(ROOT).parts[1].removesuffix(".py")


def floor(floors: list[set[str]], name: str) -> int:
    found = [level for level, rooms in enumerate(floors) if name in rooms]
    assert found, f"{name} has no room: give it one in {Path(__file__).name}"
    return found[0]


@pytest.mark.parametrize(
    ("package", "floors"), [("engine", ENGINE_FLOORS), ("desktop", DESKTOP_FLOORS)]
)
def test_imports_go_one_way(package: str, floors: list[set[str]]) -> None:
    for path in modules(package):
        if path == ROOT / package / "__init__.py":
            continue
        here = room(path)
        for name in imports(path):
            parts = name.split(".")
            if parts[0] != package or len(parts) < 2:
                continue
            there = parts[1]
            if there == here or not (
                (ROOT / package / there).is_dir() or (ROOT / package / f"{there}.py").exists()
            ):
                continue
            assert floor(floors, there) <= floor(floors, here), f"{path}: imports {name}"


@pytest.mark.parametrize("package", ["engine", "desktop"])
def test_banned_imports(package: str) -> None:
    for path in modules(package):
        found = {name.split(".")[0] for name in imports(path)} & BANNED[package]
        assert not found, f"{path}: imports {found}"


def test_only_the_worker_opens_studies() -> None:
    for path in modules("desktop"):
        if path.name == "worker.py":
            continue
        for name in imports(path):
            if name.split(".")[0] == "engine":
                assert any(
                    name == known or name.startswith(known + ".") for known in ENGINE_OF_VIEWS
                ), f"{path}: imports {name}"


def test_names_say_what_is_inside() -> None:
    for package in ("engine", "desktop"):
        for path in modules(package):
            assert not CRAMPED_NAMES & set(path.with_suffix("").parts), path
            assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), path


def test_import_engine_is_light() -> None:
    code = (
        "import sys, engine.session, engine.strategies, engine.embedders, engine.clusterers\n"
        "import engine.compositional\n"
        "print([m for m in ('torch', 'scipy', 'PySide6', 'sklearn') if m in sys.modules])"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert shown.stdout.strip() == "[]"


def test_packages_are_listed_and_ours_alone() -> None:
    listed = set(
        tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"][
            "packages"
        ]
    )
    found = {
        ".".join(path.parent.relative_to(ROOT).parts)
        for package in ("engine", "desktop")
        for path in (ROOT / package).rglob("__init__.py")
    }
    assert listed == found
    owners = packages_distributions()
    for package in ("engine", "desktop"):
        assert set(owners.get(package, ["pairloom"])) == {"pairloom"}
    # Either would shadow an installed package of the same name.
    assert not (ROOT / "packaging" / "__init__.py").exists()
    assert not (ROOT / "resources" / "__init__.py").exists()
