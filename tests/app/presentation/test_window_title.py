"""What a task bar shows: how things are, with which run."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from app.presentation.window_title import window_title
from core.client.session import Session
from core.errors import ErrorKind
from core.protocol.client_events import Pause
from core.protocol.commands import Start
from core.protocol.events import ContributionStatus, Restarting
from core.run.steering.control_value import Order
from tests.app.support.sample_sessions import PEER, run_found, search
from tests.support.consents import NO_DIGEST

CONSENT = Start(run_id="sums", organiser=PEER, digest=NO_DIGEST, device="cpu")
TRAINING = replace(search(run_found()), phase="training", consent=CONSENT, chosen=run_found(name="Sums"))
PAUSED = msgspec.structs.replace(run_found(name="Sums"), order=Order(state="paused", since=1.0))
RESTARTING = Restarting(attempt=1, seconds=2.0)


def test_nothing_goes_on() -> None:
    assert window_title(Session()) == "Workerbee"
    assert window_title(replace(TRAINING, phase="ended")) == "Workerbee"


@pytest.mark.parametrize(
    ("session", "title"),
    [
        (search(is_finished=False), "Searching — Workerbee"),
        (search(run_found(), is_finished=False), "Searching — Workerbee"),
        (search(run_found()), "Ready to start — Workerbee"),
        (replace(TRAINING, phase="starting"), "Starting · Sums — Workerbee"),
        (replace(TRAINING, phase="connecting"), "Starting · Sums — Workerbee"),
        (TRAINING, "Training · Sums — Workerbee"),
        (
            replace(TRAINING, contribution_status=ContributionStatus(state="alone")),
            "Training alone · Sums — Workerbee",
        ),
        (
            replace(TRAINING, contribution_status=ContributionStatus(state="without_step")),
            "Nothing counts · Sums — Workerbee",
        ),
        (replace(TRAINING, chosen=PAUSED), "Paused by the organiser · Sums — Workerbee"),
        (replace(TRAINING, finish_at_epoch=9), "Finishing · Sums — Workerbee"),
        (replace(TRAINING, phase="leaving", pause=Pause()), "Pausing · Sums — Workerbee"),
        (replace(TRAINING, phase="paused", pause=Pause()), "Paused · Sums — Workerbee"),
        (replace(TRAINING, phase="leaving"), "Leaving · Sums — Workerbee"),
        (replace(TRAINING, phase="connecting", restarting=RESTARTING), "Starting again · Sums — Workerbee"),
        (replace(TRAINING, phase="ended", problem=ErrorKind.OUT_OF_MEMORY), "Stopped · Sums — Workerbee"),
    ],
)
def test_the_state_comes_first_since_task_bars_cut_titles(session: Session, title: str) -> None:
    assert window_title(session) == title


def test_a_strangers_name_is_made_harmless() -> None:
    evil = run_found(name="Evil\u202e\n\x1b[31m run " + "x" * 500)
    title = window_title(replace(TRAINING, chosen=evil))
    assert title.startswith("Training · Evil [31m run xxx")
    assert len(title) <= 120


def test_with_several_gpus_the_title_says_what_each_does() -> None:
    first = replace(TRAINING, consent=on_device("cuda:0"))
    paused = replace(TRAINING, phase="paused", pause=Pause())
    assert window_title(first, [("cuda:1", TRAINING)]) == "Training (GPU 0, GPU 1) · Sums — Workerbee"
    assert window_title(first, [("cuda:1", paused)]) == "Training (GPU 0) · Paused (GPU 1) · Sums — Workerbee"
    three = window_title(first, [("cuda:1", paused), ("cuda:2", TRAINING)])
    assert three == "Training (GPU 0, GPU 2) · Paused (GPU 1) · Sums — Workerbee"
    assert window_title(first, [("cuda:1", Session())]) == "Training (GPU 0) · Sums — Workerbee"


def on_device(device: str) -> Start:
    """The consent to train on that device."""
    return msgspec.structs.replace(CONSENT, device=device)
