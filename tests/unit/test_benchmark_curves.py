"""The measuring of learning curves: what it counts, keeps, and does when something fails."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PySide6.QtGui import QImage

from engine.dataset import SourceKind
from engine.errors import DatasetError, ParameterError
from engine.job import Job
from engine.simulate import Oracle, simulate
from engine.study import Study
from tests.benchmark import curves, drawing, scores
from tests.benchmark.crew import Failure, done_side_by_side
from tests.benchmark.labelled import Described, Order, Source, describe, find
from tests.benchmark.runs import Book, Run, carry_out, method

BUDGET = 12


def blobs(path: Path, size: int = 10, seed: int = 0) -> Path:
    """Three groups, filed group by group, and one exact copy."""
    rng = np.random.default_rng(seed)
    points = np.concatenate([rng.normal(3 * group, 0.6, (size, 3)) for group in range(3)])
    points[-1] = points[-2]
    np.savez(path, X=points, y=np.repeat(range(3), size))
    return path


def described(path: Path, **changes) -> Described:
    settings = {"embedder": "auto", "label": None, "most_rows": None, "folder": path.parent}
    found = describe(Order(Source(path.stem, path), **(settings | changes)))
    assert found is not None
    return found


def half(piece: int) -> int:
    if piece == 13:
        raise ValueError("thirteen")
    if piece == 14:
        os._exit(7)
    if piece == 15:
        raise DatasetError("fifteen is no number", "Take another.")
    return piece // 2


def test_pieces_that_fail_are_named_and_stop_no_other():
    done = dict(done_side_by_side(half, [2, 13, 14, 15, 4, 6], jobs=2))
    assert {piece: done[piece] for piece in (2, 4, 6)} == {2: 1, 4: 2, 6: 3}
    assert done[13].reason == "ValueError: thirteen"
    assert "in half" in done[13].trace
    assert done[14] == Failure("its process ended with exit status 7")
    assert done[15] == Failure("fifteen is no number. Take another.")


def test_every_table_in_a_folder_is_a_set_and_names_choose(tmp_path: Path):
    for name in ("b", "a", "aa"):
        blobs(tmp_path / f"{name}.npz")
    (tmp_path / "README.md").write_text("no set")
    assert [source.name for source in find([tmp_path])] == ["a", "aa", "b"]
    assert [source.name for source in find([tmp_path], ["a*"])] == ["a", "aa"]
    assert [source.name for source in find([tmp_path / "b.npz"])] == ["b"]
    with pytest.raises(ParameterError, match="no data set is called c"):
        find([tmp_path], ["a", "c"])
    with pytest.raises(ParameterError, match="two data sets are called b"):
        find([tmp_path, tmp_path / "b.npz"])


def test_sets_are_read_as_the_product_does(tmp_path: Path):
    found = described(blobs(tmp_path / "blobs.npz"))
    assert (found.n, found.d, found.k) == (29, 3, 3)  # without the copy
    assert describe(Order(Source("x", tmp_path / "blobs.npz"), "auto", None, 28, tmp_path)) is None
    table = tmp_path / "table.csv"
    table.write_text("size,weight,kind\n1,5,p\n2,3,p\n4,4,\n9,1,q\n")
    found = described(table, label="kind")
    with np.load(found.arrays) as held:
        assert held["y"].tolist() == [0, 0, -1, 1]
        assert held["X"].min() == 0
        assert held["X"].max() == 1


def test_pictures_are_described_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    pictures = tmp_path / "shapes"
    for place in range(6):
        folder = pictures / f"kind {place % 2}"
        folder.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (8, 8), (40 * place, 200 * (place % 2), 0)).save(folder / f"{place}.png")
    found = described(pictures, embedder="pixels", folder=tmp_path)
    assert (found.name, found.n, found.k) == ("shapes", 6, 2)
    monkeypatch.setattr(
        "engine.embedders.pixels.PixelsEmbedder.embed",
        lambda *_: pytest.fail("described again"),
    )
    assert described(pictures, embedder="pixels", folder=tmp_path) == found


def test_a_strategy_is_named_with_its_parameters():
    plain = method("falcon  width=fixed")
    assert (plain.label, plain.strategy, plain.params["width"]) == (
        "falcon width=fixed",
        "falcon",
        "fixed",
    )
    assert method("narrow one: falcon width=fixed").label == "narrow one"
    assert set(method("falcon").params) == set(plain.params)  # defaults are written down
    for wrong in ("falcn", "falcon width", "falcon width=flat", ""):
        with pytest.raises(ParameterError):
            method(wrong)


def test_a_strategy_may_be_told_the_true_number_of_groups(tmp_path: Path):
    data = described(blobs(tmp_path / "blobs.npz"))
    told, named, untold = (
        carry_out(Run(data, method("active-pck" + groups), 0, 0.0, BUDGET))
        for groups in (" groups=true", " groups=3", "")
    )
    assert told["ari"] == named["ari"] != untold["ari"]
    assert told["params"] == {"groups": "true"}
    with pytest.raises(ParameterError):
        method("falcon groups=true")


def test_a_run_in_the_order_of_the_file_is_what_the_product_does(tmp_path: Path):
    path = blobs(tmp_path / "blobs.npz")
    record = carry_out(Run(described(path), method("falcon"), None, 0.1, BUDGET))
    with Study.create(path, Job(), path=None, strategy="falcon", seed=0) as study:
        assert study.dataset.kind is SourceKind.ARRAY
        curve = simulate(study.session, Oracle(study.truth(), 0.1, 0), BUDGET, Job())
    assert record["ari"] == [round(value, 6) for value in curve.ari]
    assert record["asked"] == curve.asked


def test_a_seed_shuffles_the_rows_and_gives_the_same_again(tmp_path: Path):
    data = described(blobs(tmp_path / "blobs.npz"))
    chosen = method("random")
    runs = [Run(data, chosen, seed, 0.0, BUDGET) for seed in (None, 0, 1, 1)]
    filed, first, second, again = (carry_out(run)["ari"] for run in runs)
    assert second == again
    assert filed != first != second


def test_a_run_is_known_by_all_that_it_depends_on(tmp_path: Path):
    data = described(blobs(tmp_path / "blobs.npz"))
    other = described(blobs(tmp_path / "other.npz", seed=1))
    plain = method("falcon")
    keys = {
        Run(*parts).key
        for parts in (
            (data, plain, 0, 0.0, 5),
            (other, plain, 0, 0.0, 5),
            (data, method("falcon width=fixed"), 0, 0.0, 5),
            (data, method("random"), 0, 0.0, 5),
            (data, plain, 1, 0.0, 5),
            (data, plain, None, 0.0, 5),
            (data, plain, 0, 0.1, 5),
            (data, plain, 0, 0.0, 6),
        )
    }
    assert len(keys) == 8
    assert Run(data, method("label: falcon"), 0, 0.0, 5).key in keys  # but not by its label


def test_a_line_cut_off_in_the_book_costs_that_run_only(tmp_path: Path):
    data = described(blobs(tmp_path / "blobs.npz"))
    runs = [Run(data, method("random"), seed, 0.0, 3) for seed in (0, 1)]
    path = tmp_path / "runs.jsonl"
    book = Book(path)
    for run in runs:
        book.add({"key": run.key, "ari": [0.0]})
    path.write_bytes(path.read_bytes()[:-9])
    book = Book(path)
    assert [book.get(run) is not None for run in runs] == [True, False]
    book.add({"key": runs[1].key, "ari": [1.0]})
    assert Book(path).get(runs[1]) == {"key": runs[1].key, "ari": [1.0]}


def flat(**means: dict[str, float]) -> scores.Curves:
    return {
        name: {one: scores.Measured(np.full(30, mean)) for one, mean in by_set.items()}
        for name, by_set in means.items()
    }


def cells(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]


def test_the_summary_counts_wins_and_ranks():
    compared = flat(a={"x": 0.8, "y": 0.2}, b={"x": 0.6, "y": 0.5}, c={"x": 0.1, "y": 0.5})
    head, _, *rows = cells(scores.summary(compared))
    assert head == ["method", "mean 1..30", "@25", "@30", "wins", "mean rank"]
    assert rows == [
        ["a", "0.500", "0.500", "0.500", "1", "2.00"],
        ["b", "0.550", "0.550", "0.550", "1", "1.75"],
        ["c", "0.300", "0.300", "0.300", "1", "2.25"],
    ]


def test_methods_are_compared_over_the_sets_that_all_have():
    ours = flat(a={"x": 0.8, "y": 0.2, "z": 0.3})
    others = flat(full={"x": 0.6, "y": 0.5}, part={"x": 0.9})
    compared = scores.beside(ours, others, None)
    assert {name: list(by_set) for name, by_set in compared.items()} == {
        "a": ["x", "y"],
        "full": ["x", "y"],
    }
    assert list(scores.beside(ours, others, ["part"])["a"]) == ["x"]
    assert list(scores.beside(ours, {}, None)["a"]) == ["x", "y", "z"]


def test_the_first_is_compared_with_each_over_the_sets_of_both():
    first = {f"set {place}": 0.5 + 0.02 * place for place in range(8)}
    worse = {one: mean - 0.1 - 0.01 * place for place, (one, mean) in enumerate(first.items())}
    _, _, *rows = cells(
        scores.against_the_first(
            flat(first=first, worse=worse, same=first, part={"set 0": 0.6}, none={"set 9": 1})
        )
    )
    assert rows == [
        ["worse", "8", "8 / 0 / 0", "+0.1350", "0.00781"],  # 2 / 2^8
        ["same", "8", "0 / 8 / 0", "+0.0000", "-"],
        ["part", "1", "0 / 0 / 1", "-0.1000", "1"],
    ]


def test_the_best_of_a_set_is_bold_and_seeds_give_an_error():
    ours = {"a": {"x": scores.averaged([[0.2, 0.4], [0.4, 0.6]])}}
    table = scores.each_set({**ours, **flat(b={"y": 0.7})}, {"x": (9, 2, 3), "y": (5, 1, 2)})
    _, _, *rows = cells(table)
    assert rows == [
        ["x", "9", "2", "3", "**0.400 ± 0.100**", "-"],
        ["y", "5", "1", "2", "-", "**0.700**"],
    ]


def test_rivals_too_short_for_the_budget_are_left_out():
    peers = {"long": {"x": [0.1] * 40, "q": [0.2] * 40}, "short": {"x": [0.1] * 20}}
    found = scores.rivals(peers, 30, ["x"])
    assert list(found) == ["long"]
    assert list(found["long"]) == ["x"]
    assert len(found["long"]["x"].curve) == 30


def test_the_command_measures_keeps_and_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    data = tmp_path / "data"
    data.mkdir()
    blobs(data / "one.npz")
    blobs(data / "two.npz", seed=1)
    (data / "broken.npz").write_bytes(b"no archive")
    peers = tmp_path / "peers.json"
    peers.write_text(json.dumps({"RIVAL": {"one": [0.5] * BUDGET, "two": [0.6] * BUDGET}}))
    out = tmp_path / "out"
    given = [str(data), "--strategies", "random", "-o", str(out), "--budget", str(BUDGET)]
    given += ["--seeds", "2", "--noise", "0", "0.2", "--peers", str(peers)]
    assert curves.main([*given, "--only", "one", "two"]) == 0
    told = capsys.readouterr()
    assert told.out == (out / "table.md").read_text(encoding="utf-8")
    assert "random" in told.out
    assert "RIVAL" in told.out
    assert "8/8" in told.err
    kept = (out / "runs.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in kept]
    assert {(r["set"], r["seed"], r["noise"]) for r in records} == {
        (one, seed, noise) for one in ("one", "two") for seed in (0, 1) for noise in (0.0, 0.2)
    }
    measured = json.loads((out / "curves.json").read_text(encoding="utf-8"))
    assert set(measured) == {"random", "random noise=0.2"}
    mine = [r["ari"] for r in records if r["set"] == "one" and not r["noise"]]
    assert measured["random"]["one"] == pytest.approx(np.mean(mine, axis=0), abs=1e-6)
    for name in ("curves", "sets", "curves-noise-0.2", "sets-noise-0.2"):
        assert QImage(str(out / f"{name}.png")).width() == drawing.WIDTH

    assert curves.main(given) == 1  # now with the broken one
    told = capsys.readouterr()
    assert "8 of 8 runs were done before" in told.err
    assert "FAILED broken" in told.err
    assert (out / "runs.jsonl").read_text(encoding="utf-8").splitlines() == kept


@pytest.mark.parametrize(
    "wrong",
    [
        ["--strategies", "falcn"],
        ["--strategies", "random", "random"],
        ["--strategies", "random", "--noise", "2"],
        ["--strategies", "random", "--embedder", "none"],
        ["--strategies", "random", "--only", "three"],
        ["--strategies", "random", "--rivals", "NOBODY"],
    ],
)
def test_wrong_input_is_told_before_the_work(wrong: list[str], tmp_path: Path):
    path = blobs(tmp_path / "one.npz")
    assert curves.main([str(path), "-o", str(tmp_path / "out"), *wrong]) == 2
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "held", ["[1]", "3", '{"m": [1]}', '{"m": {"one": 1}}', '{"m": {"one": ["x"]}}']
)
def test_a_file_that_holds_no_curves_is_named(
    held: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path, peers = blobs(tmp_path / "one.npz"), tmp_path / "peers.json"
    peers.write_text(held)
    given = [str(path), "--strategies", "random", "-o", str(tmp_path / "out")]
    assert curves.main([*given, "--peers", str(peers)]) == 2
    assert f"{peers} holds no curves" in capsys.readouterr().err


def test_a_folder_of_results_that_cannot_be_used_is_named_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = blobs(tmp_path / "one.npz")
    (tmp_path / "file").write_text("in the way")
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "runs.jsonl").write_text('{"no": "run"}\n')
    (tmp_path / "torn").mkdir()
    (tmp_path / "torn" / "runs.jsonl").write_text("no JSON\n")
    for out in ("file", "file/out", "old", "torn"):
        given = [str(path), "--strategies", "random", "-o", str(tmp_path / out)]
        assert curves.main(given) == 2
        (told,) = capsys.readouterr().err.splitlines()
        assert str(tmp_path / out) in told


def test_features_that_were_kept_but_cannot_be_read_are_computed_anew(tmp_path: Path):
    found = described(blobs(tmp_path / "one.npz"))
    whole = found.arrays.read_bytes()
    for torn in (b"", b"no archive", whole[: len(whole) // 2], whole[:-200] + bytes(200)):
        found.arrays.write_bytes(torn)
        assert described(tmp_path / "one.npz") == found
