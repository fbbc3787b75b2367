"""How pairs are chosen: the strategies in words, and what can be set about each.

Hidden: which settings stand in the open and which are folded away, and that slips are a parameter.
Promised: `approach` names every parameter, so that two of them are equal where they mean the same;
what was set about a strategy is kept while another one is looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import QCoreApplication, QSignalBlocker, Signal
from PySide6.QtWidgets import QLabel, QRadioButton, QVBoxLayout, QWidget

from desktop import strategies
from desktop.messages import Offer
from desktop.translation import QT_TRANSLATE_NOOP
from desktop.widgets.choosing.folded_section import FoldedSection
from desktop.widgets.choosing.kind_choice import KindChoice
from desktop.widgets.choosing.parameter_field import Choice, ParameterField
from desktop.widgets.choosing.parameter_form import ParameterForm
from engine.model import Approach
from engine.parameters import Parameter

SLIPS = {
    "0.0": QT_TRANSLATE_NOOP("Import", "Take every answer as given"),
    "0.05": QT_TRANSLATE_NOOP("Import", "Expect a few slips (about 1 in 20)"),
    "0.1": QT_TRANSLATE_NOOP("Import", "Expect many slips (about 1 in 10)"),
    "": QT_TRANSLATE_NOOP("Import", "Expect another share of slips"),
}
"""The parameter `noise` as it is put to people; "" = a share that they give."""
_IN_THE_OPEN = ("groups", "noise")


class SlipsField(QWidget):
    """Whether answers may be wrong, for strategies that reckon with it.

    Notes
    -----
    `changed`: the share is another one, or none any more.
    """

    changed = Signal()

    def __init__(self, parameter: Parameter, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        why = self.tr("Where slips are expected, some pairs are asked again to find them.")
        name = QLabel(self.tr("Your &answers"))
        name.setProperty("role", "strong")
        self.choice = Choice()
        self.choice.setAccessibleName(self.tr("Your answers"))
        self.choice.setAccessibleDescription(why)
        for share, words in SLIPS.items():
            self.choice.addItem(QCoreApplication.translate("Import", words), share)
        known = self.choice.findData(text)
        self.choice.setCurrentIndex(self.choice.count() - 1 if known < 0 else known)
        name.setBuddy(self.choice)
        self.share = ParameterField(parameter, text)
        self._why = QLabel(why, wordWrap=True)
        self._why.setProperty("role", "muted")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        for part in (name, self.choice, self._why, self.share):
            column.addWidget(part)
        self.share.setContentsMargins(0, 6, 0, 0)
        self._show_share()
        self.choice.currentIndexChanged.connect(self._chosen)
        self.share.changed.connect(self.changed)

    @property
    def title(self) -> str:
        """What it is about."""
        return self.choice.accessibleName()

    @property
    def text(self) -> str:
        """The share of wrong answers to expect."""
        return self.choice.currentData() or self.share.text

    @property
    def fault(self) -> str:
        """What is to be put right; "" = nothing."""
        return "" if self.choice.currentData() else self.share.fault

    def _show_share(self) -> None:
        """Ask for the share where it is another one; then its own words say enough."""
        is_another = not self.choice.currentData()
        self.share.setVisible(is_another)
        self._why.setVisible(not is_another)

    def _chosen(self) -> None:
        self._show_share()
        self.changed.emit()


class StrategySettings(QWidget):
    """What can be set about one strategy.

    Parameters
    ----------
    offer
        The strategy.
    texts
        Values by name; what is left out is as usual.
    folded
        Whether what few people need is folded away.
    """

    changed = Signal()

    def __init__(
        self, offer: Offer, texts: dict[str, str], *, folded: bool, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._names = tuple(one.name for one in offer.parameters)
        known = {one.name: one for one in offer.parameters}
        self.groups: ParameterField | None = None
        self.slips: SlipsField | None = None
        self.form: ParameterForm | None = None
        self.fold: FoldedSection | None = None
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        if "groups" in known:
            self.groups = ParameterField(known["groups"], texts.get("groups"))
            self.groups.changed.connect(self.changed)
            column.addWidget(self.groups)
        if "noise" in known:
            usual = known["noise"].default or ""
            self.slips = SlipsField(known["noise"], texts.get("noise", usual))
            self.slips.changed.connect(self.changed)
            column.addWidget(self.slips)
        rest = [one for one in offer.parameters if one.name not in _IN_THE_OPEN]
        if rest:
            self.form = ParameterForm(rest, texts)
            self.form.changed.connect(self._changed)
            if folded:
                self.fold = FoldedSection(self.tr("Se&ttings"), self.form)
                self.fold.say(self.form.news)
            column.addWidget(self.fold or self.form)

    @property
    def stops(self) -> list[QWidget]:
        """What the Tab key visits, in the order seen."""
        found: list[QWidget] = []
        if self.groups is not None:
            found.append(self.groups.input)
        if self.slips is not None:
            found += [self.slips.choice, self.slips.share.input]
        if self.fold is not None:
            found.append(self.fold.heading)
        return [*found, *(self.form.stops if self.form is not None else ())]

    @property
    def texts(self) -> dict[str, str]:
        """Every value by name, in the strategy's own order."""
        texts = self.form.texts if self.form is not None else {}
        if self.groups is not None:
            texts["groups"] = self.groups.text
        if self.slips is not None:
            texts["noise"] = self.slips.text
        return {name: texts[name] for name in self._names}

    @property
    def fault(self) -> str:
        """What is to be put right first; "" = nothing."""
        for field in (self.groups, self.slips):
            if field is not None and field.fault:
                return self.tr("{0}: {1}").format(field.title, field.fault)
        return self.form.fault if self.form is not None else ""

    def _changed(self) -> None:
        if self.fold is not None and self.form is not None:
            self.fold.say(self.form.news)
        self.changed.emit()


class StrategyChoice(QWidget):
    """The strategy, a sentence about it, and its settings.

    Where there are strategies of both kinds, it is chosen first whether items may belong to several
    groups, and only those that go with it are offered.

    Parameters
    ----------
    folded
        Whether the settings are folded away at first.
    title
        What is chosen, with a mnemonic; None = how pairs are chosen.
    kind
        Where that first choice is made, if it does not stand above the strategies.

    Notes
    -----
    `changed`: another strategy or another value was chosen.
    """

    changed = Signal()

    def __init__(
        self,
        *,
        folded: bool,
        title: str | None = None,
        kind: KindChoice | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._folded = folded
        self.kind = kind or KindChoice()
        self._offers: tuple[Offer, ...] = ()
        self._start: Approach | None = None
        self._pages: dict[str, StrategySettings] = {}
        name = self._title = QLabel(title or self.tr("&How pairs are chosen"))
        name.setProperty("role", "strong")
        self.names = Choice()
        self.names.setAccessibleName(name.text().replace("&", ""))
        name.setBuddy(self.names)
        self._about = QLabel(wordWrap=True)
        self._about.setProperty("role", "muted")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        if kind is None:
            column.addWidget(self.kind)
            self.kind.setContentsMargins(0, 0, 0, 10)
            self.kind.hide()
        column.addWidget(name)
        column.addWidget(self.names)
        column.addWidget(self._about)
        column.addSpacing(8)
        self.kind.changed.connect(self._list)
        self.names.currentIndexChanged.connect(self._chosen)

    def offer(self, offers: Sequence[Offer], start: Approach | None = None) -> None:
        """Offer strategies, the recommended one first.

        Parameters
        ----------
        start
            What is chosen at first; None = the recommended one, as usual.
        """
        for page in self._pages.values():
            page.deleteLater()
        self._pages = {}
        self._offers = tuple(sorted(offers, key=lambda one: one.strategy != strategies.FIRST))
        self._start = start
        shares = (one.shares for one in self._offers if start and one.strategy == start.strategy)
        self.kind.offer(self._offers, shared=next(shares, False))
        self._list()

    def _list(self) -> None:
        """List the strategies of the kind chosen; where there is but one, nothing is to be said."""
        of_kind = [
            one
            for one in self._offers
            if not self.kind.is_offered or one.shares == self.kind.shared
        ]
        with QSignalBlocker(self.names):
            self.names.clear()
            for one in of_kind:
                title = strategies.title(one.strategy)
                if one.strategy == strategies.FIRST:
                    title = self.tr("{0}, recommended").format(title)
                self.names.addItem(title, one.strategy)
            at = self.names.findData(self._start.strategy) if self._start is not None else 0
            self.names.setCurrentIndex(max(0, at))
        is_choice = len(of_kind) != 1 or not self.kind.is_offered
        for part in (self._title, self.names, self._about):
            part.setVisible(is_choice)
        self._chosen()

    def take_keyboard(self) -> None:
        """Give the keyboard to what is chosen first."""
        stops = self.kind.stops
        chosen = (one for one in stops if isinstance(one, QRadioButton) and one.isChecked())
        next(chosen, self.names).setFocus()

    @property
    def strategy(self) -> str:
        """The strategy chosen; the recommended one while none was offered."""
        return self.names.currentData() or strategies.FIRST

    @property
    def settings(self) -> StrategySettings | None:
        """What can be set about it; None while none was offered."""
        return self._pages.get(self.strategy)

    @property
    def approach(self) -> Approach:
        """The strategy with every parameter."""
        page = self.settings
        return Approach(self.strategy, tuple(page.texts.items()) if page is not None else ())

    @property
    def unusual(self) -> dict[str, str]:
        """The parameters that have not their usual value."""
        usual = strategies.usual(self._offers, self.strategy)
        return {key: text for key, text in self.approach.params if usual.get(key) != text}

    @property
    def fault(self) -> str:
        """What is to be put right; "" = nothing."""
        page = self.settings
        return page.fault if page is not None else ""

    def _chosen(self) -> None:
        """Show the settings of the strategy chosen; they are made when first seen."""
        name = self.strategy
        self._about.setText(strategies.about(name))
        self.names.setAccessibleDescription(self._about.text())
        self.names.setToolTip(self._about.text())
        offer = next((one for one in self._offers if one.strategy == name), None)
        if offer is not None and name not in self._pages:
            is_start = self._start is not None and self._start.strategy == name
            texts = dict(self._start.params) if is_start and self._start is not None else {}
            page = StrategySettings(offer, texts, folded=self._folded)
            page.changed.connect(self.changed)
            layout = self.layout()
            if layout is not None:
                layout.addWidget(page)
            self._pages[name] = page
            for before, after in pairwise([self.names, *page.stops]):  # else they come last
                self.setTabOrder(before, after)
        for other, page in self._pages.items():
            page.setVisible(other == name)
        self.changed.emit()
