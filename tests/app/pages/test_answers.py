"""The card of the model's answers: what it answered at first beside what it answers now, of sums, texts, pictures."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.pages.training.page import TrainingPage
from app.presentation.answers import MOST_EXAMPLES, compared_answers
from core.client.reducer import reduce
from core.client.session import Session
from core.protocol.events import Evaluated
from core.protocol.examples import Picture, Solved
from tests.app.support.training_sample import NOW, SampleCurves, show, training

RED, DARK_RED = (Picture(side=2, rgb=bytes((red, 10, 20)) * 4) for red in (230, 120))
HOSTILE = "<img src='http://198.51.100.7/x'><b>click</b>\u202e\n" + "x" * 150


def evaluated(epoch: int, *answers: tuple[str, str, bool]) -> Evaluated:
    solved = (
        Solved(text=f"{question}={answer}", correct=correct, question=question, answer=answer)
        for question, answer, correct in answers
    )
    return Evaluated(epoch=epoch, loss=1.0, accuracy=0.5, examples=tuple(solved))


def classified(epoch: int, *answers: tuple[Picture, str]) -> Evaluated:
    """What a model takes pictures for that are all red."""
    solved = (
        Solved(text=f"red ▸ {answer}", correct=answer == "red", question="red", answer=answer, picture=picture)
        for picture, answer in answers
    )
    return Evaluated(epoch=epoch, loss=1.0, accuracy=0.5, examples=tuple(solved))


def learning(*evaluations: Evaluated) -> Session:
    """A session in training that has seen those evaluations in turn."""
    session = training(evaluated=None, first_evaluated=None)
    for each in evaluations:
        session = reduce(session, each)
    return session


@pytest.fixture
def page(qtbot: QtBot, english: None) -> TrainingPage:
    page = TrainingPage(SampleCurves())
    qtbot.addWidget(page)
    page.resize(800, 600)
    page.show()
    qtbot.waitExposed(page)
    return page


def test_answers_of_now_stand_beside_those_of_the_first_evaluation(page: TrainingPage) -> None:
    first = evaluated(3, ("17+25", "9", False), ("1+1", "2", True))
    show(page, learning(first), NOW)
    assert page.answers.text == "question |  | now, at epoch 3\n17+25 |  | 9 ✗\n1+1 |  | 2 ✓"
    between, last = evaluated(9, ("17+25", "41", False)), evaluated(40, ("17+25", "42", True), ("1+1", "2", True))
    show(page, learning(first, between, last), NOW)
    assert page.answers.text == ("question | at epoch 3 | now, at epoch 40\n17+25 | 9 ✗ | 42 ✓\n1+1 | 2 ✓ | 2 ✓")


def test_a_run_without_examples_shows_no_card(page: TrainingPage) -> None:
    show(page, learning(evaluated(3)), NOW)
    assert page.answers.isHidden()
    told_by_an_older_worker = Evaluated(epoch=3, loss=1.0, accuracy=0.5, examples=(Solved(text="1+1=2", correct=True),))
    show(page, learning(told_by_an_older_worker), NOW)
    assert page.answers.isHidden()


def test_what_a_data_set_says_is_plain_text_of_few_lines(page: TrainingPage) -> None:
    many = tuple((HOSTILE + str(number), HOSTILE, False) for number in range(MOST_EXAMPLES + 3))
    session = learning(evaluated(3, *many))
    show(page, session, NOW)
    answers = compared_answers(session)
    assert answers is not None and len(answers.answers) == MOST_EXAMPLES
    labels = page.answers.findChildren(QLabel)
    assert all(label.textFormat() is Qt.TextFormat.PlainText for label in labels)
    said = [label.text().replace("\u200b", "") for label in labels]
    assert any(text.startswith("<img src=") for text in said), "the words are there, and mean nothing"
    assert all(len(text) <= 130 and "\n" not in text and "\u202e" not in text for text in said)


def test_a_text_that_goes_on_otherwise_is_shown_with_what_the_model_writes(page: TrainingPage) -> None:
    first = evaluated(3, ("Once upon a", "the the the", False))
    show(page, learning(first, evaluated(9, ("Once upon a", "time there was", False))), NOW)
    assert page.answers.text.endswith("\nOnce upon a | the the the ✗ | time there was ✗")
    assert all(picture.isHidden() for picture in page.answers.pictures)


def test_a_held_out_picture_stands_beside_what_it_shows_and_what_the_model_takes_it_for(page: TrainingPage) -> None:
    first = classified(3, (RED, "blue"), (DARK_RED, "green"))
    show(page, learning(first, classified(9, (RED, "red"), (DARK_RED, "blue"))), NOW)
    rows = page.answers.text.splitlines()[1:]
    assert rows == ["red | blue ✗ | red ✓", "red | green ✗ | blue ✗"], "two pictures of one class are two questions"
    bright, dark, none = page.answers.pictures
    assert none.isHidden() and bright.isVisible() and bright.accessibleName() == "Picture of: red"
    for picture, red in ((bright, 230), (dark, 120)):
        colour = picture.grab().toImage().pixelColor(20, 20)
        assert (colour.red(), colour.green(), colour.blue()) == (red, 10, 20)
    show(page, learning(evaluated(3, ("17+25", "42", True))), NOW)
    assert bright.isHidden() and dark.isHidden()
