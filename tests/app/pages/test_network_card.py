"""How others reach this computer, in words."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from app.pages.training.network_card import NetworkCard
from core.localizable import LocalizedText
from core.protocol.events import Network

pytestmark = pytest.mark.usefixtures("english")


@pytest.fixture
def card(qtbot: QtBot) -> NetworkCard:
    card = NetworkCard()
    qtbot.addWidget(card)
    return card


def test_it_is_hidden_until_something_is_known(card: NetworkCard) -> None:
    card.show_network(None)
    assert card.isHidden()


def test_it_says_the_way_the_reason_and_what_could_be_done(card: NetworkCard) -> None:
    card.show_network(
        Network(
            mode="client",
            reason=LocalizedText("Nobody came."),
            advice=LocalizedText("Forward port 9."),
            test="done",
        )
    )
    assert card.text.splitlines() == ["Only outgoing connections.", "Nobody came.", "Forward port 9."]
    card.show_network(Network(mode="direct", reason=LocalizedText("2 of 2 peers came."), test="done"))
    assert card.text.splitlines() == ["Others connect to this computer.", "2 of 2 peers came."]


def test_it_asks_again_once_there_is_an_answer_and_only_where_there_is_something_to_ask(
    card: NetworkCard, qtbot: QtBot
) -> None:
    card.show_network(Network(mode="client", reason=LocalizedText("You chose it.")))
    assert card.test.isHidden()
    card.show_network(Network(mode="client", reason=LocalizedText("Wait."), test="running"))
    assert not card.test.isHidden() and not card.test.isEnabled()
    card.show_network(Network(mode="client", reason=LocalizedText("Nobody came."), test="done"))
    with qtbot.waitSignal(card.test_requested):
        card.test.click()


def test_a_strangers_tricks_are_made_harmless(card: NetworkCard) -> None:
    card.show_network(Network(mode="client", reason=LocalizedText("up\u202edown"), advice=LocalizedText("<b>bold</b>")))
    assert "\u202e" not in card.text and "<b>bold</b>" in card.text


def test_the_runs_share_of_the_traffic_stands_below_what_was_sent(card: NetworkCard) -> None:
    card.show_network(Network(mode="direct", reason=LocalizedText("2 of 2 peers came."), test="done"))
    card.show_traffic("Sent 1 MB", "This run: 62 %")
    assert card.text.splitlines()[-2:] == ["Sent 1 MB", "This run: 62 %"]
    card.show_traffic("Sent 1 MB", "")
    assert card.text.splitlines()[-1] == "Sent 1 MB"
