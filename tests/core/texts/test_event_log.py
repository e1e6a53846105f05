"""The event log's lines."""

from __future__ import annotations

from datetime import datetime

import msgspec
import pytest

from core.availability.decision import Decision, Reason
from core.availability.pacing import Pace
from core.localizable import LocalizedText
from core.protocol.client_events import (
    Asked,
    AvailabilityDecided,
    ClientEvent,
    FinishAsked,
    Pause,
    PauseAsked,
    RestartDue,
    ResumeAsked,
    WorkerExited,
)
from core.protocol.commands import DryRun, Export, Join, Leave, SetPace, Start
from core.protocol.events import (
    CaughtUp,
    CheckpointSaved,
    Confined,
    Connected,
    ContributionStatus,
    EngineChecked,
    Evaluated,
    Exported,
    Failed,
    FitMeasured,
    Hello,
    Left,
    LineMeasured,
    Network,
    Progress,
    Published,
    Pushed,
    Restarting,
    RoundFinished,
    RunFound,
    RunScored,
    SearchFinished,
    StateLoading,
    TrainingStarted,
    Warned,
)
from core.protocol.limits import Paced, Traffic
from core.protocol.peers import PeersSeen, Suspect, SuspectsSeen
from core.run.manifest import RunInfo, RunManifest
from core.run.signed_scores import Score
from core.run.spec.collaboration import Collaboration
from core.run.spec.data import HubDataset
from core.run.spec.recipe import ArithmeticGPT
from core.run.steering.control_value import Order
from core.run.steering.data_change import DataChange
from core.run.steering.edit import Edit, numbers_of
from core.texts.event_log import line
from tests.support.consents import NO_DIGEST
from tests.support.real_peers import tiny

MANIFEST = RunManifest(
    run=RunInfo(id="sums", name="Sums\x1b[2J"),
    recipe=ArithmeticGPT(),
    collaboration=Collaboration(target_batch_size=1000, batch_size_per_step=10),
)
IGNORING = Decision((), ("battery",), datetime.fromtimestamp(2_000_000_000), is_ignored_once=True)
TOLD: list[tuple[ClientEvent, str]] = [
    (Asked(Join(addresses=(), home="/tmp")), "Looking for the run"),
    (Asked(Start(run_id="sums", organiser="x", digest=NO_DIGEST, device="cuda:0")), "train on cuda:0"),
    (Asked(DryRun(manifest=MANIFEST, device="cpu")), "how much fits"),
    (Asked(Export(manifest=MANIFEST, home="/tmp", checkpoint="c", folder="f")), "Asked to export"),
    (Exported(epoch=7, size_bytes=2_000_000), "Epoch 7: exported, 2.0 MB."),
    (Pushed(repository="a/b", url="https://hub.example/c"), "Pushed to the hub: https://hub.example/c"),
    (Asked(Leave()), "Asked to stop"),
    (PauseAsked(Pause()), "Asked to pause."),
    (PauseAsked(Pause(until=2_000_000_000.0)), "Asked to pause until"),
    (PauseAsked(Pause("sleep")), "goes to sleep"),
    (PauseAsked(Pause("epoch_finished")), "epoch is finished"),
    (ResumeAsked(), "goes on"),
    (AvailabilityDecided(Decision((Reason("game", "SuperTux"),))), "Paused: SuperTux is running · goes on 5 minutes"),
    (AvailabilityDecided(Decision()), "By your rules, this computer is free for training."),
    (AvailabilityDecided(Decision(), pace=Pace(0.6, None, "heat", 83.0, 80.0)), "Slowed to 60 %: GPU at 83 °C"),
    (Asked(SetPace()), "another pace"),
    (Paced(compute_share=1.0, upload="refused"), "lets no program limit"),
    (AvailabilityDecided(IGNORING), "free for training · ignored until it is over, or until"),
    (FinishAsked(True), "Asked to stop after this epoch"),
    (FinishAsked(False), "after all"),
    (Hello(protocol=1, version="0.1.0"), "version 0.1.0"),
    (Confined(), "reaches nothing but"),
    (Confined(gaps=("files", "sockets")), "from: your other files, the sockets of your session"),
    (Confined(gaps=("everything",)), "can do what you can"),
    (EngineChecked(torch="2.13", hivemind="1.1.12"), "hivemind 1.1.12"),
    (FitMeasured(device="cpu", micro_batch=4, samples_per_second=31.0), "about 31 samples/s."),
    (FitMeasured(device="cpu", micro_batch=1, samples_per_second=0.054), "about 0.054 samples/s."),
    (FitMeasured(device="cpu", micro_batch=0), "no memory for even one sample"),
    (Connected(peer_id="12D3KooWabcdefghijklmnop", peers=3), "3 peers known"),
    (Network(mode="client", reason=LocalizedText("behind a NAT")), "Only outgoing connections"),
    (Network(mode="direct", reason=LocalizedText()), "reach this computer directly."),
    (LineMeasured(direction="upload", bits_per_second=17.6e6, at=1.8e9), "The line uploads 18 Mbit/s"),
    (
        LineMeasured(direction="download", bits_per_second=88e6, at=1.8e9),
        "The line downloads at least 88 Mbit/s, as measured here.",
    ),
    (RunFound(manifest=MANIFEST, organiser="x", vouched=True), "“Sums[2J”"),
    (SearchFinished(found=2), "found 2 runs"),
    (Published(addresses=(), link="workerbee://join", revision=3), "revision 3"),
    (TrainingStarted(device="cpu", epoch=7, parameters=1_000_000), "1,000,000 parameters"),
    (RoundFinished(epoch=42, kind="gradients", ok=True, peers=7, seconds=3.2), "gradients averaged with 6 "),
    (RoundFinished(epoch=42, kind="state", ok=True, peers=7, seconds=3.2), "state averaged with 6 peers"),
    (RoundFinished(epoch=42, kind="changes", ok=True, peers=2, seconds=3.2), "changes averaged with 1 peer in"),
    (CaughtUp(rounds=1, kept=True), "Caught up with 1 round of the others: what this computer has learned"),
    (CaughtUp(rounds=7, kept=False), "was dropped"),
    (
        RoundFinished(epoch=42, kind="changes", ok=True, peers=4, seconds=3.2, outliers=("12D3KooWsomebodyElse",)),
        "with 3 peers in 3 s. What 12D3KooWsomebodyElse sent was far from",
    ),
    (RoundFinished(epoch=42, kind="changes", ok=False, peers=0, seconds=3.2), "changes not averaged: nobody else"),
    (
        RoundFinished(epoch=12, kind="changes", ok=True, peers=4, seconds=3.2, counted_share=0.4),
        "Your change counted for 40 %: it was larger than the others'",
    ),
    (
        RoundFinished(epoch=12, kind="changes", ok=False, peers=1, seconds=3.2, counted_share=0.0),
        "Your change was left out: it was far larger than is usual, or against all others'",
    ),
    (
        RoundFinished(
            epoch=12, kind="changes", ok=True, peers=2, seconds=3.2, stepped=False, reason=LocalizedText("too few")
        ),
        "Round 12: changes averaged with 1 peer, but no step taken: too few.",
    ),
    (RoundFinished(epoch=42, kind="gradients", ok=True, peers=1, seconds=3.2), "nobody else took part"),
    (
        RoundFinished(epoch=42, kind="state", ok=False, peers=3, seconds=3.2, reason=LocalizedText("late.")),
        "not averaged",
    ),
    (ContributionStatus(state="helping", reason=LocalizedText("x")), "helping"),
    (ContributionStatus(state="alone"), "Connected, but alone."),
    (ContributionStatus(state="without_step"), "no round moves the run"),
    (ContributionStatus(state="alone", reason=LocalizedText("Nobody\x1b[2J came.")), "Nobody[2J came."),
    (Evaluated(epoch=42, loss=0.12, accuracy=0.5), "accuracy 50 %"),
    (Evaluated(epoch=42, loss=None, accuracy=None), "not measured, as nobody answered for a layer's experts"),
    (RunScored(latest=Score(epoch=42, loss=0.12, at=1e9)), "loss of 0.12"),
    (
        SuspectsSeen(suspects=(Suspect(peer_id="liar\x1b[2J", named_by=3, rounds=9, refused_states=0),)),
        "According to 3 peers, liar[2J has sent",
    ),
    (CheckpointSaved(path="/data/x", epoch=42), "/data/x"),
    (Warned(problem="disk_full", detail="2 MB left."), "2 MB left."),
    (Failed(problem="nobody_answers", detail="2 addresses were tried."), "2 addresses were tried."),
    (Left(), "Goodbye was said"),
    (
        Restarting(attempt=2, seconds=4.0),
        "The training process ended unexpectedly; attempt 2 starts in 4 s.",
    ),
    (
        Restarting(attempt=1, seconds=2.0, problem="nobody_answers"),
        "Nobody answers just now; attempt 1 starts in 2 s.",
    ),
    (
        Restarting(attempt=1, seconds=2.0, problem="state_not_loaded"),
        "The run's state could not be downloaded just now; attempt 1 starts in 2 s.",
    ),
    (RestartDue(), "again"),
    (WorkerExited(0), "nothing of it is left"),
]  # fmt: skip
SILENT: list[ClientEvent] = [
    StateLoading(received_bytes=1, total_bytes=2),
    PeersSeen(peers=()),
    Traffic(sent_bytes=1, received_bytes=2),
    Progress(epoch=1, samples=1, target=2, samples_per_second=None, swarm_samples_per_second=None, peers=1,
             clients=0, loss=None),
]  # fmt: skip


@pytest.mark.parametrize(("event", "words"), TOLD)
def test_what_happens_is_told_in_one_harmless_line(event: ClientEvent, words: str) -> None:
    text = line(event)
    assert text is not None and words in text
    assert "\n" not in text and "\x1b" not in text


@pytest.mark.parametrize("event", SILENT)
def test_what_happens_all_the_time_is_not_told(event: ClientEvent) -> None:
    assert line(event) is None


def test_what_the_organiser_asks_of_all_and_what_it_changes_have_lines() -> None:
    found = RunFound(manifest=tiny(), organiser="me", vouched=True)
    ended = msgspec.structs.replace(found, order=Order(state="ended", reason="It knows its sums."))
    assert line(ended) == "The organiser has ended the run. Thank you for helping: It knows its sums."
    base = numbers_of(tiny())
    edit = Edit(numbers=msgspec.structs.replace(base, learning_rate=0.0005), base=base, from_epoch=7)
    changed = msgspec.structs.replace(found, edits=(edit,))
    assert line(changed) == "From epoch 7 on: learning rate 0.0005, 3,000 samples a step."
    data = HubDataset(repository="ada/texts", revision=40 * "a")
    exchanged = msgspec.structs.replace(changed, data_changes=(DataChange(data=data, base=64 * "0", from_epoch=9),))
    assert (
        line(exchanged)
        == "From epoch 9 on: the data set ada/texts of the hub, as a stream, split train, commit aaaaaaa."
    )
