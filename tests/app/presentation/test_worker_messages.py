"""What the worker says is German in a German window; a worker that is newer is still understood."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication

from core.localizable import LocalizedText, join_sentences
from core.texts.worker_messages import translate_message
from tests.app.support.language_context import speaking

FAILED = LocalizedText(
    "The one peer that tried failed to connect to %1.", (LocalizedText("port %1 of your router", ("31337",)),)
)


def test_it_is_translated_with_all_that_is_in_it(qapp: QApplication) -> None:
    with speaking("de"):
        assert translate_message(FAILED) == (
            "Der eine Teilnehmer, der es versucht hat, bekam keine Verbindung zu Port 31337 Ihres Routers."
        )


def test_what_the_window_has_never_heard_stays_english(qapp: QApplication) -> None:
    with speaking("de"):
        assert (
            translate_message(join_sentences(LocalizedText("The moon has %1.", ("risen",)), LocalizedText()))
            == "The moon has risen."
        )


def test_nothing_is_said_where_there_is_nothing_to_say(qapp: QApplication) -> None:
    assert translate_message(LocalizedText()) == ""
