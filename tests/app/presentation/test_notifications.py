"""What the desktop is told: the run's end, a problem, the end of a snooze; nothing else."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from app.presentation.notifications import notice_of
from core.client.session import Session
from core.errors import ErrorKind
from core.protocol.client_events import Pause
from core.protocol.commands import Start
from core.protocol.events import RunFound
from core.run.steering.control_value import Order
from tests.support.consents import NO_DIGEST
from tests.support.peers.fake_worker import ORGANISER, manifest, progress

START = Start(run_id="sums", organiser=ORGANISER, digest=NO_DIGEST, device="cpu")
FOUND = RunFound(manifest=manifest(), organiser=ORGANISER, vouched=True)
TRAINING = Session(phase="training", consent=START, chosen=FOUND)
NOW = 1_790_000_000.0


def closed(state: str) -> RunFound:
    """The run, once its organiser has said so."""
    run = msgspec.structs.replace(FOUND.manifest.run, state=state, notice="See you on\nMonday")
    return msgspec.structs.replace(FOUND, manifest=msgspec.structs.replace(FOUND.manifest, run=run))


def test_progress_is_no_news(qtbot: object) -> None:
    assert notice_of(TRAINING, replace(TRAINING, progress=progress(5)), NOW) is None


def test_a_problem_is_told_once() -> None:
    failed = replace(TRAINING, phase="ended", problem=ErrorKind.OUT_OF_MEMORY)
    notice = notice_of(TRAINING, failed, NOW)
    assert notice is not None
    assert "memory" in notice.title
    assert notice_of(failed, replace(failed, is_worker_running=False), NOW) is None


def test_the_organisers_words_come_with_the_end_of_the_run() -> None:
    notice = notice_of(TRAINING, replace(TRAINING, chosen=closed("finished")), NOW)
    assert notice is not None
    assert notice.title == "The run is finished"
    assert "“Sums”" in notice.words
    assert "See you on Monday" in notice.words
    paused = notice_of(TRAINING, replace(TRAINING, chosen=closed("paused")), NOW)
    assert paused is not None
    assert paused.title == "The organiser has paused the run"


def test_an_order_to_all_peers_is_told_with_its_reason() -> None:
    for state, title in (
        ("paused", "The organiser has paused the run"),
        ("draining", "The organiser brings the run to a stop"),
    ):
        order = Order(state=state, reason="Maintenance.")  # type: ignore[arg-type]
        asked = replace(TRAINING, chosen=msgspec.structs.replace(FOUND, order=order))
        notice = notice_of(TRAINING, asked, NOW)
        assert notice is not None and notice.title == title and notice.words.endswith("Maintenance.")
        assert notice_of(asked, TRAINING, NOW) is None


def test_the_end_of_a_snooze_is_told_and_a_person_who_resumes_is_not() -> None:
    snoozing = replace(TRAINING, phase="paused", pause=Pause(until=NOW))
    resumed = replace(snoozing, phase="connecting", pause=None)
    assert notice_of(snoozing, resumed, NOW) is not None
    assert notice_of(snoozing, resumed, NOW - 600) is None
    assert notice_of(replace(snoozing, pause=Pause()), resumed, NOW) is None
