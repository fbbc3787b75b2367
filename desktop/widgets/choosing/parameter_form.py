"""A form that makes itself of a list of parameters.

Hidden: which of them are folded away. Promised: `texts` is what the engine takes wherever `fault`
is empty, and what is wrong or unusual is told even while it is folded away.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from desktop.widgets import words
from desktop.widgets.choosing.folded_section import FoldedSection
from desktop.widgets.choosing.parameter_field import ParameterField
from engine.parameters import Parameter


class ParameterForm(QWidget):
    """The form: those that matter first, the others below "More settings".

    Parameters
    ----------
    parameters
        What there is to set.
    texts
        Values by name; what is left out is as usual.

    Notes
    -----
    `changed`: a value is another one, or no value any more.
    """

    changed = Signal()

    def __init__(
        self,
        parameters: Sequence[Parameter],
        texts: Mapping[str, str] | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        given = texts or {}
        self.fields = {
            parameter.name: ParameterField(parameter, given.get(parameter.name))
            for parameter in parameters
        }
        self.more: FoldedSection | None = None
        self.usual = QPushButton(self.tr("Back to the &usual values"))
        self.usual.setProperty("role", "small")
        self.usual.setAutoDefault(False)
        self.usual.clicked.connect(self.reset)
        self._lay_out()
        for field in self.fields.values():
            field.changed.connect(self._changed)
        self._tell()

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        first = [field for field in self.fields.values() if not field.parameter.more]
        rest = [field for field in self.fields.values() if field.parameter.more]
        for field in first or rest:
            column.addWidget(field)
        if first and rest:
            inside = QWidget()
            folded = QVBoxLayout(inside)
            folded.setContentsMargins(0, 0, 0, 0)
            folded.setSpacing(12)
            for field in rest:
                folded.addWidget(field)
            self.more = FoldedSection(self.tr("&More settings"), inside)
            column.addWidget(self.more)
        column.addWidget(self.usual, 0, Qt.AlignmentFlag.AlignLeft)

    @property
    def stops(self) -> list[QWidget]:
        """What the Tab key visits, in the order seen."""
        fields = sorted(self.fields.values(), key=lambda field: field.parameter.more)
        first = [stop for field in fields if not field.parameter.more for stop in field.stops]
        folded = [stop for field in fields if field.parameter.more for stop in field.stops]
        heading = [] if self.more is None else [self.more.heading]
        return [*first, *heading, *folded, self.usual]

    # ------------------------------------------------------------------ values

    @property
    def texts(self) -> dict[str, str]:
        """Every value by name, as the engine writes it."""
        return {name: field.text for name, field in self.fields.items()}

    @property
    def fault(self) -> str:
        """What is to be put right first; "" = nothing."""
        for field in self.fields.values():
            if field.fault:
                return self.tr("{0}: {1}").format(field.title, field.fault)
        return ""

    @property
    def unusual(self) -> tuple[str, ...]:
        """Names of the parameters that have not their usual value."""
        return tuple(name for name, field in self.fields.items() if not field.is_usual)

    def reset(self) -> None:
        """Give every parameter its usual value."""
        for field in self.fields.values():
            field.text = field.parameter.default or ""

    # ------------------------------------------------------------------ words

    def _changed(self) -> None:
        self._tell()
        self.changed.emit()

    def _tell(self) -> None:
        self.usual.setEnabled(bool(self.unusual))
        if self.more is not None:
            self.more.say(_news([f for f in self.fields.values() if f.parameter.more]))

    @property
    def news(self) -> str:
        """What is worth knowing of the form while it is folded away; "" = nothing."""
        return _news(list(self.fields.values()))


def _news(fields: Sequence[ParameterField]) -> str:
    """Count what is to be put right, else what is not as usual; "" = neither."""
    wrong = sum(bool(field.fault) for field in fields)
    unusual = sum(not field.is_usual for field in fields)
    if wrong:
        text = QCoreApplication.translate("ParameterForm", "{0} to put right")
        return text.format(words.number(wrong))
    if unusual:
        text = QCoreApplication.translate("ParameterForm", "{0} not as usual")
        return text.format(words.number(unusual))
    return ""
