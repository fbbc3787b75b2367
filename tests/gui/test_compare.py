"""The compare page on comparisons made by hand: what is listed, asked, shown, told and saved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QAbstractButton, QPushButton
from pytestqt.qtbot import QtBot

from desktop import strategies, theme
from desktop.controller import Controller
from desktop.dialogs.files import FileDialogs
from desktop.dialogs.strategy import StrategyDialog
from desktop.dialogs.variant import VariantDialog
from desktop.main_window import MainWindow
from desktop.messages import (
    Changed,
    Compare,
    Compared,
    Consider,
    Failed,
    Offer,
    Opened,
    SaveComparison,
    Stopped,
    Working,
)
from desktop.pages.compare import ComparePage
from desktop.settings import Settings
from desktop.widgets.comparing import keys
from desktop.widgets.comparing.finding_panel import FindingPanel
from desktop.widgets.comparing.findings import agreement, likeness, on_answers, on_labels
from engine.compare import Comparison, OwnAnswers, Trial
from engine.model import Approach
from engine.parameters import Parameter
from engine.simulate import Curve
from tests.gui.handmade import answer_step, chain, controller_on, moved_on

OFFERS = (
    Offer(
        "falcon",
        (
            Parameter("width", str, "median", ("median", "fixed"), "How near."),
            Parameter("c", float, "0.3", (), "The share."),
        ),
    ),
    Offer("cobras", (Parameter("starts", int, "10", (), "Random starts."),)),
    Offer("random", ()),
)
FALCON = Approach("falcon", (("width", "fixed"), ("c", "0.3")))
PLAIN = Approach("falcon", (("width", "median"), ("c", "0.3")))
COBRAS = Approach("cobras", (("starts", "10"),))
RANDOM = Approach("random")


def own(share: int, of: int = 20, **changes: object) -> OwnAnswers:
    made = OwnAnswers(
        groups=4,
        answers=of + 1,
        agreement=0.934,
        foreseen=tuple(at < share for at in range(of)),
        ari=None,
        nmi=None,
        seconds=0.5,
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def curve(strategy: str, level: float, *, budget: int = 60, asked: int = 60) -> Curve:
    return Curve(
        strategy=strategy,
        version=1,
        seed=0,
        n=40,
        d=2,
        budget=budget,
        asked=asked,
        groups=4,
        ari=tuple(level * at / budget for at in range(1, budget + 1)),
        nmi=tuple(level * at / budget / 2 for at in range(1, budget + 1)),
        questions=(),
        waits=(0.02,) * asked,
        report={},
    )


def comparison(*trials: Trial, **changes: object) -> Comparison:
    made = Comparison(trials, 0.7, labelled=True, budget=60, noise=0.05)
    return replace(made, **changes)  # type: ignore[arg-type]


BOTH = comparison(
    Trial("Telling", FALCON, own(15, ari=0.8, nmi=0.7), curve("falcon", 0.9)),
    Trial("Small sets", COBRAS, own(9, agreement=-0.001, ari=0.5, nmi=0.4), curve("cobras", 0.6)),
    complete=True,
)


class Answering(FileDialogs):
    """File dialogs that are answered at once."""

    answer: Path | None = None

    def new(self, *_: object) -> Path | None:
        return self.answer


@pytest.fixture(autouse=True, scope="module")
def look(qapp: object) -> None:
    theme.apply(qapp, "light")  # type: ignore[arg-type]


@pytest.fixture
def light_again(qapp: object) -> Iterator[None]:
    yield
    theme.apply(qapp, "light")  # type: ignore[arg-type]


@pytest.fixture
def controller(qtbot: QtBot) -> Controller:
    return Controller()


@pytest.fixture
def files() -> Answering:
    return Answering(Settings(None))


@pytest.fixture
def page(qtbot: QtBot, controller: Controller, files: Answering) -> Iterator[ComparePage]:
    made = ComparePage(controller, files)
    made.resize(1000, 640)
    made.show()
    qtbot.waitExposed(made)
    yield made
    made.close()
    made.deleteLater()  # at once: each look is put on all widgets there are
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def study(*, answers: int = 25, labelled: bool = True) -> Opened:
    _, opened = controller_on(history=chain(answers))
    snapshot = replace(opened.snapshot, approach=FALCON)
    return replace(opened, offers=OFFERS, labelled=labelled, snapshot=snapshot)


def names(page: ComparePage) -> list[str]:
    contenders = page.setup.contenders
    return [contenders.item(row).text() for row in range(contenders.count())]


def tick(page: ComparePage, row: int, *, on: bool = True) -> None:
    state = Qt.CheckState.Checked if on else Qt.CheckState.Unchecked
    page.setup.contenders.item(row).setCheckState(state)


def cells(panel: FindingPanel, row: int) -> list[str]:
    table = panel.table
    return [table.item(row, column).text() for column in range(table.columnCount() - 1)]


# ------------------------------------------------------------------------------ who takes part


def test_the_one_in_use_stands_first_with_its_parameters(
    page: ComparePage, controller: Controller
) -> None:
    controller.receive(study())
    listed = names(page)
    assert listed[0] == f"{strategies.title('falcon')}: width = fixed\nin use"
    assert listed[1:] == [strategies.title(name) for name in ("falcon", "cobras", "random")]
    assert [approach for _, approach in page.setup.entrants] == [FALCON, PLAIN]


def test_ticks_survive_a_change_of_strategy(page: ComparePage, controller: Controller) -> None:
    opened = study()
    controller.receive(opened)
    tick(page, 1, on=False)
    tick(page, 3)
    controller.receive(Changed(moved_on(opened.snapshot, approach=COBRAS)))
    assert names(page)[0].endswith("in use")
    assert {approach for _, approach in page.setup.entrants} == {FALCON, RANDOM, COBRAS} - {FALCON}
    assert len(names(page)) == 3  # the parameters that were in use are no longer in the list


def test_a_variant_is_added_once_and_taken_off(
    qtbot: QtBot, page: ComparePage, controller: Controller
) -> None:
    controller.receive(study())
    few = Approach("cobras", (("starts", "3"),))
    page.setup.contenders.add(few)
    page.setup.contenders.add(few)
    page.setup.contenders.add(FALCON)
    assert len(names(page)) == 5
    assert few in [approach for _, approach in page.setup.entrants]
    page.setup.contenders.setCurrentRow(4)
    qtbot.keyClick(page.setup.contenders, Qt.Key.Key_Delete)
    assert len(names(page)) == 4
    page.setup.contenders.setCurrentRow(1)
    qtbot.keyClick(page.setup.contenders, Qt.Key.Key_Delete)
    assert len(names(page)) == 4


def test_the_keyboard_ticks_and_compares(
    qtbot: QtBot, page: ComparePage, controller: Controller
) -> None:
    controller.receive(study())
    page.setup.contenders.setCurrentRow(2)
    qtbot.keyClick(page.setup.contenders, Qt.Key.Key_Space)
    assert COBRAS in [approach for _, approach in page.setup.entrants]
    qtbot.keyClick(page.setup.start, Qt.Key.Key_Space)
    (request,) = controller.sent
    assert isinstance(request, Compare)
    assert [approach for _, approach in request.approaches] == [FALCON, PLAIN, COBRAS]
    assert len({label for label, _ in request.approaches}) == 3


def test_who_begins_by_keys_keeps_the_keyboard(
    qtbot: QtBot, page: ComparePage, controller: Controller
) -> None:
    controller.receive(study())
    for inside in (page.setup.contenders, page.setup.add, page.setup.questions):
        inside.setFocus()
        page.compare()
        assert page.setup.start.hasFocus()
        controller.receive(Stopped("Compare"))
    page.labels.plot.setFocus()
    page.compare()
    assert not page.setup.start.hasFocus()


def test_the_dialog_checks_by_the_rules_of_the_engine(qtbot: QtBot) -> None:
    dialog = VariantDialog(OFFERS)
    qtbot.addWidget(dialog)
    chosen: list[Approach] = []
    dialog.chosen.connect(chosen.append)
    settings = dialog.choice.settings
    assert settings is not None
    form = settings.form
    assert form is not None
    share = form.fields["c"].input
    share.setText("much")
    assert dialog.wrong.text()
    assert not dialog.add.isEnabled()
    share.setText("0.50")
    assert not dialog.wrong.text()
    dialog.add.click()
    (approach,) = chosen
    assert approach.strategy == "falcon"
    assert dict(approach.params)["c"] == "0.5"


# ------------------------------------------------------------------------------ when it can begin


def test_without_answers_and_labels_it_says_what_is_missing(
    page: ComparePage, controller: Controller
) -> None:
    controller.receive(study(answers=0, labelled=False))
    assert "Nothing to compare" in page.beginning.title.text()
    assert not page.setup.expert.isVisible()
    assert not page.setup.start.isEnabled()
    assert "no answers" in page.setup.note.text()
    assert not page.save.isEnabled()


def test_labels_are_enough_unless_no_question_is_allowed(
    page: ComparePage, controller: Controller
) -> None:
    controller.receive(study(answers=0))
    assert page.setup.start.isEnabled()
    assert "never used for asking" in " ".join(
        label.text() for label in page.setup.expert.findChildren(type(page.setup.note))
    )
    page.setup.questions.setValue(0)
    assert not page.setup.start.isEnabled()
    page.setup.questions.setValue(60)
    page.setup.errors.setValue(5)
    tick(page, 1, on=False)
    page.setup.start.click()
    assert controller.sent == [Compare(page.setup.entrants, 60, 0.05)]


def test_something_must_be_ticked(page: ComparePage, controller: Controller) -> None:
    controller.receive(study())
    tick(page, 0, on=False)
    tick(page, 1, on=False)
    assert not page.setup.start.isEnabled()
    assert "Tick" in page.setup.note.text()


def test_of_an_unlabelled_project_the_expert_is_asked_nothing(
    page: ComparePage, controller: Controller
) -> None:
    controller.receive(study(labelled=False))
    page.setup.start.click()
    (request,) = controller.sent
    assert isinstance(request, Compare)
    assert request.budget == 0


# ------------------------------------------------------------------------------ while it runs


def test_results_come_in_part_by_part(page: ComparePage, controller: Controller) -> None:
    controller.receive(study())
    page.setup.start.click()
    assert page.setup.start.text().replace("&", "") == "Stop"
    assert "wait" in page.setup.note.text()
    first, second = BOTH.trials
    controller.receive(
        Compared(comparison(replace(first, curve=None), Trial("Small sets", COBRAS)))
    )
    assert "Small sets, on your answers" in page.setup.doing.text()
    assert cells(page.answers, 0)[3] == "15 of 20\n(75\N{NO-BREAK SPACE}%)"
    assert "not tried" in cells(page.answers, 1)[0]
    before = page.setup.progress.value()
    controller.receive(Working(1, 2, "Replaying answers"))
    assert page.setup.progress.value() > before
    controller.receive(Compared(comparison(first, replace(second, curve=None))))
    assert "Small sets, on the labels" in page.setup.doing.text()
    controller.receive(Compared(BOTH))
    assert page.setup.start.text().replace("&", "") == "Compare"
    assert [line.name for line in page.labels.plot.lines] == ["Telling", "Small sets"]


def test_stop_keeps_what_is_there(page: ComparePage, controller: Controller) -> None:
    controller.receive(study())
    page.setup.start.click()
    controller.receive(Compared(comparison(BOTH.trials[0], Trial("Small sets", COBRAS))))
    page.setup.start.click()
    controller.receive(Stopped("Compare"))
    assert page.setup.start.text().replace("&", "") == "Compare"
    assert cells(page.answers, 0)[1] == "4"
    assert page.save.isEnabled()
    assert "ended early" in page.stale.text
    page.setup.start.click()
    assert not page.stale.isVisible()
    controller.receive(Compared(BOTH))
    assert not page.stale.isVisible()


def test_nothing_is_said_to_have_been_found_before_it_was() -> None:
    untried = comparison(Trial("Small sets", COBRAS))
    assert "No strategy has been tried" in on_answers(untried).facts
    assert "No strategy has been tried" in on_labels(untried, "ari").facts


def test_what_goes_wrong_ends_it(page: ComparePage, controller: Controller) -> None:
    controller.receive(study())
    page.setup.start.click()
    controller.receive(Failed("starts must be at least 1"))
    assert page.setup.start.text().replace("&", "") == "Compare"
    assert page.setup.contenders.isEnabled()


def test_it_is_out_of_date_once_the_answers_change(
    page: ComparePage, controller: Controller
) -> None:
    opened = study()
    controller.receive(opened)
    page.setup.start.click()
    controller.receive(Compared(BOTH))
    assert not page.stale.isVisible()
    controller.receive(Changed(opened.snapshot))  # look-ahead
    assert not page.stale.isVisible()
    history = (*opened.snapshot.history, answer_step(26, 25, 1, 2))
    later = moved_on(opened.snapshot, history=history, position=26)
    controller.receive(Changed(later))
    assert page.stale.isVisible()
    assert page.answers.isVisible()
    controller.receive(Changed(moved_on(later, position=25)))  # taken back
    assert not page.stale.isVisible()
    controller.receive(Changed(moved_on(moved_on(later), approach=COBRAS)))
    assert page.stale.isVisible()
    page.stale.findChild(QPushButton).click()
    assert len(controller.sent) == 2


def test_another_project_begins_anew(page: ComparePage, controller: Controller) -> None:
    controller.receive(study())
    page.setup.start.click()
    controller.receive(Compared(BOTH))
    controller.receive(study(answers=0, labelled=False))
    assert not page.answers.isVisible()
    assert not page.stale.isVisible()
    assert "Nothing to compare" in page.beginning.title.text()


# ------------------------------------------------------------------------------ what is shown


def test_agreement_is_never_rounded_up_to_the_same() -> None:
    assert (agreement(0.9999), likeness(0.9999)) == ("0.99", "nearly the same")
    assert (agreement(1), likeness(1)) == ("1.00", "the same")
    assert (agreement(-0.001), likeness(-0.001)) == ("0.00", "as if by chance")
    assert agreement(-0.25) == "-0.25"


def test_on_answers() -> None:
    found = on_answers(BOTH)
    assert found.rows[0].cells == (
        "4",
        "0.93\nnearly the same",
        "15 of 20\n(75\N{NO-BREAK SPACE}%)",
        "ARI 0.80\nNMI 0.70",
    )
    assert "21 answers" in found.facts
    assert "70\N{NO-BREAK SPACE}%" in found.facts
    assert "mean little" not in found.facts
    assert "no accuracy" in found.meaning
    assert found.lines[0].values[-1] == 75
    assert found.lines[1].values[0] == 100
    assert found.axes.level is not None


def test_few_answers_and_none_to_be_foreseen_are_told() -> None:
    few = comparison(Trial("Telling", FALCON, own(3, of=5)), labelled=False)
    assert "mean little" in on_answers(few).facts
    unsure = comparison(Trial("Telling", FALCON, own(0, of=0)), labelled=False, commoner=None)
    found = on_answers(unsure)
    assert "unsure" in found.facts
    assert found.rows[0].cells[2] == "–"
    assert found.axes.level is None


def test_on_labels() -> None:
    found = on_labels(BOTH, "ari")
    assert [title for title, _ in found.columns] == [
        "After\n10",
        "After\n25",
        "After\n50",
        "After\n60",
        "Mean",
        "Wait",
    ]
    assert found.rows[0].cells == ("0.15", "0.38", "0.75", "0.90", "0.46", "20\N{NO-BREAK SPACE}ms")
    assert on_labels(BOTH, "nmi").rows[0].cells[3] == "0.45"
    assert "5\N{NO-BREAK SPACE}%" in found.facts
    assert "never for choosing" in found.facts
    short = comparison(Trial("Telling", FALCON, None, curve("falcon", 0.9, asked=37)))
    assert on_labels(short, "ari").rows[0].remark == "nothing left to ask after 37"


def test_cri_is_offered_where_items_may_belong_to_several_groups(
    page: ComparePage, controller: Controller
) -> None:
    held = replace(curve("composing", 0.9), cri=tuple(0.5 + at / 120 for at in range(1, 61)))
    shared = Trial("Several", Approach("composing"), own(15, ari=0.8, nmi=0.7, cri=0.93), held)
    controller.receive(study())
    controller.receive(Compared(comparison(shared, complete=True)))
    page.resize(1800, 900)
    assert [page.measure.itemData(at) for at in range(3)] == ["cri", "ari", "nmi"]
    assert page.measure.currentData() == "cri"
    assert cells(page.labels, 0)[4] == "1.00"
    assert on_answers(comparison(shared)).rows[0].cells[-1] == "CRI 0.93\nARI 0.80"
    assert "one has all groups" in on_labels(comparison(shared), "cri").meaning
    controller.receive(Compared(BOTH))
    assert page.measure.findData("cri") < 0
    assert page.measure.currentData() == "ari"


def test_one_half_at_a_time_where_there_is_little_room(
    qtbot: QtBot, page: ComparePage, controller: Controller
) -> None:
    controller.receive(study())
    controller.receive(Compared(BOTH))
    assert page.answers.isVisible()
    assert not page.labels.isVisible()
    page.halves.button(1).click()
    assert page.labels.isVisible()
    assert not page.answers.isVisible()
    page.measure.setCurrentIndex(1)
    assert cells(page.labels, 0)[4] == "0.45"
    page.resize(1800, 900)
    assert page.labels.isVisible()
    assert page.answers.isVisible()
    assert not page.halves.button(0).isVisible()


@pytest.mark.parametrize(
    ("found", "shown"),
    [
        (comparison(Trial("Telling", FALCON, None, curve("falcon", 0.9))), (False, True)),
        (comparison(Trial("Telling", FALCON, own(3)), labelled=False), (True, False)),
        (comparison(Trial("Telling", FALCON, own(3)), budget=0), (True, False)),
    ],
)
def test_what_was_not_tried_takes_no_room(
    page: ComparePage, controller: Controller, found: Comparison, shown: tuple[bool, bool]
) -> None:
    controller.receive(study())
    controller.receive(Compared(found))
    assert (page.answers.isVisible(), page.labels.isVisible()) == shown
    assert not page.halves.button(0).isVisible()


def test_names_and_buttons_have_room(
    qtbot: QtBot, page: ComparePage, controller: Controller
) -> None:
    controller.receive(study())
    controller.receive(Compared(BOTH))
    table = page.answers.table
    last = table.columnCount() - 1
    qtbot.waitUntil(lambda: table.rowHeight(1) >= 30)
    button = table.cellWidget(1, last).findChild(QPushButton)
    assert button.width() >= button.sizeHint().width()
    assert table.columnWidth(0) > 120
    assert not table.horizontalScrollBar().isVisible()


def test_strategies_differ_without_colour() -> None:
    assert len({keys.symbol(place) for place in range(8)}) == 8
    dashes = {tuple(keys.pen(place, theme.LIGHT).dashPattern()) for place in range(7)}
    assert len(dashes) == 7


# ------------------------------------------------------------------------------ the plot


def test_the_plot_is_read_by_pointer_and_by_keys(
    qtbot: QtBot, page: ComparePage, controller: Controller
) -> None:
    controller.receive(study())
    controller.receive(Compared(BOTH))
    plot = page.answers.plot
    qtbot.mouseMove(plot, QPoint(plot.width() // 2, plot.height() // 3))
    qtbot.waitUntil(lambda: "Telling" in plot.reading)
    plot.setFocus()
    qtbot.keyClick(plot, Qt.Key.Key_Home)
    assert plot.accessibleDescription().startswith("After 1 answer")
    qtbot.keyClick(plot, Qt.Key.Key_End)
    assert "Telling 75" in plot.accessibleDescription()
    assert "Small sets 45" in plot.accessibleDescription()
    qtbot.keyClick(plot, Qt.Key.Key_Left)
    qtbot.keyClick(plot, Qt.Key.Key_PageUp)
    assert plot.accessibleDescription().startswith("After 9 answers")
    qtbot.keyClick(plot, Qt.Key.Key_Escape)
    assert plot.reading == ""


def test_a_saved_plot_is_on_white_in_any_look(
    page: ComparePage,
    controller: Controller,
    files: Answering,
    tmp_path: Path,
    light_again: None,
) -> None:
    controller.receive(study())
    controller.receive(Compared(BOTH))
    theme.current().set_scheme("dark")
    said: list[str] = []
    page.saved.connect(said.append)
    for name in ("plot.png", "plot.svg", "without ending"):
        files.answer = tmp_path / name
        page.answers.saveWanted.emit()
    image = QImage(str(tmp_path / "plot.png"))
    assert (image.width(), image.height()) == (2000, 1200)
    assert image.pixelColor(5, 5).name() == "#ffffff"
    drawn = {image.pixelColor(x, y).name() for x in range(0, 2000, 4) for y in range(0, 1200, 4)}
    assert {theme.LIGHT.slots[0].lower(), theme.LIGHT.slots[1].lower()} <= drawn
    drawing = QImage(1000, 600, QImage.Format.Format_RGB32)
    drawing.fill(Qt.GlobalColor.white)
    painter = QPainter(drawing)
    QSvgRenderer(str(tmp_path / "plot.svg")).render(painter)
    painter.end()
    inked = np.array(
        [[drawing.pixelColor(x, y).lightness() < 252 for x in range(1000)] for y in range(480)]
    )
    down, across = (
        np.flatnonzero(inked.mean(axis=1) > 0.7),
        np.flatnonzero(inked.mean(axis=0) > 0.7),
    )
    assert across[-1] > 950  # axes and grid are as large as the sheet
    assert down[-1] > 440
    assert (tmp_path / "without ending.png").exists()
    assert len(said) == 3


def test_a_plot_that_cannot_be_saved_is_told(
    page: ComparePage, controller: Controller, files: Answering, tmp_path: Path
) -> None:
    controller.receive(study())
    controller.receive(Compared(BOTH))
    said: list[str] = []
    page.refused.connect(said.append)
    for name in ("plot.png", "plot.svg"):
        files.answer = tmp_path / "none" / name
        page.answers.saveWanted.emit()
    files.answer = None
    page.answers.saveWanted.emit()
    assert len(said) == 2


def test_figures_are_saved_by_the_engine(
    page: ComparePage, controller: Controller, files: Answering, tmp_path: Path
) -> None:
    controller.receive(study())
    controller.receive(Compared(BOTH))
    files.answer = tmp_path / "c.csv"
    page.save.click()
    assert controller.sent == [SaveComparison(BOTH, tmp_path / "c.csv")]


def test_another_look_recolours(
    page: ComparePage, controller: Controller, light_again: None
) -> None:
    controller.receive(study())
    controller.receive(Compared(BOTH))
    page.answers.plot.read(5)
    theme.current().set_scheme("dark")
    image = page.answers.plot.grab().toImage()
    assert image.pixelColor(2, 2).name() == theme.DARK.surface.lower()
    assert cells(page.answers, 0)[0] == "Telling"


# ------------------------------------------------------------------------------ in the window


def test_use_this_shows_first_what_it_would_change(
    qtbot: QtBot, controller: Controller, files: Answering
) -> None:
    window = MainWindow(controller, Settings(None), files)
    qtbot.addWidget(window)
    window.show()
    assert not window.actions_by_id["show_compare"].isEnabled()
    opened = study()
    controller.receive(opened)
    window.actions_by_id["show_compare"].trigger()
    assert window.pages.currentWidget() is window.compare
    controller.receive(Compared(BOTH))
    table = window.compare.answers.table
    last = table.columnCount() - 1
    assert table.cellWidget(0, last).findChild(QPushButton) is None  # it is in use
    table.cellWidget(1, last).findChild(QPushButton).click()
    (dialog,) = window.findChildren(StrategyDialog)
    assert dialog.choice.approach == COBRAS
    qtbot.waitUntil(lambda: controller.sent == [Consider(COBRAS)])
    assert not dialog.change.isEnabled()


def test_everything_has_a_name(page: ComparePage, controller: Controller) -> None:
    controller.receive(study())
    controller.receive(Compared(BOTH))
    for widget in page.findChildren(QAbstractButton):
        if widget.isVisible():
            assert widget.accessibleName() or widget.text(), widget
    for widget in (page.answers.plot, page.answers.table, page.setup.contenders, page.measure):
        assert widget.accessibleName()
