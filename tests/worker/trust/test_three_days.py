"""Three days without the organiser, and its return: the classes that decide what is believed, their clocks sped up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from hivemind.p2p import PeerID
from hivemind.utils.timed_storage import ValueWithExpiration

from core.run.signed_scores import EvaluationHistory, Score, scores_in, sign_scores
from core.run.spec.data import SumsData
from core.run.spec.recipe import ArithmeticGPT
from core.security.identity import Identity
from core.worker.compute.kept_weights import fill
from core.worker.recipes.arithmetic_gpt import ArithmeticRecipe
from core.worker.swarm.averaging.state_validation import State, format_error, trial_error
from core.worker.swarm.patches import monotonic_clock
from core.worker.swarm.patches.monotonic_clock import steady_time
from core.worker.swarm.progress.progress_tracker import ObservedTracker
from core.worker.swarm.trust.known_keys import KnownKeys
from core.worker.training.numeric_checks import NumericChecks
from tests.worker.training.test_numeric_checks import Averager

EPOCH_SECONDS = 600.0
TARGET = 2400  # samples of an epoch, of all peers together
SIGNED_EPOCHS = 20  # before the organiser goes
THREE_DAYS = round(3 * 86_400 / EPOCH_SECONDS)  # in epochs
ASLEEP = range(100, 112)  # the epochs of these that a volunteer's computer sleeps
AHEAD = 1000  # epochs, of the crowd
CROWD = 50

Reports = dict[bytes, ValueWithExpiration[dict[str, Any]]]


class SpedUpClock:
    """Stands for the module ``time``, and for the clock that nobody sets; it stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1.8e9

    def time(self) -> float:
        """Seconds since 1970."""
        return self.now

    monotonic = time


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SpedUpClock:
    """The one from which all that is tried here takes its time."""
    sped_up = SpedUpClock()
    monkeypatch.setattr(monotonic_clock, "seconds_since_start", lambda: sped_up.now - monotonic_clock._started_at)
    monkeypatch.setattr("hivemind.optim.progress_tracker.get_dht_time", steady_time)
    for module in ("trust.known_keys", "progress.progress_tracker", "progress.liveness"):
        monkeypatch.setattr(f"core.worker.swarm.{module}.time", sped_up)
    return sped_up


def tracker(number: int, known: Path | None = None) -> ObservedTracker:
    """Of a peer with the run's state; what stands for its DHT holds nothing, and each look is given to it."""
    nothing = SimpleNamespace(
        client_mode=False,
        peer_id=PeerID(b"\x12\x20" + bytes([number]) * 32),
        add_validators=lambda _validators: None,
        get=lambda *_args, **_options: None,
    )
    key: Any = SimpleNamespace(get_public_key=lambda: PublicKey(number))
    options: Any = {"target_batch_size": TARGET, "metadata_expiration": 60.0, "max_refresh_period": EPOCH_SECONDS}
    made = ObservedTracker(nothing, "sums", private_key=key, known_keys=KnownKeys(known), start=False, **options)
    made.is_newcomer = lambda: False
    return made


class PublicKey:
    """Stands for an RSA key, which takes its time to make; nothing is signed with it here."""

    def __init__(self, number: int) -> None:
        self._bytes = bytes([number]) * 32

    def to_bytes(self) -> bytes:
        """As it is in a report's subkey."""
        return self._bytes


def said_by(peers: Sequence[ObservedTracker], samples: float) -> Reports:
    """What these report now, each with so many samples, as it is in the DHT."""
    now, speed = steady_time(), TARGET / len(peers) / EPOCH_SECONDS
    figures = {"samples_accumulated": int(samples), "samples_per_second": speed, "time": now}
    return {
        peer._local_public_key: ValueWithExpiration(peer.local_progress.dict() | figures, now + 60.0) for peer in peers
    }


def look(peer: ObservedTracker, reports: Reports) -> None:
    """As its thread does."""
    peer.global_progress = peer._parse_swarm_progress_data(reports)
    peer.fetched_global_progress_this_epoch.set()


def go_to(peer: ObservedTracker, epoch: int) -> None:
    """Begin that epoch, as hivemind's optimizer does."""
    with peer.lock_global_progress:
        peer.update_epoch(epoch)


def train_an_epoch(peers: Sequence[ObservedTracker], clock: SpedUpClock) -> int:
    """All of them compute, look at each other twice, believe each other, and end the epoch; the next one's number."""
    for share in (0.5, 1.0):
        clock.now += EPOCH_SECONDS / 2
        reports = said_by(peers, share * TARGET / len(peers))
        for peer in peers:
            look(peer, reports)
    epoch = int(peers[0].local_progress.epoch)
    for peer in peers:
        assert peer.ready_to_update_epoch and peer.global_epoch == peer.local_progress.epoch == epoch
        assert peer.epoch_error(epoch, was_away=False) == ""
        go_to(peer, epoch + 1)
    return epoch + 1


def crowd_at(epoch: int) -> Reports:
    """Many new keys that claim to have come so far."""
    figures = {"samples_accumulated": 100, "samples_per_second": 1.0, "time": steady_time(), "client_mode": False}
    return {
        f"stranger {number}".encode(): ValueWithExpiration(
            figures | {"epoch": epoch, "peer_id": b"\x12\x20" + bytes([100 + number]) * 32}, steady_time() + 60.0
        )
        for number in range(CROWD)
    }


@pytest.fixture
def run(clock: SpedUpClock, tmp_path: Path) -> tuple[list[ObservedTracker], tuple[Score, ...]]:
    """Three volunteers whose organiser has trained with them, has signed each epoch, and is gone; and its scores."""
    identity, history = Identity.create(), EvaluationHistory("sums")
    peers = [tracker(number, tmp_path / "known.json" if number == 1 else None) for number in (1, 2, 3, 4)]
    for _ in range(SIGNED_EPOCHS):
        epoch = train_an_epoch(peers, clock)
        history = history.with_score(Score(epoch=epoch, loss=2.0, at=clock.now))
        signed = scores_in(sign_scores(history, identity), identity.peer_id, "sums")
        assert signed is not None
        for peer in peers:
            peer.know_scores(signed.scores)
    return peers[1:], history.scores


def wake(sleeper: ObservedTracker, awake: Sequence[ObservedTracker]) -> None:
    """A volunteer that has missed some epochs follows those whom it has known, and no crowd."""
    epoch = awake[0].local_progress.epoch
    look(sleeper, said_by([*awake, sleeper], 0) | crowd_at(epoch + AHEAD))
    assert set(sleeper.claims.values()) == {epoch} and sleeper.global_epoch < epoch
    assert sleeper.epoch_error(epoch, was_away=False) == ""
    sleeper.confirm(epoch)
    go_to(sleeper, sleeper.global_epoch)


def go_on_alone(volunteers: Sequence[ObservedTracker], clock: SpedUpClock) -> int:
    """Three days in which one of them sleeps for two hours; the epoch to which they have come."""
    *awake, sleeper = volunteers
    for number in range(THREE_DAYS):
        if number == ASLEEP.stop:
            wake(sleeper, awake)
        epoch = train_an_epoch(awake if number in ASLEEP else volunteers, clock)
    return epoch


def test_volunteers_agree_for_three_days_and_follow_no_crowd(
    run: tuple[list[ObservedTracker], tuple[Score, ...]], clock: SpedUpClock
) -> None:
    volunteers, _ = run
    epoch = go_on_alone(volunteers, clock)
    assert epoch == SIGNED_EPOCHS + THREE_DAYS
    for peer in volunteers:
        look(peer, said_by(volunteers, 0) | crowd_at(epoch + AHEAD))
        assert peer.global_epoch == epoch and not peer.claims
        assert peer.epoch_error(epoch + AHEAD, was_away=False)


def learn(recipe: ArithmeticRecipe, steps: int) -> None:
    """Train the model for so many steps."""
    optimizer = torch.optim.AdamW(recipe.model.parameters(), lr=0.01)
    for _ in range(steps):
        optimizer.zero_grad()
        torch.autograd.backward(recipe.loss(recipe.draw(32)))
        optimizer.step()


@pytest.fixture
def one_thread() -> Iterator[None]:
    """For a model so small that threads wait for each other longer than they compute."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


class Returned:
    """The model of an organiser that has its checkpoint again, and what the others have made of it meanwhile."""

    def __init__(self) -> None:
        spec, data = ArithmeticGPT(layers=1, width=16, heads=1), SumsData(digits=1)
        recipe = ArithmeticRecipe(spec, data, seed=1, device=torch.device("cpu"))
        self.checks, self.averager = NumericChecks.of_untrained(recipe), Averager(recipe.model)
        self.untrained = self.averager.state()
        learn(recipe, 20)
        self.checks.observe_checkpoint()
        self.averager.local_epoch, own = SIGNED_EPOCHS, self.averager.state()
        learn(recipe, 10)
        self.trained = self.averager.state()
        fill(self.averager.main_parameters, own[1][: len(self.averager.main_parameters)])

    def error(self, state: State, epoch: int, organiser: ObservedTracker) -> str:
        """Why it does not take that state, which is said to be of that epoch; empty where it does."""
        offered = state[0] | {"epoch": epoch}, state[1]
        of_epoch = partial(organiser.epoch_error, was_away=True)
        why = format_error(offered, self.averager, of_epoch) or trial_error(
            offered, self.averager, self.checks.model_error
        )
        return str(why)


@pytest.mark.usefixtures("one_thread")
def test_an_organiser_that_returns_takes_the_agreed_state_and_neither_a_worse_one_nor_a_crowds(
    run: tuple[list[ObservedTracker], tuple[Score, ...]], clock: SpedUpClock, tmp_path: Path
) -> None:
    volunteers, scores = run
    epoch = go_on_alone(volunteers, clock)
    organiser = tracker(1, tmp_path / "known.json")
    organiser.know_scores(scores)
    go_to(organiser, SIGNED_EPOCHS)  # from its checkpoint
    look(organiser, said_by([*volunteers, organiser], 0) | crowd_at(epoch + AHEAD))
    assert set(organiser.claims.values()) == {epoch} and len(organiser.claims) == len(volunteers)
    assert organiser.global_epoch == SIGNED_EPOCHS

    returned = Returned()
    assert "0% of those who were known before" in returned.error(returned.trained, epoch + AHEAD, organiser)
    assert "its loss is" in returned.error(returned.untrained, epoch, organiser)
    assert returned.error(returned.trained, epoch, organiser) == ""
    organiser.confirm(epoch)
    assert organiser.global_epoch == epoch
