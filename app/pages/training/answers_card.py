"""The card of what the model answers to questions that nobody trains on: at first, and now."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPixmap
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from app.appearance.line_breaks import breakable
from app.presentation.answers import MOST_EXAMPLES, Answers
from app.widgets.labels import Heading, Hint, Strong, Words
from app.widgets.layout.card import Card
from core.placeholders import fill_placeholders
from core.protocol.examples import Picture
from core.texts import figures

_GAP = 18
_PICTURE_PIXELS = 48


class AnswersCard(Card):
    """A few questions in rows, the model's answers in columns; hidden where a run has none.

    Attributes:
        pictures: what each question is about, in the order of the rows; hidden where that is words alone.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._heading, self._names = Heading(), (Hint(), Hint(), Hint())
        self._rows = [(Words(), Words(), Strong()) for _ in range(MOST_EXAMPLES)]
        self.pictures = tuple(_ExamplePicture() for _ in range(MOST_EXAMPLES))
        grid = QGridLayout()
        grid.setHorizontalSpacing(_GAP)
        grid.setVerticalSpacing(6)
        for number, labels in enumerate([self._names, *self._rows]):
            for column, label in enumerate(labels, 1):
                grid.addWidget(label, number, column, Qt.AlignmentFlag.AlignTop)
        for number, picture in enumerate(self.pictures, 1):
            grid.addWidget(picture, number, 0, Qt.AlignmentFlag.AlignTop)
        for column, share in enumerate((2, 1, 1), 1):
            grid.setColumnStretch(column, share)
        self.parts.addWidget(self._heading)
        self.parts.addLayout(grid)
        self.hide()

    @property
    def text(self) -> str:
        """Everything that the card says, one row a line."""
        rows = (" | ".join(label.text() for label in labels) for labels in (self._names, *self._rows))
        return "\n".join(row for row in rows if row.strip(" |"))

    def show_answers(self, answers: Answers | None) -> None:
        """Show the questions, and the answers of the first and the latest evaluation."""
        self.setVisible(answers is not None)
        if answers is None:
            return
        self._heading.set_text(self.tr("What the model answers to questions that nobody trains on"))
        is_later = answers.epoch > answers.first_epoch
        first = fill_placeholders(self.tr("at epoch %1"), figures.count(answers.first_epoch)) if is_later else ""
        now = fill_placeholders(self.tr("now, at epoch %1"), figures.count(answers.epoch))
        for name, heading in zip(self._names, (self.tr("question"), first, now), strict=True):
            name.set_text(heading)
        for number, labels in enumerate(self._rows):
            answer = answers.answers[number] if number < len(answers.answers) else None
            words = ("", "", "") if answer is None else (answer.question, answer.first, answer.now)
            for label, said in zip(labels, words, strict=True):
                label.set_text(breakable(said))
            self.pictures[number].show_picture(
                answer.picture if answer else None, fill_placeholders(self.tr("Picture of: %1"), words[0])
            )


class _ExamplePicture(QLabel):
    """A small picture of whoever made the data; hidden without one."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedSize(_PICTURE_PIXELS, _PICTURE_PIXELS)
        self.setScaledContents(True)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self._shown: Picture | None = None
        self.hide()

    def show_picture(self, picture: Picture | None, name: str) -> None:
        """Show it, with that name for who does not see it; the same one is drawn once."""
        self.setAccessibleName(name if picture else "")
        self.setVisible(picture is not None)
        if picture is None or picture == self._shown:
            return
        self._shown = picture
        row_bytes = 3 * picture.side
        image = QImage(picture.rgb, picture.side, picture.side, row_bytes, QImage.Format.Format_RGB888)
        self.setPixmap(QPixmap.fromImage(image))  # which copies the pixels
