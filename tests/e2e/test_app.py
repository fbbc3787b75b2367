"""The program as a person starts it: arguments, no screen, missing libraries, signals, no home."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QtMsgType, qInstallMessageHandler

from desktop import app, doctor, log
from desktop.versions import version, versions

ROOT = Path(__file__).resolve().parents[2]


def environment(home: Path, **changes: str) -> dict[str, str]:
    kept = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    return kept | {"HOME": str(home), "QT_QPA_PLATFORM": "offscreen"} | changes


def run(home: Path, *arguments: str, **changes: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "desktop", *arguments],
        cwd=ROOT,
        env=environment(home, **changes),
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux may lack a display")
def test_without_a_screen_it_says_so(tmp_path: Path) -> None:
    shown = run(tmp_path, QT_QPA_PLATFORM="")
    assert shown.returncode == 2
    assert "no display" in shown.stderr
    assert "Traceback" not in shown.stderr


@pytest.mark.parametrize(
    ("variables", "platform", "lacks"),
    [
        ({}, "linux", True),
        ({"DISPLAY": ":0"}, "linux", False),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", False),
        ({"QT_QPA_PLATFORM": "offscreen"}, "linux", False),
        ({}, "darwin", False),
        ({}, "win32", False),
    ],
)
def test_who_lacks_a_screen(variables: dict[str, str], platform: str, *, lacks: bool) -> None:
    assert app.lacks_display(variables, platform) is lacks


def test_arguments(tmp_path: Path) -> None:
    assert run(tmp_path, "--version").stdout.strip() == f"Pairloom {version()}"
    assert "--doctor" in run(tmp_path, "--help").stdout
    assert run(tmp_path, "--no-such-thing").returncode == 2
    assert "Python" in versions()


# ------------------------------------------------------------------------------ doctor


def test_the_doctor_needs_no_qt(tmp_path: Path) -> None:
    code = (
        "import sys; from desktop import app; app.main(['--doctor']);"
        "print('PySide6' in sys.modules)"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout.endswith("False\n")


def test_missing_libraries_are_read_off_ldd() -> None:
    shown = (
        "\tlinux-vdso.so.1 (0x00007ffd)\n"
        "\tlibxcb-icccm.so.4 => not found\n"
        "\tlibEGL.so.1 => /lib/x86_64-linux-gnu/libEGL.so.1 (0x00007f00)\n"
        "\tlibstrange.so.9 => not found\n"
    )
    missing = doctor.missing_in(shown)
    assert missing == {"libxcb-icccm.so.4", "libstrange.so.9"}
    words = doctor.advice(tuple(sorted(missing)))
    assert "apt-get install -y --no-install-recommends libxcb-icccm4\n" in words
    assert "libstrange.so.9" in words


def test_the_doctor_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor.sys, "platform", "linux")
    monkeypatch.setattr(doctor, "missing_libraries", lambda: ())
    assert doctor.report()[0]
    monkeypatch.setattr(doctor, "missing_libraries", lambda: ("libEGL.so.1",))
    well, words = doctor.report()
    assert not well
    assert "libegl1" in words

    def cannot_tell() -> tuple[str, ...]:
        raise RuntimeError("no ldd")

    monkeypatch.setattr(doctor, "missing_libraries", cannot_tell)
    assert doctor.report() == (False, "no ldd")
    monkeypatch.setattr(doctor.sys, "platform", "darwin")
    assert doctor.report()[0]


def test_a_window_that_cannot_be_loaded_is_explained(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "desktop.launch", None)  # importing it fails
    monkeypatch.setattr(doctor, "report", lambda: (False, "libEGL is missing"))
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    assert app.main([]) == 2
    assert "libEGL is missing" in capsys.readouterr().err


# ------------------------------------------------------------------------------ the log


@pytest.fixture
def untouched_logging() -> Iterator[None]:
    root = logging.getLogger()
    before = list(root.handlers), root.level
    yield
    for handler in set(root.handlers) - set(before[0]):
        root.removeHandler(handler)
        handler.close()
    root.setLevel(before[1])


def test_the_log_is_written_and_qt_is_in_it(tmp_path: Path, untouched_logging: None) -> None:
    file = tmp_path / "pairloom.log"
    handler = logging.FileHandler(file)
    logging.getLogger().addHandler(handler)
    previous = qInstallMessageHandler(None)
    try:
        log._from_qt(
            QtMsgType.QtWarningMsg, None, "This plugin does not support propagateSizeHints()"
        )
        log._from_qt(QtMsgType.QtWarningMsg, None, "QPainter::begin: Paint device returned 0")
        log.write_down(ValueError, ValueError("a bug"), None)
    finally:
        qInstallMessageHandler(previous)
    text = file.read_text()
    assert "QPainter::begin" in text
    assert "propagateSizeHints" not in text
    assert "ValueError: a bug" in text


# ------------------------------------------------------------------------------ the whole program


def started(home: Path, *arguments: str, **changes: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "desktop", *arguments],
        cwd=ROOT,
        env=environment(home, **changes),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for(words: str, read: Path | None, program: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and program.poll() is None:
        if read is not None and read.exists() and words in read.read_text():
            return
        time.sleep(0.05)
    raise AssertionError(f"{words!r} was not written; status {program.poll()}")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM")
def test_it_starts_and_ends_when_asked_to(tmp_path: Path) -> None:
    written = tmp_path / "state" / "Pairloom" / "log" / "pairloom.log"
    with started(
        tmp_path, XDG_STATE_HOME=str(tmp_path / "state"), XDG_CONFIG_HOME=str(tmp_path / "config")
    ) as program:
        wait_for("window shown", written, program)
        program.send_signal(signal.SIGTERM)
        _, errors = program.communicate(timeout=60)
    assert program.returncode == 0, errors
    assert "Traceback" not in errors
    assert (tmp_path / "config" / "Pairloom" / "pairloom.ini").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM")
def test_a_home_that_cannot_be_written_is_no_trouble() -> None:
    nowhere = "/proc/no/such/home"
    with started(
        Path(nowhere), str(ROOT / "no such project.pairloom"), PYTHONUNBUFFERED="1"
    ) as program:
        assert program.stderr is not None
        for line in program.stderr:
            if "window shown" in line:
                break
        program.send_signal(signal.SIGTERM)
        _, errors = program.communicate(timeout=60)
    assert program.returncode == 0, errors
