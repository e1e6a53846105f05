"""The example with experts, in both modes: an organiser publishes it, three volunteers host, two train."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import torch
from safetensors.torch import load_file
from torch.nn.functional import cross_entropy

from core.errors import ErrorKind
from core.files.locks import PeerFiles
from core.protocol.events import CheckpointSaved, Evaluated, Progress, RoundFinished, RunFound, Warned
from core.protocol.experts import ExpertsSeen
from core.records.published.checkpoint_history import CheckpointHistory
from core.run.manifest import RunManifest
from core.run.run_file import load_run_file
from core.run.spec.collaboration import Collaboration, Mode
from core.run.spec.experts import ExpertRole, ExpertsSpec
from core.run.spec.language_models import GPT2
from core.run.spec.recipe import MoeLM
from core.worker.experts.block import ExpertId, ExpertShape, build_expert
from core.worker.experts.collected import CollectedExperts, nearest
from core.worker.export.parameters import put_parameters
from core.worker.fetch.file_store import FetchContext, FileStore
from core.worker.recipes import MixtureLanguageModel, build
from core.worker.recipes.mixture_model import experts_in
from core.worker.training.checkpoint_file import PARAMETER, read_checkpoint
from tests.bench.local_sgd.recorded_peers import RecordedPeers
from tests.integration.local_sgd.together import assert_equal_base_weights
from tests.integration.test_examples import EXAMPLES, VOCABULARY, quick, toy_text
from tests.support.consents import consent_to
from tests.support.environment.fake_hub import Hub, local_hub
from tests.support.real_peers import Peer, averaged
from tests.support.recorders import RecordingListener
from tests.worker.export.exports import Foreign, exported
from tests.worker.export.test_mixture_export import Hosts

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(1800)]

HOSTS = 3
SAMPLES: dict[Mode, int] = {"gradients": 3000, "local-sgd": 6000}  # of an epoch, or a round
LEARNED = 0.8  # of the loss of a model that knows nothing
FOUND = 0.9  # of the tokens that were sent in half a minute: a busy host answers some too late
LEARNING_SECONDS = 600.0  # in which a computer learns that does ten times as much else


def toy_mixture(hub: Hub, mode: Mode) -> RunManifest:
    """The example, with a tiny trunk, six experts that training can do without, and text from a hub on loopback."""
    manifest = load_run_file(EXAMPLES / "moe-lm.toml")
    assert isinstance(manifest.recipe, MoeLM)
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "max_position_embeddings": 16}
    experts = msgspec.structs.replace(
        manifest.recipe.experts, experts=6, expansion=2, learning_rate=3e-3, when_away="skip"
    )
    config = GPT2(vocab_size=VOCABULARY, **sizes)
    return msgspec.structs.replace(
        manifest,
        recipe=MoeLM(config=config, sequence_length=16, experts=experts),
        **toy_text(manifest, hub),
        collaboration=in_mode(mode, quick(manifest, SAMPLES[mode])),
    )


def in_mode(mode: Mode, together: Collaboration) -> Collaboration:
    """The same numbers, without the options that only averaged gradients have."""
    if mode == "gradients":
        return together
    kept = ("target_batch_size", "batch_size_per_step", "matchmaking_time", "averaging_timeout")
    return Collaboration(mode=mode, **{name: getattr(together, name) for name in kept})


class Swarm:
    """Its organiser, who keeps the state, its hosts and its trainers."""

    def __init__(self, group: RecordedPeers, manifest: RunManifest, **wishes: Any) -> None:
        self.group, self.manifest = group, manifest
        self.organiser = group.organiser(manifest=manifest, train=False, **wishes)
        self.hosts = [self.joined(f"host-{number}", "host", len(self.experts) // HOSTS) for number in range(HOSTS)]
        self.trainers = [self.joined(f"trainer-{number}", "train", None) for number in range(2)]
        self._had_said: dict[Peer, int] = {}

    @property
    def kind(self) -> str:
        """What rounds of this mode average."""
        return "changes" if self.manifest.collaboration.mode == "local-sgd" else "gradients"

    @property
    def experts(self) -> list[ExpertId]:
        """All that there are."""
        assert isinstance(self.manifest.recipe, MoeLM)
        return list(experts_in(self.manifest.recipe))

    def joined(self, home: str, role: ExpertRole, most: int | None) -> Peer:
        """A volunteer in that role, with room for so many experts."""
        peer = self.group.newcomer(self.organiser.posted, home)
        peer.send(consent_to(peer.wait_for(RunFound), role=role, hosted_experts=most))
        return peer

    def without_hosts(self) -> dict[Peer, int]:
        """Have all hosts leave, if they have not yet; the trainers, and how much each had said by then."""
        if not self._had_said:
            self._keeps_what_was_learned()
            self._had_said = {trainer: len(trainer.said) for trainer in self.trainers}
            for host in self.hosts:
                assert host.leave() == 0
        return self._had_said

    def _keeps_what_was_learned(self) -> None:
        """Wait until the organiser has checkpoints with a low loss, and has collected the experts of the first."""
        learned = self.organiser.wait_for(CheckpointSaved, self._is_of_low_loss, seconds=LEARNING_SECONDS)
        later = learned.epoch + 2
        self.organiser.wait_for(CheckpointSaved, lambda saved: saved.epoch >= later, seconds=LEARNING_SECONDS)

    def _is_of_low_loss(self, saved: CheckpointSaved) -> bool:
        losses = {each.epoch: each.loss for each in self.organiser.all(Evaluated)}
        loss = losses.get(saved.epoch)
        return loss is not None and loss < LEARNED * math.log(VOCABULARY)

    def organiser_files(self) -> PeerFiles:
        """The folder of the run, with its checkpoints and the experts that were collected."""
        (checkpoint,) = Path(self.organiser.home / "data").rglob("checkpoint.safetensors")
        return PeerFiles(checkpoint.parent)

    def recipe(self, store: FileStore) -> MixtureLanguageModel:
        """The run's model, untrained, and its text."""
        context = FetchContext(store, RecordingListener())
        found = build(self.manifest, seed=1, device=torch.device("cpu"), context=context)
        assert isinstance(found, MixtureLanguageModel)
        return found

    def saved(self, host: Peer) -> dict[ExpertId, dict[str, torch.Tensor]]:
        """The experts in a host's folder, by their weights' names."""
        files = Path(host.home / "data").rglob("expert-*.safetensors")
        return {ExpertId(*map(int, path.stem.split("-")[1:])): load_file(path) for path in files}


@pytest.fixture(scope="module", params=["gradients", pytest.param("local-sgd", marks=pytest.mark.faults)])
def swarm(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Swarm]:
    """One of each mode for all tests."""
    with local_hub() as hub, contextlib.closing(RecordedPeers(tmp_path_factory.mktemp("experts"))) as group:
        group.pace = math.inf
        yield Swarm(group, toy_mixture(hub, request.param))


def test_two_train_with_the_experts_of_three_hosts_and_the_loss_falls(swarm: Swarm) -> None:
    below = LEARNED * math.log(VOCABULARY)
    for trainer in swarm.trainers:
        trainer.wait_for(Progress, seconds=LEARNING_SECONDS)
        trainer.wait_for(
            RoundFinished, lambda event: event.kind == swarm.kind and averaged(event), seconds=LEARNING_SECONDS
        )
        trainer.wait_for(
            Evaluated, lambda event: event.loss is not None and event.loss < below, seconds=LEARNING_SECONDS
        )
    if swarm.kind == "gradients":
        swarm.trainers[0].wait_for(
            RoundFinished, lambda event: event.kind == "state" and averaged(event), seconds=LEARNING_SECONDS
        )
    else:
        assert_whole_rounds_leave_equal_weights(swarm)


def assert_whole_rounds_leave_equal_weights(swarm: Swarm) -> None:
    """Wait for a round of local SGD with a step in which all are, hosts too."""
    for trainer in swarm.trainers:
        whole = trainer.wait_for(
            RoundFinished,
            lambda event: event.peers == len(swarm.group.started) and event.stepped,
            seconds=LEARNING_SECONDS,
        )
        trainer.wait_for(RoundFinished, since=trainer.said.index(whole) + 1)  # by then it has moved
    assert_equal_base_weights(swarm.group)


def test_each_peer_is_told_who_hosts_which_expert_how_much_it_does_and_what_finds_it(swarm: Swarm) -> None:
    def is_whole(event: ExpertsSeen) -> bool:
        hosts = {each.host for each in event.experts if each.tokens and each.steps and each.latency_seconds}
        is_found = event.found_share is not None and event.found_share >= FOUND
        return len(hosts) == HOSTS and is_found and bool(event.sent_tokens_per_second)

    seen = swarm.trainers[0].wait_for(ExpertsSeen, is_whole, seconds=LEARNING_SECONDS)
    assert [(each.layer, each.number) for each in seen.experts] == swarm.experts
    assert seen.received_tokens_per_second == 0 and not any(each.is_mine for each in seen.experts)
    swarm.trainers[0].wait_for(ExpertsSeen, lambda event: any(each.tokens_per_second for each in event.experts))
    for host in swarm.hosts:
        own = host.wait_for(ExpertsSeen, lambda event: bool(event.received_tokens_per_second))
        assert {each.host for each in own.experts if each.is_mine} < {each.host for each in seen.experts}


def test_all_experts_have_learned_each_with_one_host(swarm: Swarm) -> None:
    assert isinstance(swarm.manifest.recipe, MoeLM)
    spec: ExpertsSpec = swarm.manifest.recipe.experts
    shape = ExpertShape.of(spec, swarm.manifest.recipe.config.hidden_size)
    left = swarm.without_hosts()
    saved = [swarm.saved(host) for host in swarm.hosts]
    assert sorted(expert for each in saved for expert in each) == swarm.experts
    for each in saved:
        for expert, state in each.items():
            initial = build_expert(expert, shape).state_dict()
            assert all(not torch.equal(state[name], value) for name, value in initial.items())
    trainer = swarm.trainers[0]
    trainer.wait_for(ExpertsSeen, lambda event: not any(each.host for each in event.experts), since=left[trainer])


def test_without_any_host_the_trainers_skip_the_layer_say_so_and_go_on(swarm: Swarm) -> None:
    for trainer, left in swarm.without_hosts().items():
        trainer.wait_for(Warned, lambda event: event.problem == ErrorKind.EXPERTS_AWAY.key, since=left)
        here = len(trainer.said)
        trainer.wait_for(RoundFinished, lambda event: event.kind == swarm.kind and averaged(event), since=here)
        trainer.wait_for(Evaluated, lambda event: event.accuracy is None and event.loss is None, since=here)


def test_the_organiser_has_collected_all_experts_and_its_export_computes_and_knows_the_same_in_plain_pytorch(
    swarm: Swarm, tmp_path: Path
) -> None:
    swarm.without_hosts()
    assert swarm.organiser.leave() == 0
    files, run_id = swarm.organiser_files(), swarm.manifest.run.id
    scored = [each for each in CheckpointHistory(files.checkpoint_file).all() if each.loss is not None]
    best = min(scored, key=lambda each: each.loss or 0.0)
    folder = exported(swarm.manifest, files.checkpoint_file, tmp_path / "model", epoch=best.epoch)
    recipe = swarm.recipe(FileStore(files.path / "data"))
    put_parameters(recipe.model, read_checkpoint(best.path, run_id, (PARAMETER,)))
    hosts = Hosts(recipe.spec)
    collected = CollectedExperts.of(recipe.spec, files.collected_experts_folder, run_id)
    assert sorted(collected.epochs()) == swarm.experts
    for expert, epochs in collected.epochs().items():
        hosts.experts[expert].restore(collected.read(expert, nearest(epochs, best.epoch)), 0)
    recipe.connect(hosts)
    batch = recipe._objective.evaluation_batch(recipe._held_out)
    with torch.inference_mode():
        expected = recipe.model.eval()(input_ids=batch.inputs).logits
    foreign = Foreign(tmp_path)
    job = foreign.wants(folder, None, batch.inputs, prompt=batch.inputs[0, :4].tolist())
    (said,) = foreign.run()
    computed = foreign.logits(job)
    torch.testing.assert_close(computed, expected, rtol=1e-4, atol=1e-4)
    assert cross_entropy(computed.flatten(0, 1), batch.targets.flatten()) < LEARNED * math.log(VOCABULARY)
    assert len(said["continued"]) == 4 + 8
