"""What the window remembers of a session for its graphs."""

from __future__ import annotations

import math
from dataclasses import replace

import msgspec
import pytest

from app.charts.decimation import columns
from app.charts.resampling import against
from app.controllers.run_recorder import RunRecorder
from core.files.folders import Folders
from core.protocol.events import RunScored
from core.run.signed_scores import Score
from core.run.steering.edit import Edit, numbers_of
from tests.app.support.training_sample import FOUND, progress, training

NOW = 1_763_700_000.0


@pytest.mark.parametrize(("age", "shown"), [(300.0, 300.0), (3.0, 15.0), (4000.0, 1800.0)])
def test_the_graph_of_a_young_run_begins_with_the_run(age: float, shown: float) -> None:
    folders = Folders.default()
    folders.prepare()
    recorder = RunRecorder(folders)
    for passed in (0.0, age):
        recorder.record(training(), None, NOW - age + passed)
    curve = recorder.curve(training(), "epoch", 1800.0, NOW)
    recorder.close()
    assert NOW - curve.begin == pytest.approx(shown, abs=2 * curve.step_seconds)


def test_the_runs_losses_stand_where_they_were_measured() -> None:
    folders = Folders.default()
    folders.prepare()
    recorder = RunRecorder(folders)
    scores = tuple(Score(epoch=epoch, loss=3.0 - epoch, at=NOW - 600 + 200 * epoch) for epoch in (1, 2))
    session = replace(training(), scored=RunScored(latest=scores[-1], earlier=scores[:-1]))
    recorder.record(session, None, NOW)
    curve = recorder.curve(session, "run_loss", 1800.0, NOW)
    recorder.close()
    seen = {
        curve.begin + number * curve.step_seconds: low for number, low in enumerate(curve.lows) if not math.isnan(low)
    }
    assert [*seen.values()] == [2.0, 1.0]
    assert [*seen] == pytest.approx([each.at for each in scores], abs=curve.step_seconds)


def test_each_loss_of_the_run_stands_at_the_samples_that_it_came_of() -> None:
    """Also those from before this computer came, and with the length that epochs had then; its own losses stand at what
    the run has learned from meanwhile."""
    before = numbers_of(FOUND.manifest)
    size = before.target_batch_size
    longer = Edit(numbers=msgspec.structs.replace(before, target_batch_size=2 * size), base=before, from_epoch=2)
    edited = msgspec.structs.replace(FOUND, edits=(longer,))
    folders = Folders.default()
    folders.prepare()
    recorder = RunRecorder(folders)
    scores = tuple(Score(epoch=epoch, loss=3.0 - epoch, at=NOW - 600 + 200 * epoch) for epoch in (1, 2))
    session = training(progress=progress(epoch=3, samples=250, loss=0.5), agreed=FOUND, runs=(edited,))
    recorder.record(replace(session, scored=RunScored(latest=scores[-1], earlier=scores[:-1])), None, NOW)
    places = recorder.curve(session, "run_samples", 1800.0, NOW)
    of_run, own = (against(recorder.curve(session, each, 1800.0, NOW), places) for each in ("run_loss", "loss"))
    recorder.close()
    for over, expected in ((of_run, {1.0 * size: 2.0, 2.0 * size: 1.0}), (own, {4.0 * size + 250: 0.5})):
        found = columns(over, over.begin, over.begin + over.step_seconds * len(over.lows), 2000)
        assert [each.at for each in found] == pytest.approx([*expected])
        assert [each.middle for each in found] == pytest.approx([*expected.values()])


def test_traffic_is_recorded_per_second_and_begins_anew_with_another_worker() -> None:
    folders = Folders.default()
    folders.prepare()
    recorder = RunRecorder(folders)
    for second, (sent, received) in enumerate(((1000, 0), (3000, 500), (700, 100))):
        report = progress(sent_bytes=sent, received_bytes=received)
        recorder.record(training(progress=report), None, NOW - 10 + 2 * second)
    seen = {}
    for series in ("sent_rate", "received_rate"):
        curve = recorder.curve(training(), series, 300.0, NOW)
        seen[series] = [low for low in curve.lows if not math.isnan(low)]
    recorder.close()
    assert seen == {"sent_rate": [1000.0, 350.0], "received_rate": [250.0, 50.0]}
