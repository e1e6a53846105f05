"""The card of the order: what it shows, and what a person wishes with it."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.pages.order.card import OrderCard
from app.pages.order.view import OrderRow, OrderView

A, B = ("a", "anna"), ("b", "ben")


def shown(qtbot: QtBot, view: OrderView) -> OrderCard:
    """The card with that order."""
    card = OrderCard()
    qtbot.addWidget(card)
    card.show_order(view)
    return card


def test_the_newest_changes_are_shown_and_all_of_them_after_a_click(qtbot: QtBot) -> None:
    card = shown(qtbot, OrderView(rows=(OrderRow(A, "A"),), changes=("one", "two", "three", "four")))
    assert card.text.splitlines() == ["one", "two", "three"]
    card.all_changes.click()
    assert card.text.splitlines() == ["one", "two", "three", "four"]
    assert not card.all_changes.isVisibleTo(card)


def test_a_run_is_added_and_looked_at_and_the_time_to_go_back_is_chosen(qtbot: QtBot) -> None:
    rows = (OrderRow(A, "A", "changed"), OrderRow(B, "B", is_present=True))
    card = shown(qtbot, OrderView(rows=rows, addable=((("c", "cleo"), "C"),)))
    with qtbot.waitSignal(card.added) as added:
        card.add.menu().actions()[0].trigger()
    with qtbot.waitSignal(card.look_requested) as looked:
        card.rows[A].look.click()
    with qtbot.waitSignal(card.return_chosen) as chosen:
        card.return_after.setCurrentIndex(2)
        card.return_after.activated.emit(2)
    assert (added.args, looked.args, chosen.args) == ([("c", "cleo")], [A], [120])
    assert not card.rows[B].look.isVisibleTo(card)


def test_where_there_is_no_order_and_nothing_to_add_there_is_no_card(qtbot: QtBot) -> None:
    card = shown(qtbot, OrderView(rows=(OrderRow(A, "A"),)))
    assert not card.isHidden()
    card.show_order(OrderView())
    assert card.isHidden()


def test_a_present_run_that_its_organiser_has_paused_is_not_said_to_be_helped(qtbot: QtBot) -> None:
    rows = (OrderRow(A, "A", "paused", is_present=True), OrderRow(B, "B"))
    card = shown(qtbot, OrderView(rows=rows))
    assert [each.text() for each in card.rows[A].findChildren(QLabel)] == ["1. A", "paused by its organiser"]
