"""What the window says where something is wrong, and the one button beside it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.presentation.alerts import alert_of
from app.presentation.error_actions import button_of, remedy_of
from core.client.reducer import reduce
from core.client.session import Session
from core.errors import ErrorKind
from core.protocol.client_events import Asked
from core.protocol.commands import Join, Start
from core.protocol.events import Restarting
from tests.support.consents import NO_DIGEST

pytestmark = pytest.mark.usefixtures("english")


def test_a_network_that_is_away_is_no_crash() -> None:
    outage = Restarting(attempt=1, seconds=2.0, problem=ErrorKind.NOBODY_ANSWERS.key)
    joining = reduce(Session(), Asked(Join(addresses=(), home="/tmp")))
    consent = Start(run_id="sums", organiser="me", digest=NO_DIGEST, device="cpu")
    alert = alert_of(replace(joining, consent=consent, restarting=outage), None, frozenset())
    assert alert is not None
    assert (alert.title, alert.is_grave) == ("Nobody answers just now.", False)


@pytest.mark.parametrize("problem", ErrorKind)
def test_every_problem_has_one_button(problem: ErrorKind) -> None:
    assert remedy_of(problem) in ("again", "back", "settings", "log")
    assert button_of(problem)
