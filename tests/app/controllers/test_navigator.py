"""Which page belongs to which moment of a session."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.controllers.navigator import page_for
from core.client.session import Session
from core.errors import ErrorKind
from core.protocol.client_events import Pause
from core.protocol.commands import Start
from tests.app.support.sample_sessions import PEER, run_found, search
from tests.support.consents import NO_DIGEST

FOUND = search(run_found())
TRAINING = replace(
    FOUND, phase="training", consent=Start(run_id="sums", organiser=PEER, digest=NO_DIGEST, device="cpu")
)


@pytest.mark.parametrize(
    ("session", "page"),
    [
        (Session(), "join"),
        (search(is_finished=False), "join"),
        (search(run_found(), is_finished=False), "join"),
        (FOUND, "review"),
        (search(run_found(), run_found("words")), "review"),
        (search(), "join"),
        (replace(FOUND, problem=ErrorKind.NOBODY_ANSWERS), "join"),
        (replace(TRAINING, phase="starting"), "training"),
        (TRAINING, "training"),
        (replace(TRAINING, phase="connecting", is_search_finished=False), "training"),
        (replace(TRAINING, phase="paused", pause=Pause()), "training"),
        (replace(TRAINING, phase="ended"), "join"),
        (replace(TRAINING, phase="ended", problem=ErrorKind.OUT_OF_MEMORY), "training"),
    ],
)
def test_each_moment_has_one_page(session: Session, page: str) -> None:
    assert page_for(session) == page
