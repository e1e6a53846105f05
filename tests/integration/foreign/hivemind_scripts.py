"""Two scripts that know hivemind and nothing of Workerbee, except where a run's model comes from.

``train FOLDER [ADDRESS]`` trains with the stock optimizer, as any hivemind user would: same run id, same
model, same torch optimizer, and the numbers that hivemind wants to be equal; without an address it is the
first peer of a swarm of its own. ``monitor RUN ADDRESS`` reads the run's metrics as the monitor of hivemind's
ALBERT example does. Both say what happens in lines of JSON.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hivemind
import torch
from hivemind.dht.crypto import RSASignatureValidator
from hivemind.dht.schema import BytesWithPublicKey, SchemaValidator
from hivemind.dht.validation import RecordValidatorBase
from pydantic.v1 import BaseModel, StrictFloat, confloat, conint

LOOPBACK = ["/ip4/127.0.0.1/tcp/0"]
MONITOR_READS = 30
SAMPLES_PER_SECOND = 300.0  # of a slow computer, on any machine
# A stock peer averages without whoever sends nothing for so long, and counts it among the round's peers all the same.
# Unless told otherwise it waits for the run's matchmaking_time, here 3 s: too short for a machine with other work.
NEXT_CHUNK_SECONDS = 15.0


class LocalMetrics(BaseModel):
    """A record with the fields and bounds that hivemind's training monitor accepts (examples/albert/utils.py)."""

    step: conint(ge=0, strict=True)  # type: ignore[valid-type]
    samples_per_second: confloat(ge=0.0, strict=True)  # type: ignore[valid-type]
    samples_accumulated: conint(ge=0, strict=True)  # type: ignore[valid-type]
    loss: StrictFloat
    mini_steps: conint(ge=0, strict=True)  # type: ignore[valid-type]


class MetricSchema(BaseModel):
    """The records of all peers, by their public keys, as the training monitor reads them."""

    metrics: dict[BytesWithPublicKey, LocalMetrics]


def say(**facts: Any) -> None:
    """One line to whoever started us."""
    print(f"{json.dumps(facts)}\n", end="", flush=True)  # in one piece: there are threads


def join_dht(address: str | None, validators: list[RecordValidatorBase] | None = None) -> hivemind.DHT:
    """A stock peer of the swarm, or of a new one, on this computer only."""
    return hivemind.DHT(
        initial_peers=[address] if address else [],
        start=True,
        host_maddrs=LOOPBACK,
        startup_timeout=60.0,
        record_validators=validators or [],
        nat_port_map=False,
        auto_nat=False,
        use_relay=False,
    )


def adam_of(params: Any, numbers: dict[str, Any]) -> torch.optim.Optimizer:
    """The run's optimizer, as torch has it."""
    adam = numbers["optimizer"]
    return torch.optim.AdamW(
        params,
        lr=adam["learning_rate"],
        betas=(adam["beta1"], adam["beta2"]),
        eps=adam["epsilon"],
        weight_decay=adam["weight_decay"],
    )


def make_optimizer(dht: hivemind.DHT, model: torch.nn.Module, numbers: dict[str, Any]) -> hivemind.Optimizer:
    """Stock, and overlapped as the run is."""
    shared = numbers["collaboration"]
    return hivemind.Optimizer(
        dht=dht,
        run_id=numbers["run"]["id"],
        params=list(model.parameters()),
        optimizer=lambda params: adam_of(params, numbers),
        target_batch_size=shared["target_batch_size"],
        batch_size_per_step=shared["batch_size_per_step"],
        matchmaking_time=shared["matchmaking_time"],
        averaging_timeout=shared["averaging_timeout"],
        next_chunk_timeout=NEXT_CHUNK_SECONDS,
        delay_grad_averaging=True,
        delay_optimizer_step=True,
        delay_state_averaging=True,
        offload_optimizer=True,
        client_mode=dht.client_mode,
    )


@dataclass(frozen=True)
class Life:
    """What a peer that trains has: ``batch_size`` is its micro-batch, ``ended`` is set by SIGTERM."""

    recipe: Any
    optimizer: Any
    batch_size: int
    ended: threading.Event


class Witness:
    """Tells, after each step, of the rounds that have ended, and of the model wherever it has changed."""

    def __init__(self, recipe: Any, optimizer: Any) -> None:
        self._recipe, self._optimizer = recipe, optimizer
        self._rounds: list[Any] = []
        self._known = torch.empty(0)

    def look(self) -> None:
        """``loss`` is that of the recipe's held-out samples, equal only where the parameters are."""
        self._tell_of_rounds()
        now = torch.cat([parameter.detach().flatten() for parameter in self._recipe.model.parameters()])
        if not torch.equal(now, self._known):
            self._known = now
            say(epoch=self._optimizer.local_epoch, loss=self._recipe.evaluate().loss)

    def _tell_of_rounds(self) -> None:
        if self._optimizer.scheduled_grads is not (self._rounds[-1] if self._rounds else None):
            self._rounds.append(self._optimizer.scheduled_grads)
        for each in [each for each in self._rounds[:-1] if each is not None and each.done()]:
            self._rounds.remove(each)
            say(round=len(each.result()) if not each.cancelled() and each.exception() is None else 0)


def run_in(folder: Path) -> tuple[Any, dict[str, Any]]:
    """The recipe of the run whose manifest lies in the folder, with draws of our own, and its numbers."""
    from core.run.manifest import decode_manifest
    from core.worker.recipes import build

    encoded = (folder / "manifest.json").read_bytes()
    torch.set_num_threads(1)
    return build(decode_manifest(encoded), seed=os.getpid(), device=torch.device("cpu")), json.loads(encoded)


def introduce(dht: hivemind.DHT, optimizer: hivemind.Optimizer) -> None:
    """Say who we are, where we are found, and how far we have come."""
    here = [str(address) for address in dht.get_visible_maddrs()]
    say(peer_id=dht.peer_id.to_base58(), address=here[0], epoch=optimizer.local_epoch)


@contextlib.contextmanager
def living(folder: Path, address: str | None) -> Iterator[Life]:
    """Join the folder's run, or begin it, take its state and say who we are; leave as is right."""
    recipe, numbers = run_in(folder)
    dht = join_dht(address)
    optimizer = make_optimizer(dht, recipe.model, numbers)
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    if address:
        optimizer.load_state_from_peers()
    introduce(dht, optimizer)
    yield Life(recipe, optimizer, numbers["collaboration"]["batch_size_per_step"], ended)
    optimizer.shutdown()
    dht.shutdown()


def rest(samples: int) -> None:
    """For as long as a slow computer would have needed for so many samples."""
    time.sleep(samples / SAMPLES_PER_SECOND)


def steps(life: Life, spoil: Callable[[torch.nn.Module], None] = lambda model: None) -> Iterator[None]:
    """The loop of any hivemind script, until SIGTERM; ``spoil`` may do something to the gradients."""
    witness = Witness(life.recipe, life.optimizer)
    while not life.ended.is_set():
        life.recipe.loss(life.recipe.draw(life.batch_size)).backward()
        spoil(life.recipe.model)
        life.optimizer.step()
        life.optimizer.zero_grad()
        witness.look()
        rest(life.batch_size)
        yield


def claim_epochs_ahead(life: Life, epochs_ahead: int) -> None:
    """Report progress of an epoch that nobody has reached, and offer our state as that of it, until SIGTERM."""
    optimizer = life.optimizer
    epoch = optimizer.local_epoch + epochs_ahead
    optimizer.state_averager.local_epoch = epoch
    optimizer.state_averager.state_sharing_priority = 1e9
    samples = 0
    while not life.ended.wait(1.0):
        samples += 1
        optimizer.tracker.report_local_progress(epoch, samples)
        say(claims=epoch)


def train(folder: Path, address: str | None = None) -> None:
    """Until SIGTERM."""
    with living(folder, address) as life:
        for _ in steps(life):
            pass


def monitor(run_id: str, address: str) -> None:
    """As hivemind's examples/albert/run_training_monitor.py: look now and then, and tell what is there."""
    validators = [SchemaValidator(MetricSchema, prefix=run_id), RSASignatureValidator()]
    dht = join_dht(address, validators)
    for _ in range(MONITOR_READS):
        metrics_dict = dht.get(run_id + "_metrics", latest=True)
        if metrics_dict is not None:
            entries = metrics_dict.value
            metrics = [LocalMetrics.parse_obj(entries[peer].value) for peer in entries]
            say(metrics=[each.dict() for each in metrics])
        threading.Event().wait(2.0)
    dht.shutdown()


if __name__ == "__main__":
    if sys.argv[1] == "train":
        train(Path(sys.argv[2]), *sys.argv[3:])
    else:
        monitor(sys.argv[2], sys.argv[3])
