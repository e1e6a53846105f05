"""What the window says where something is wrong, and the one button beside it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QApplication

from app.presentation.alerts import alert_of
from app.presentation.error_actions import button_of, remedy_of
from core.client.reducer import reduce
from core.client.session import Session
from core.errors import ErrorKind
from core.localizable import localized
from core.protocol.client_events import Asked
from core.protocol.codec import decode_event, encode
from core.protocol.commands import Join, Start
from core.protocol.events import Restarting, Warned
from core.security.verified_download import RefusedError
from core.texts.event_log import line as event_log_line
from tests.app.support.language_context import speaking
from tests.support.consents import NO_DIGEST

pytestmark = pytest.mark.usefixtures("english")


def test_a_network_that_is_away_is_no_crash() -> None:
    outage = Restarting(attempt=1, seconds=2.0, problem=ErrorKind.NOBODY_ANSWERS.key)
    joining = reduce(Session(), Asked(Join(addresses=(), home="/tmp")))
    consent = Start(run_id="sums", organiser="me", digest=NO_DIGEST, device="cpu")
    alert = alert_of(replace(joining, consent=consent, restarting=outage), None, frozenset())
    assert alert is not None
    assert (alert.title, alert.is_grave) == ("Nobody answers just now.", False)


def test_a_full_disk_is_named_and_what_to_do_about_it() -> None:
    full = Restarting(attempt=1, seconds=2.0, problem=ErrorKind.DISK_FULL.key, detail="/data: No space left on device.")
    joining = reduce(Session(), Asked(Join(addresses=(), home="/tmp")))
    alert = alert_of(replace(joining, restarting=full), None, frozenset())
    assert alert is not None and not alert.is_grave
    assert alert.title == "The disk is full (/data: No space left on device)."
    assert alert.advice.startswith("Free some space") and "tries again by itself" in alert.advice


TOO_SHORT = RefusedError(localized("it has %1 bytes, and should have %2", 3, 4))


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (
            Warned(problem=ErrorKind.OUT_OF_MEMORY.key, detail=localized("It goes on with %1 samples at a time.", 4)),
            "Es geht mit 4 Beispielen auf einmal weiter.",
        ),
        (
            Warned(
                problem=ErrorKind.FILES_REFUSED.key,
                detail=localized(
                    "%1: %2.",
                    "https://a.example/b",
                    TOO_SHORT,
                ),
            ),
            "https://a.example/b: sie hat 3 Bytes und müsste 4 haben.",
        ),
        (Warned(problem=ErrorKind.DISK_FULL.key, detail="No space left on device"), "No space left on device"),
    ],
)
def test_what_in_particular_went_wrong_is_german_in_german(qapp: QApplication, event: Warned, said: str) -> None:
    received = decode_event(encode(event))
    assert isinstance(received, Warned)
    session = replace(Session(), warnings=(received,))
    with speaking("de"):
        alert = alert_of(session, None, frozenset())
        assert alert is not None and alert.detail == said
        assert said in (event_log_line(received) or "")


@pytest.mark.parametrize("problem", ErrorKind)
def test_every_problem_has_one_button(problem: ErrorKind) -> None:
    assert remedy_of(problem) in ("again", "back", "settings", "log")
    assert button_of(problem)
