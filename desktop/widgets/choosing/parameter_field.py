"""One parameter as a field: its name, what it takes, what it does, and what is wrong with it.

Hidden: which widget suits which type. Promised: what is accepted is what the engine accepts, as
`engine.parameters.checked` is the judge; a value that is not the usual one is told in words.
"""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from desktop.translation import QT_TRANSLATE_NOOP
from engine.errors import ParameterError
from engine.parameters import Parameter, checked, unmarked

_TITLES = {
    "groups": QT_TRANSLATE_NOOP("Parameters", "Number of groups"),
    "noise": QT_TRANSLATE_NOOP("Parameters", "Share of wrong answers"),
    "compose": QT_TRANSLATE_NOOP("Parameters", "What groups make together"),
    "degree": QT_TRANSLATE_NOOP("Parameters", "Most groups of one item"),
    "normalize": QT_TRANSLATE_NOOP("Parameters", "Compare directions only"),
}
_NOTHING = {("groups", "0"): QT_TRANSLATE_NOOP("Parameters", "not known")}
"""Values that stand for none: an empty line says so in words."""


def readable(name: str) -> str:
    """Write a parameter's name as people read it."""
    words = name.replace("_", " ").replace("-", " ")
    if len(words) > 1:  # a single letter is the article's symbol
        words = words[0].upper() + words[1:]
    return QCoreApplication.translate("Parameters", _TITLES.get(name, words))


class Choice(QComboBox):
    """A combo box that the wheel passes by unless it has the focus: it stands where one scrolls."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        short = QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        self.setSizeAdjustPolicy(short)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Turn only what the keyboard would change as well."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class ParameterField(QWidget):
    """A parameter's field, with all that is to be said of it.

    Parameters
    ----------
    parameter
        What it is for.
    text
        Its value; None = the usual one.

    Notes
    -----
    `changed`: the value is another one, or no value any more.
    """

    changed = Signal()

    def __init__(
        self, parameter: Parameter, text: str | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.parameter = parameter
        self.input = self._make_input()
        self.file: QPushButton | None = self._make_file_button() if parameter.files else None
        self._usually = QLabel()
        self._usually.setProperty("role", "muted")
        self._wrong = QLabel(wordWrap=True)
        self._wrong.setProperty("role", "error")
        self._lay_out()
        self._put(parameter.default if text is None else text)
        self._tell()

    @property
    def title(self) -> str:
        """The parameter's name in words."""
        return readable(self.parameter.name)

    @property
    def stops(self) -> list[QWidget]:
        """What the Tab key visits."""
        return [self.input] if self.file is None else [self.input, self.file]

    # ------------------------------------------------------------------ layout

    def _make_input(self) -> QCheckBox | QComboBox | QLineEdit:
        parameter = self.parameter
        if parameter.type is bool:
            box = QCheckBox(self.title)
            box.toggled.connect(self._edited)
            return box
        if parameter.choices:
            choice = Choice()
            choice.addItems(parameter.choices)
            choice.setEditable(bool(parameter.files))
            choice.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
            choice.currentTextChanged.connect(self._edited)
            return choice
        line = QLineEdit()
        line.setPlaceholderText(self._nothing())
        line.textChanged.connect(self._edited)
        return line

    def _make_file_button(self) -> QPushButton:
        button = QPushButton(self.tr("File…"))
        button.setAutoDefault(False)
        button.setToolTip(self.tr("Take what a file says"))
        button.setAccessibleName(self.tr("Choose a file: {0}").format(self.title))
        button.clicked.connect(self._choose_file)
        return button

    def _choose_file(self) -> None:
        endings = " ".join(f"*{ending}" for ending in self.parameter.files)
        kinds = self.tr("Files that fit ({0})").format(endings)
        now = self._typed()
        start = "" if now in self.parameter.choices else unmarked(now)[0]
        chosen, _ = QFileDialog.getOpenFileName(self, self.title, start, kinds)
        if chosen:
            self.text = chosen

    def _lay_out(self) -> None:
        heading = QHBoxLayout()
        if isinstance(self.input, QCheckBox):
            heading.addWidget(self.input)
        else:
            name = QLabel(self.title)
            name.setProperty("role", "strong")
            name.setBuddy(self.input)
            heading.addWidget(name)
        heading.addStretch(1)
        heading.addWidget(self._usually)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(heading)
        if self.file is not None:
            row = QHBoxLayout()
            row.addWidget(self.input, 1)
            row.addWidget(self.file)
            column.addLayout(row)
        elif not isinstance(self.input, QCheckBox):
            column.addWidget(self.input)
        column.addWidget(self._wrong)
        words = QLabel(self._help(), wordWrap=True)
        words.setProperty("role", "muted")
        words.setVisible(bool(words.text()))
        column.addWidget(words)
        self.input.setAccessibleName(self.title)

    def _help(self) -> str:
        words = QCoreApplication.translate("Parameters", self.parameter.help)
        if self._nothing():
            return self.tr("{0} Leave it empty if you do not know.").format(words)
        return words

    def _nothing(self) -> str:
        """Say what an empty line stands for; "" where it stands for nothing."""
        words = _NOTHING.get((self.parameter.name, self.parameter.default or ""), "")
        return QCoreApplication.translate("Parameters", words) if words else ""

    # ------------------------------------------------------------------ value

    @property
    def text(self) -> str:
        """The value as the engine writes it; of what it would refuse, what was typed."""
        typed = self._typed()
        try:
            return checked(self.parameter, typed)
        except ParameterError:
            return typed

    @text.setter
    def text(self, text: str) -> None:
        self._put(text)

    @property
    def fault(self) -> str:
        """What is to be put right; "" = nothing."""
        typed = self._typed()
        try:
            checked(self.parameter, typed)
        except ParameterError as error:
            names_file = typed.lower().endswith(self.parameter.files or (" ",))
            return self._of_file(error) if names_file else self._wanted()
        return ""

    def _of_file(self, error: ParameterError) -> str:
        """Say what is the matter with a file; the field need not be named in it."""
        text = error.message.removeprefix(f"{self.parameter.name}: ")
        return f"{text[:1].upper()}{text[1:]}."

    @property
    def is_usual(self) -> bool:
        """Whether the value is the one it has by default."""
        return self.text == self.parameter.default

    def _typed(self) -> str:
        match self.input:
            case QCheckBox():
                return "yes" if self.input.isChecked() else "no"
            case QComboBox() if self.input.isEditable():
                return self.input.currentText().strip().strip('"')  # as paths are copied
            case QComboBox():
                return self.input.currentText()
        typed = self.input.text()
        if not typed.strip() and self._nothing():
            return self.parameter.default or ""
        return typed

    def _put(self, text: str | None) -> None:
        match self.input:
            case QCheckBox():
                self.input.setChecked(text == "yes")
            case QComboBox() if self.input.isEditable():
                self.input.setCurrentText(text or "")
            case QComboBox():
                self.input.setCurrentIndex(-1 if text is None else self.input.findText(text))
            case QLineEdit():
                is_nothing = self._nothing() and text == self.parameter.default
                self.input.setText("" if is_nothing else text or "")

    def _edited(self, *_: object) -> None:
        self._tell()
        self.changed.emit()

    # ------------------------------------------------------------------ words

    def _tell(self) -> None:
        """Say what is wrong, and what the value usually is where it is another."""
        fault = self.fault
        usual = "" if self.is_usual else self._usual()
        self._usually.setText(usual)
        self._usually.setVisible(bool(usual))
        self._wrong.setText(fault)
        self._wrong.setVisible(bool(fault))
        if bool(fault) != bool(self.input.property("faulty")):
            self.input.setProperty("faulty", bool(fault))
            self.input.style().unpolish(self.input)
            self.input.style().polish(self.input)
        said = " ".join(part for part in (fault, self._help(), usual) if part)
        self.input.setAccessibleDescription(said)

    def _usual(self) -> str:
        if self.parameter.default is None:
            return ""
        usual = self._nothing() or self.parameter.default
        if self.parameter.type is bool:
            usual = self.tr("on") if usual == "yes" else self.tr("off")
        return self.tr("usually {0}").format(usual)

    def _wanted(self) -> str:
        parameter = self.parameter
        if parameter.files:
            return self.tr("Choose one of the list, or a file.")
        if parameter.choices:
            return self.tr("Choose one of the list.")
        whole = parameter.type is int
        if parameter.most is not None:
            lowest = parameter.above if parameter.least is None else parameter.least
            text = self.tr("Give a number from {0} to {1}, such as {2}.")
            if parameter.least is None:
                text = self.tr("Give a number above {0} and at most {1}, such as {2}.")
            return text.format(f"{lowest or 0:g}", f"{parameter.most:g}", parameter.default)
        if parameter.least is not None:
            text = self.tr("Give a whole number, {0} or more.")
            text = text if whole else self.tr("Give a number, {0} or more, such as {1}.")
            return text.format(f"{parameter.least:g}", parameter.default or "0.5")
        if parameter.above is not None:
            text = self.tr("Give a whole number above {0}.")
            text = text if whole else self.tr("Give a number above {0}, such as {1}.")
            return text.format(f"{parameter.above:g}", parameter.default or "0.5")
        return self.tr("Give a whole number.") if whole else self.tr("Give a number.")
