"""The Start page and what is remembered: recent projects, also odd and missing ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, Qt
from pytestqt.qtbot import QtBot

from desktop import actions, paths, sources, theme
from desktop.pages.start import StartPage
from desktop.settings import RECENT_LIMIT, Recent, Settings
from desktop.sources import Use
from tests.gui.test_actions import Recorder


@pytest.fixture
def owner(qtbot: QtBot) -> Recorder:
    return Recorder()


@pytest.fixture
def page(qtbot: QtBot, owner: Recorder) -> StartPage:
    made = StartPage(actions.build(owner))
    qtbot.addWidget(made)
    made.resize(1200, 750)
    made.show()
    return made


def test_tiles_do_their_commands(qtbot: QtBot, page: StartPage, owner: Recorder) -> None:
    for tile in page._tiles:
        qtbot.mouseClick(tile, Qt.MouseButton.LeftButton)
    assert owner.done == [
        "new_from_folder",
        "new_from_table",
        "open_project",
        "try_sample_images",
        "try_sample_table",
    ]


def test_recent_projects_open_and_missing_ones_are_grey(
    qtbot: QtBot, page: StartPage, tmp_path: Path
) -> None:
    there = tmp_path / "there.pairloom"
    there.touch()
    gone = tmp_path / "gone.pairloom"
    page.show_recent((Recent(str(there), 1204, 214, True), Recent(str(gone), 9, 1, False)))
    first, second = page._rows
    qtbot.waitUntil(lambda: not second.button.isEnabled())
    assert first.button.isEnabled()
    assert "not found" in second.state.text()
    with qtbot.waitSignal(page.projectWanted) as wanted:
        qtbot.mouseClick(first.button, Qt.MouseButton.LeftButton)
    assert wanted.args == [str(there)]
    with qtbot.waitSignal(page.forgetWanted) as unwanted:
        qtbot.mouseClick(second.remove, Qt.MouseButton.LeftButton)
    assert unwanted.args == [str(gone)]


def test_the_list_empties_and_refills(page: StartPage) -> None:
    assert page._nothing.isVisible()
    page.show_recent((Recent("/a.pairloom", 1, 0, True),))
    assert not page._nothing.isVisible()
    page.show_recent(())
    assert page._nothing.isVisible()


def test_nothing_is_cut_off_at_the_smallest_window(page: StartPage) -> None:
    page.show_recent((Recent("/a/long/way/down/to/a project.pairloom", 12_000, 1_400, True),))
    page.resize(page.minimumSizeHint())
    for tile in page._tiles:
        assert tile.height() >= tile.sizeHint().height()
    (row,) = page._rows
    assert row.button.height() >= row.button.sizeHint().height()


def test_a_long_name_is_shortened_in_its_middle(page: StartPage, qtbot: QtBot) -> None:
    name = "the second series of the hospital, " * 4 + "two experts"
    page.show_recent((Recent(f"/a/{name}.pairloom", 12, 3, True),))
    page.resize(1000, 640)
    (row,) = page._rows
    qtbot.waitUntil(lambda: row.name.width() + row.state.width() < row.button.width())
    qtbot.waitUntil(lambda: row.name.shown().endswith("experts"))
    assert row.name.shown() != row.name.text() == name


def test_colours_follow_the_look(page: StartPage) -> None:
    def picture() -> bytes:
        return bytes(page._tiles[0]._picture.pixmap().toImage().constBits())

    theme.current().set_scheme("light")
    before = picture()
    theme.current().set_scheme("dark")
    assert picture() != before
    theme.current().set_scheme("light")


# ------------------------------------------------------------------------------ remembered


def test_recent_projects_are_kept_newest_first_and_bounded(tmp_path: Path) -> None:
    file = tmp_path / "pairloom.ini"
    settings = Settings(file)
    for number in range(RECENT_LIMIT + 3):
        settings.remember(Recent(f"/p{number}.pairloom", number, 0, True))
    settings.remember(Recent("/p5.pairloom", 5, 44, True))
    del settings
    kept = Settings(file).recent()
    assert len(kept) == RECENT_LIMIT
    assert kept[0] == Recent("/p5.pairloom", 5, 44, True)
    assert [known.path for known in kept].count("/p5.pairloom") == 1
    again = Settings(file)
    again.forget("/p5.pairloom")
    assert "/p5.pairloom" not in [known.path for known in again.recent()]
    again.forget_all()
    assert again.recent() == ()


@pytest.mark.parametrize(
    "text", ["", "not json", "[1, 2]", '[{"path": "a"}]', '{"path": 3}', '"word"', "[null]"]
)
def test_a_spoilt_list_is_an_empty_one(tmp_path: Path, text: str) -> None:
    settings = Settings(tmp_path / "pairloom.ini")
    settings._put("recent/projects", text)
    assert settings.recent() == ()


@pytest.mark.parametrize("file", [None, Path("/proc/no/such/place/pairloom.ini")])
def test_without_a_place_to_write_all_still_works(file: Path | None) -> None:
    settings = Settings(file)
    settings.scheme = "dark"
    settings.save_layout("geometry", QByteArray(b"abc"))
    settings.remember(Recent("/a.pairloom", 1, 2, False))
    assert settings.scheme == "dark"
    assert settings.layout("geometry") == QByteArray(b"abc")
    assert settings.recent()[0].answers == 2


def test_layouts_and_folders_survive(tmp_path: Path) -> None:
    file = tmp_path / "pairloom.ini"
    settings = Settings(file)
    settings.save_layout("workspace", QByteArray(b"\x00\x01\xff"))
    settings.save_folder("sources", tmp_path)
    settings.scheme = "light"
    del settings
    again = Settings(file)
    assert again.layout("workspace") == QByteArray(b"\x00\x01\xff")
    assert again.layout("geometry").isEmpty()
    assert again.folder("sources", Path("/")) == tmp_path
    assert again.folder("exports", tmp_path) == tmp_path
    again._put("folders/sources", "/no/such/folder")
    assert again.folder("sources", tmp_path) == tmp_path
    again._put("look/scheme", "pink")
    assert again.scheme == "system"


# ------------------------------------------------------------------------------ paths and drops


def test_a_new_project_lies_beside_its_source_and_on_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "Rétine 3.1"
    folder.mkdir()
    assert paths.new_project_file(folder) == tmp_path / "Rétine 3.1.pairloom"
    (tmp_path / "Rétine 3.1.pairloom").touch()
    assert paths.new_project_file(folder) == tmp_path / "Rétine 3.1 2.pairloom"
    table = tmp_path / "a.csv"
    table.touch()
    assert paths.new_project_file(table) == tmp_path / "a.pairloom"


def test_samples_are_there_and_their_projects_go_elsewhere() -> None:
    assert paths.sample_images().is_dir()
    assert paths.sample_table().is_file()
    proposed = paths.new_project_file(paths.sample_images())
    assert not proposed.is_relative_to(paths.resources())


def test_what_can_be_dropped(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    files = {}
    for name in ("a.pairloom", "b.CSV", "c.npz", "d.png", "e.docx"):
        files[name] = tmp_path / name
        files[name].touch()
    assert sources.offer([folder]).use is Use.IMPORT
    assert sources.offer([files["a.pairloom"]]).use is Use.OPEN
    assert sources.offer([files["b.CSV"]]).use is Use.IMPORT
    assert sources.offer([files["c.npz"]]).use is Use.IMPORT
    for refused in ([files["d.png"]], [files["e.docx"]], [], [folder, folder], [tmp_path / "no"]):
        offer = sources.offer(refused)
        assert offer.use is Use.REFUSE
        assert offer.words
