"""The layout of the judge page: what stands where, at any size of the window.

Hidden: layouts. Promised: the pair gets most of the room, nothing jumps when words come and go,
and no text is cut off in a narrow window.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QFont, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from desktop import theme
from desktop.images import PictureStore
from desktop.widgets.elided_label import ElidedLabel
from desktop.widgets.judging.answer_bar import AnswerBar
from desktop.widgets.judging.aside_menu import AsideMenu
from desktop.widgets.judging.common_card import Candidate
from desktop.widgets.judging.common_choice import CommonChoice
from desktop.widgets.judging.last_answers import LastAnswers
from desktop.widgets.judging.pair_area import PairArea
from desktop.widgets.judging.passing_note import PassingNote
from desktop.widgets.judging.view_tools import ViewTools
from desktop.widgets.notice import Notice
from desktop.widgets.paragraph import Paragraph

_NARROW = 130  # letters: below it the last answers stand under the reason
_CRAMPED = 100  # below it the small buttons do not name their keys
_MARGIN = 16
_FOOT_GAP = 6
_ICON = QSize(18, 18)


class JudgingPane(QWidget):
    """All widgets of the judge page, in their places.

    Parameters
    ----------
    store
        Where pictures come from.

    Attributes
    ----------
    question, progress
        The question in words; how far the person is.
    tools
        How the pair is seen.
    replay, conflict, failure
        Bars for what matters now.
    area, bar
        The pair; the answers.
    guess, aside, undo
        The next answer is a guess; set one or both aside; take back.
    note
        What the last step did.
    why, last
        Why this pair is asked; the last answers.
    choice
        Which groups the pair has in common: asked in the place of all that is below the pair.
    """

    def __init__(self, store: PictureStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.question = QLabel(self)
        heading = QFont(self.font())
        heading.setPointSizeF(heading.pointSizeF() * 1.3)
        heading.setWeight(QFont.Weight.DemiBold)
        self.question.setFont(heading)
        self.question.setWordWrap(True)
        self.question.setTextFormat(Qt.TextFormat.PlainText)
        self.progress = ElidedLabel(parent=self, parted_by=" · ")
        self.progress.setProperty("role", "muted")
        self.area = PairArea(store, self)
        self.tools = ViewTools(self.area.views, self)
        self.replay = Notice("history", "accent", self)
        self.conflict = Notice("warning", "warning", self)
        self.failure = Notice("image", "warning", self)
        self.bar = AnswerBar(self)
        self._is_narrow = self._in_full = False
        self._words: dict[QPushButton, tuple[str, str]] = {}
        self.guess = self._small(
            self.tr("Guess"), self.tr("G"), self.tr("The next answer is only a guess (G)")
        )
        self.guess.setCheckable(True)
        self.aside = self._small(
            self.tr("Set aside…"),
            self.tr("X"),
            self.tr("Ask no more about an item that cannot be judged (X)"),
        )
        self.aside_menu = AsideMenu(self)
        self.undo = self._small(
            self.tr("Undo"),
            self.tr("Backspace"),
            self.tr("Take the last step back (Backspace or Ctrl+Z)"),
        )
        self.note = PassingNote(self)
        self.why = Paragraph(2, self)
        self.why.setProperty("role", "muted")
        self.why.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.last = LastAnswers(store, self)
        self.choice = CommonChoice(store, self)
        self.choice.hide()
        self._lay_out()
        self._color()
        theme.current().themeChanged.connect(self._color)

    def _small(self, word: str, key: str, tip: str) -> QPushButton:
        button = QPushButton(word, self)
        self._words[button] = (word, key)
        button.setAccessibleName(word)
        button.setProperty("role", "quiet")
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setToolTip(tip)
        button.setAccessibleDescription(tip)
        button.setIconSize(_ICON)
        return button

    def _lay_out(self) -> None:
        asked = QHBoxLayout()
        asked.setSpacing(12)
        asked.addWidget(self.question, 1)
        asked.addWidget(self.tools, 0, Qt.AlignmentFlag.AlignTop)
        head = QVBoxLayout()
        head.setSpacing(0)
        head.addLayout(asked)
        head.addWidget(self._line())
        under = QHBoxLayout()
        under.setSpacing(4)
        under.setContentsMargins(0, -4, 0, -4)  # quiet buttons have room of their own
        under.addWidget(self.guess)
        under.addWidget(self.aside)
        under.addWidget(self.note, 1)
        under.addWidget(self.undo)
        self._below = _Kept(self._foot_height, self)
        self._foot = QBoxLayout(QBoxLayout.Direction.LeftToRight, self._below)
        self._foot.setContentsMargins(0, 0, 0, 0)
        self._foot.setSpacing(_FOOT_GAP)
        self._foot.addWidget(self.why, 1)
        self._foot.addWidget(self.last)
        # not Maximum: the reason above it would be laid out as narrow as that
        self.last.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        column = QVBoxLayout(self)
        column.setContentsMargins(_MARGIN, 10, _MARGIN, 8)
        column.setSpacing(7)
        column.addLayout(head)
        column.addWidget(self.area, 1)
        self._answers = QWidget(self)
        answers = QVBoxLayout(self._answers)
        answers.setContentsMargins(0, 0, 0, 0)
        answers.setSpacing(7)
        answers.addWidget(self.bar)
        answers.addLayout(under)
        answers.addWidget(self._below)
        column.addWidget(self._answers)
        column.addWidget(self.choice)

    def ask_which(self, candidates: Sequence[Candidate]) -> None:
        """Ask which groups the pair has in common, instead of whether it has any."""
        self.choice.setMinimumHeight(self._answers.height())  # where it fits, nothing moves
        self.choice.resize(self._answers.size())
        self._answers.hide()
        self.choice.show()
        self.choice.ask(candidates)

    def ask_whether(self) -> None:
        """Ask about the pair itself again."""
        self.choice.clear()
        self.choice.hide()
        self._answers.show()

    def _line(self) -> QWidget:
        """Make the line below the question: how far the person is, or what matters more now.

        Its height is that of a notice, whether there is one or not.
        """
        notices = (self.replay, self.conflict, self.failure)
        return _Line(notices, self.progress, self)

    def show_why(self, text: str, *, in_full: bool) -> None:
        """Say why this pair is asked; in full, where there is little room, it takes all of it."""
        self._in_full = in_full
        self.why.setText(text)
        self._share_foot()

    def _foot_height(self) -> int:
        """Give the height of reason and last answers, whether there are any or not."""
        reason, answers = self.why.sizeHint().height(), self.last.minimumHeight()
        return reason + _FOOT_GAP + answers if self._is_narrow else max(reason, answers)

    def _share_foot(self) -> None:
        """Let the last answers give way to the reason in full: the height stays the same."""
        self.last.setVisible(not (self._is_narrow and self._in_full))

    def changeEvent(self, event: QEvent) -> None:
        """Follow another font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            for kept in self.findChildren(_Kept):
                kept.updateGeometry()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the last answers under the reason where both do not fit side by side."""
        super().resizeEvent(event)
        ways = QBoxLayout.Direction
        width = event.size().width() // self.fontMetrics().averageCharWidth()
        narrow = self._is_narrow = width < _NARROW
        self._foot.setDirection(ways.TopToBottom if narrow else ways.LeftToRight)
        self._below.updateGeometry()
        self._share_foot()
        self._name_keys(shown=width >= _CRAMPED)

    def _name_keys(self, *, shown: bool) -> None:
        """Name the keys of the small buttons where there is room; their tool tips always do."""
        for button, (word, key) in self._words.items():
            button.setText(f"{word}  {key}" if shown else word)

    def _color(self) -> None:
        self.aside.setIcon(theme.icon("aside"))
        self.undo.setIcon(theme.icon("undo"))
        colors = theme.current().colors
        self.guess.setStyleSheet(
            f"QPushButton:checked {{ background: {colors.hover}; border-color: {colors.accent}; }}"
        )


class _Kept(QWidget):
    """A place whose height is kept, whatever comes and goes in it.

    Parameters
    ----------
    height
        Gives it, in the font in force.
    """

    def __init__(self, height: Callable[[], int], parent: QWidget) -> None:
        super().__init__(parent)
        self._height = height
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(0, self._height())

    def minimumSizeHint(self) -> QSize:
        return QSize(super().minimumSizeHint().width(), self._height())


class _Line(_Kept):
    """A line for notices, and for a text that takes what room they leave, were it none.

    Parameters
    ----------
    notices
        At most a few of them are shown.
    text
        Hidden where not even its first part has room: the notice gets it all.
    """

    def __init__(self, notices: Sequence[Notice], text: ElidedLabel, parent: QWidget) -> None:
        super().__init__(lambda: max(notice.sizeHint().height() for notice in notices), parent)
        self._notices = notices
        self._text = text
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(12)
        for notice in notices:
            self._row.addWidget(notice)
        text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._row.addWidget(text, 1)

    def event(self, event: QEvent) -> bool:
        """Share the room anew when a notice comes, goes or says something else."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._share()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share()

    def _share(self) -> None:
        taken = sum(
            notice.sizeHint().width() + self._row.spacing()
            for notice in self._notices
            if not notice.isHidden()
        )
        self._text.setVisible(not taken or self._text.fits(self.width() - taken))
