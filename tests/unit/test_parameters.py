from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from engine import clusterers, strategies
from engine.errors import ParameterError
from engine.parameters import (
    LARGEST_FILE,
    Parameter,
    checked,
    describe,
    parse,
    texts,
    unmarked,
    words,
)


@dataclass(frozen=True)
class Settings:
    groups: int = field(metadata={"least": 1, "help": "How many."})
    width: float = field(default=0.25, metadata={"above": 0})
    rule: str = field(default="fixed", metadata={"choices": ("fixed", "median")})
    exact: bool = field(default=True, metadata={"more": True})
    share: float = field(default=0.5, metadata={"least": 0.0, "most": 1.0})


def test_describes_every_field() -> None:
    assert describe(Settings) == (
        Parameter("groups", int, None, (), "How many.", least=1),
        Parameter("width", float, "0.25", (), "", above=0),
        Parameter("rule", str, "fixed", ("fixed", "median"), ""),
        Parameter("exact", bool, "yes", (), "", more=True),
        Parameter("share", float, "0.5", (), "", least=0.0, most=1.0),
    )


def test_what_is_not_given_keeps_its_default() -> None:
    assert parse("x", Settings, {"groups": " 3 "}) == Settings(3)


def test_text_and_back() -> None:
    settings = Settings(groups=7, width=1 / 3, rule="median", exact=False)
    assert parse("x", Settings, texts(settings)) == settings


def test_words_with_spaces_stand_in_quotation_marks() -> None:
    assert words('a b=1 "c=x y"  "d= z" e=it\'s f=C:\\w#1') == [
        "a", "b=1", "c=x y", "d= z", "e=it's", "f=C:\\w#1",
    ]  # fmt: skip
    assert words(" ") == []
    with pytest.raises(ParameterError, match="not closed"):
        words('a "b=1')


@dataclass(frozen=True)
class Filed:
    weights: str = field(default="sum", metadata={"files": (".npz",), "choices": ("sum", "max")})


def test_a_file_is_marked_by_its_content(tmp_path: Path) -> None:
    def read(text: str) -> str:
        return parse("x", Filed, {"weights": text}).weights

    file = tmp_path / "w#1.NPZ"
    with pytest.raises(ParameterError, match="there is no file"):
        read(str(file))
    file.write_bytes(b"one")
    one = read(str(file))
    assert unmarked(one)[0] == str(file)
    assert read(one) == one == read(str(file))
    file.write_bytes(b"two")
    assert read(str(file)) != one
    assert read(one) == one
    (tmp_path / "folder.npz").mkdir()
    with pytest.raises(ParameterError, match="is no file"):
        read(str(tmp_path / "folder.npz"))
    with pytest.raises(ParameterError, match="cannot be read"):
        read(str(tmp_path / ("w" * 300 + ".npz")))
    with (tmp_path / "large.npz").open("wb") as large:
        large.truncate(LARGEST_FILE + 1)
    with pytest.raises(ParameterError, match="is larger than"):
        read(str(tmp_path / "large.npz"))
    assert read("max") == "max"
    assert unmarked("max") == ("max", None)
    odd = tmp_path / "a\nb.npz"
    odd.write_bytes(b"one")
    assert unmarked(read(str(odd))) == (str(odd), unmarked(one)[1])
    with pytest.raises(ParameterError, match=r"one of sum, max or a file \(.npz\), not 'min'"):
        read("min")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"groups": "3", "colour": "red"}, "no parameter 'colour'; it has: groups, width, rule"),
        ({}, "needs the parameter 'groups'"),
        ({"groups": "three"}, "groups must be a whole number, not 'three'"),
        ({"groups": "2.5"}, "groups must be a whole number"),
        ({"groups": "0"}, "groups must be at least 1"),
        ({"groups": "3", "width": "0"}, "width must be above 0"),
        ({"groups": "3", "width": "nan"}, "width must be a finite number"),
        ({"groups": "3", "width": "inf"}, "width must be a finite number"),
        ({"groups": "3", "width": "wide"}, "width must be a number, not 'wide'"),
        ({"groups": "3", "rule": "any"}, "rule must be one of fixed, median, not 'any'"),
        ({"groups": "3", "exact": "perhaps"}, "exact must be yes or no"),
        ({"groups": "3", "share": "1.5"}, "share must be at most 1, not '1.5'"),
    ],
)
def test_says_what_is_allowed(given: dict[str, str], message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        parse("x", Settings, given)
    assert message in caught.value.message
    assert "\n" not in caught.value.message


@pytest.mark.parametrize(
    ("at", "text"), [(0, "0"), (0, ""), (1, "0"), (1, "nan"), (2, "any"), (3, "perhaps")]
)
def test_one_text_is_refused_as_with_all(at: int, text: str) -> None:
    parameter = describe(Settings)[at]
    with pytest.raises(ParameterError) as alone:
        checked(parameter, text)
    with pytest.raises(ParameterError) as with_all:
        parse("x", Settings, {"groups": "3", parameter.name: text})
    assert with_all.value.message == f"x: {alone.value.message}"


@pytest.mark.parametrize(
    ("at", "text", "written"),
    [
        (0, " 007 ", "7"),
        (1, "3", "3.0"),
        (1, ".3", "0.3"),
        (2, "median ", "median"),
        (3, "1", "yes"),
    ],
)
def test_a_text_is_written_as_its_value_is(at: int, text: str, written: str) -> None:
    assert checked(describe(Settings)[at], text) == written


def test_names_of_strategies_and_methods_are_a_contract() -> None:
    assert {"falcon", "random"} <= set(strategies.REGISTRY)
    assert {"kmeans", "tahc"} <= set(clusterers.REGISTRY)
    for registry in (strategies, clusterers):
        for name, entry in registry.REGISTRY.items():
            assert entry.name == name
            assert entry.version >= 1
            for parameter in registry.parameters(name):
                assert parameter.help


def test_unknown_names_are_refused_with_those_known() -> None:
    for call in (strategies.parameters, lambda name: strategies.make(name, {})):
        there_are = "no strategy 'magic'; there are: " + ", ".join(strategies.REGISTRY)
        with pytest.raises(ParameterError, match=there_are):
            call("magic")
    for call in (clusterers.parameters, lambda name: clusterers.make(name, {})):
        with pytest.raises(ParameterError, match="no method 'magic'; there are: kmeans"):
            call("magic")


def test_a_whole_number_may_exceed_what_floats_hold() -> None:
    assert parse("x", Settings, {"groups": "9" * 400}).groups == int("9" * 400)
