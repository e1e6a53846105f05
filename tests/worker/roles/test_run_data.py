"""A peer draws from the data of its epoch, computes nothing until they are there, and compares no loss across them."""

from __future__ import annotations

import dataclasses
import hashlib
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
import torch

from core.errors import UserError
from core.protocol.events import Evaluated, Progress
from core.run.manifest import RunManifest, SteeringSpec
from core.run.signed_scores import Score
from core.run.spec.data import DataSpec, FileAt, TextFiles
from core.run.spec.language_models import GPT2
from core.run.spec.recipe import CausalLM
from core.run.steering.data_change import DataChange, data_digest
from core.worker.fetch.background_task import ProgressListener
from core.worker.fetch.file_store import FetchContext, FileStore
from core.worker.recipes import Evaluation, Recipe, build, open_other_data
from core.worker.roles.steering.run_data import PutInPlace, RunData, data_to_begin_with
from core.worker.swarm import SwarmOptimizer
from core.worker.training.numeric_checks import MIN_LOSSES, NumericChecks
from core.worker.training.trainer import RateLimiter, Trainer
from tests.support.environment.folder_server import FolderServer, serving_folder
from tests.support.real_peers import tiny
from tests.support.recorders import RecordingListener
from tests.worker.training.test_trainer import Alone

LIMIT_SECONDS = 60.0  # for a file of some hundred bytes, on a computer that does much else
LEARNT = 0.5  # of an untrained model's loss, what ours had on the old text
BEES, SHIPS = "bees.txt", "ships.txt"
CPU = torch.device("cpu")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[FolderServer]:
    """Two texts."""
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / BEES).write_text("\n\n".join(f"Ada keeps {number} bees." for number in range(60)))
    (folder / SHIPS).write_text("\n\n".join(f"{number} SHIPS LEFT" for number in range(60)))
    with serving_folder(folder) as serving:
        yield serving


def text(server: FolderServer, name: str, sha256: str = "") -> TextFiles:
    """One of them as data of a run, with its own hash unless that is another."""
    content = (server.folder / name).read_bytes()
    sha256 = sha256 or hashlib.sha256(content).hexdigest()
    file = FileAt(url=server.address + name, sha256=sha256, size_bytes=len(content))
    return TextFiles(files=(file,), format="text", held_out_one_in=4)


def becomes(holds: Callable[[], bool]) -> bool:
    """Whether that comes to hold."""
    leaving = threading.Event()
    for _ in range(int(LIMIT_SECONDS * 10)):
        if holds():
            return True
        leaving.wait(0.1)
    return False


class Peer:
    """A peer of a run that learns from the first text; ``may_open`` holds back what it opens later."""

    def __init__(self, server: FolderServer, home: Path, *changes: DataChange) -> None:
        numbers: dict[str, Any] = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
        self.manifest: RunManifest = msgspec.structs.replace(
            tiny(),
            recipe=CausalLM(config=GPT2(vocab_size=258, max_position_embeddings=32, **numbers), sequence_length=16),
            data=text(server, BEES),
            steering=SteeringSpec(data=True),
        )
        self.may_open, self._store = threading.Event(), FileStore(home)
        self.may_open.set()
        begun = msgspec.structs.replace(self.manifest, data=data_to_begin_with(self.manifest, changes))
        listener = RecordingListener()
        self.recipe: Recipe = build(begun, seed=1, device=CPU, context=FetchContext(self._store, listener))
        self.checks = NumericChecks.of_untrained(self.recipe)
        self.data = RunData(self.manifest, changes, self._open, self.checks, listener)

    def _open(self, data: DataSpec, listener: ProgressListener) -> PutInPlace:
        self.may_open.wait(LIMIT_SECONDS)
        other = msgspec.structs.replace(self.manifest, data=data)
        return open_other_data(self.recipe, other, 1, FetchContext(self._store, listener))

    def is_soon_ready(self, epoch: int) -> bool:
        """Whether the data of that epoch are there, if not at once."""
        return becomes(lambda: self.data.is_ready(epoch))

    def prefetches(self, data: DataSpec) -> bool:
        """Whether these could be put in place, if not at once."""
        return becomes(lambda: self.data.prefetch(data))

    @property
    def drawn(self) -> str:
        """Which text four samples are of: the one in small letters, or the other one."""
        tokens = self.recipe.draw(4).inputs.flatten().tolist()
        return BEES if any(chr(each).islower() for each in tokens if each < 128) else SHIPS


def change(server: FolderServer, name: str, from_epoch: int, sha256: str = "") -> DataChange:
    """That text from that epoch on."""
    base = data_digest(text(server, BEES))
    return DataChange(data=text(server, name, sha256), base=base, from_epoch=from_epoch)


def test_the_data_of_an_epoch_are_put_in_place_as_soon_as_they_are_there_and_not_before_it(
    server: FolderServer, tmp_path: Path
) -> None:
    peer = Peer(server, tmp_path / "home")
    try:
        peer.may_open.clear()
        peer.data.plan((change(server, SHIPS, 5),))
        assert peer.data.is_ready(4) and peer.drawn == BEES
        assert not peer.data.is_ready(5)
        peer.may_open.set()
        assert peer.is_soon_ready(5) and peer.drawn == SHIPS
        assert len(server.asked(SHIPS)) == 1
        peer.data.plan((change(server, SHIPS, 5), change(server, BEES, 8)))
        assert peer.data.is_ready(7) and peer.is_soon_ready(8) and peer.drawn == BEES
        assert len(server.asked(BEES)) == 1, "it is still here"
    finally:
        peer.recipe.close()


def test_who_comes_later_begins_with_the_last_data_and_who_resumes_earlier_with_those_of_that_epoch(
    server: FolderServer, tmp_path: Path
) -> None:
    peer = Peer(server, tmp_path / "home", change(server, SHIPS, 5))
    try:
        assert not server.asked(BEES) and peer.data.is_ready(5) and peer.drawn == SHIPS
        assert peer.is_soon_ready(4) and peer.drawn == BEES
    finally:
        peer.recipe.close()


def test_no_state_is_compared_with_losses_on_other_data(server: FolderServer, tmp_path: Path) -> None:
    peer = Peer(server, tmp_path / "home")
    try:
        checks, untrained = peer.checks, peer.recipe.evaluate().loss
        for _ in range(MIN_LOSSES):
            checks.observe(LEARNT * untrained)
        signed = [Score(epoch=epoch, loss=LEARNT * untrained, at=60.0 * epoch) for epoch in range(MIN_LOSSES)]
        checks.know_scores(signed)
        peer.data.plan((change(server, SHIPS, 5),))
        assert "our own were no more than" in str(checks.model_error(epoch=4))
        assert not checks.model_error(epoch=5), "a state of the epoch in which we shall have other data, too"
        assert peer.is_soon_ready(5) and not checks.model_error(epoch=5), "our own losses and the signed ones are older"
        checks.know_scores([*signed, *(Score(epoch=5 + each, loss=LEARNT, at=9e3) for each in range(MIN_LOSSES))])
        assert "the organiser has signed" in str(checks.model_error(epoch=7))
        for _ in range(MIN_LOSSES):
            checks.observe(LEARNT * untrained)
        assert "our own were no more than" in str(checks.model_error(epoch=7))
    finally:
        peer.recipe.close()


def test_what_is_absurd_is_measured_on_the_data_of_the_epoch(
    server: FolderServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    peer = Peer(server, tmp_path / "home")
    evaluate, checks = peer.recipe.evaluate, peer.checks

    def measured() -> Evaluation:
        """As a model is measured that has learned the old text, and is sure that nobody writes in capitals."""
        found, factor = evaluate(), 10.0 if peer.drawn == SHIPS else 1.0
        return dataclasses.replace(found, loss=factor * found.loss)

    monkeypatch.setattr(peer.recipe, "evaluate", measured)
    try:
        peer.data.plan((change(server, SHIPS, 5),))
        assert "far beyond" in str(checks.loss_error(10.0 * evaluate().loss))
        assert peer.is_soon_ready(5) and not checks.model_error(epoch=5)
        assert "far beyond" in str(checks.loss_error(50.0 * evaluate().loss))
    finally:
        peer.recipe.close()


def test_what_nobody_has_agreed_to_is_refused_and_what_cannot_be_had_only_when_its_epoch_begins(
    server: FolderServer, tmp_path: Path
) -> None:
    peer = Peer(server, tmp_path / "home")
    try:
        (server.folder / SHIPS).write_text("\n\n".join(300 * ["Far too many ships."]))
        with pytest.raises(UserError, match="not what was agreed to"):
            peer.data.plan((change(server, SHIPS, 5),))
        peer.data.plan((change(server, BEES, 5, sha256=64 * "0"),))
        assert peer.data.is_ready(4)
        with pytest.raises(UserError, match=BEES):
            peer.is_soon_ready(5)
    finally:
        peer.recipe.close()


def test_whoever_signs_a_change_tries_its_data_before(server: FolderServer, tmp_path: Path) -> None:
    peer, right = Peer(server, tmp_path / "home"), text(server, SHIPS)
    try:
        with pytest.raises(UserError, match="not what was agreed to"):
            peer.data.prefetch(msgspec.structs.replace(right, held_out_one_in=2))
        for _ in range(2):  # asked again, it tries again
            with pytest.raises(UserError, match=SHIPS):
                peer.prefetches(text(server, SHIPS, sha256=64 * "0"))
        assert peer.data.prefetch(peer.manifest.data), "those that it has"
        peer.may_open.clear()
        assert not peer.data.prefetch(right) and peer.data.is_ready(5) and peer.drawn == BEES
        peer.may_open.set()
        assert peer.prefetches(right)
        server.requests.clear()
        peer.data.plan((change(server, SHIPS, 5),))
        assert peer.data.is_ready(5) and peer.drawn == SHIPS and not server.requests, "they were open already"
    finally:
        peer.recipe.close()


class Stepping(Alone):
    """Stands for an optimizer that ends an epoch with each step."""

    def __init__(self, recipe: Any) -> None:
        super().__init__(recipe)
        self.tracker.ready_to_update_epoch, self.has_run_state = False, False
        self.state_averager.pending_updates = False

    def step(self, batch_size: int) -> None:
        self.local_epoch += 1

    def take_newer_state(self) -> None:
        """Nobody has gone on."""


def test_the_loop_computes_nothing_in_an_epoch_whose_data_are_not_there(server: FolderServer, tmp_path: Path) -> None:
    peer, leaving = Peer(server, tmp_path / "home"), threading.Event()
    optimizer = cast(SwarmOptimizer, Stepping(cast(Any, peer.recipe)))
    trainer = Trainer(peer.recipe, optimizer, 1, RateLimiter(), peer.checks, lambda: False)
    trainer.has_data, trainer.report_seconds = peer.data.is_ready, 0.0
    try:
        peer.may_open.clear()
        peer.data.plan((change(server, SHIPS, 2),))
        events = trainer.events(leaving, "cpu")
        unmeasured = next(each for each in events if isinstance(each, Evaluated) and each.epoch == 2)
        assert unmeasured.loss is None
        stands = [next(each for each in events if isinstance(each, Progress)) for _ in range(5)]
        assert {each.contributed_samples for each in stands} == {2}
        peer.may_open.set()
        measured = next(each for each in events if isinstance(each, Evaluated) and each.epoch == 3)
        assert measured.loss is not None and "SHIP" in str(measured.examples)
    finally:
        leaving.set()
        peer.recipe.close()
