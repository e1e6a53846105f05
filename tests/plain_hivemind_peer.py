"""Two scripts that know hivemind and nothing of Workerbee, except where a run's model comes from.

``train FOLDER ADDRESS`` joins a run with the stock optimizer, as any hivemind user would: same run id, same
model, same torch optimizer, and the numbers that hivemind wants to be equal. ``monitor RUN ADDRESS`` reads
the run's metrics as the monitor of hivemind's ALBERT example does. Both say what happens in lines of JSON.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hivemind
import torch
from hivemind.dht.crypto import RSASignatureValidator
from hivemind.dht.schema import BytesWithPublicKey, SchemaValidator
from hivemind.dht.validation import RecordValidatorBase
from pydantic.v1 import BaseModel, StrictFloat, StrictInt
from safetensors.torch import save_file

LOOPBACK = ["/ip4/127.0.0.1/tcp/0"]
MONITOR_READS = 30


class LocalMetrics(BaseModel):
    """As in hivemind's examples/albert/utils.py."""

    step: StrictInt
    samples_per_second: StrictFloat
    samples_accumulated: StrictInt
    loss: StrictFloat
    mini_steps: StrictInt


class MetricSchema(BaseModel):
    """As in hivemind's examples/albert/utils.py."""

    metrics: dict[BytesWithPublicKey, LocalMetrics]


def say(**facts: Any) -> None:
    """One line to whoever started us."""
    print(json.dumps(facts), flush=True)


def join_dht(address: str, validators: list[RecordValidatorBase] | None = None) -> hivemind.DHT:
    """A stock peer of the swarm, on this computer only."""
    return hivemind.DHT(
        initial_peers=[address],
        start=True,
        host_maddrs=LOOPBACK,
        startup_timeout=60.0,
        record_validators=validators or [],
        nat_port_map=False,
        auto_nat=False,
        use_relay=False,
    )


def make_optimizer(dht: hivemind.DHT, model: torch.nn.Module, numbers: dict[str, Any]) -> hivemind.Optimizer:
    """Stock, and overlapped as the run is."""
    adam, shared = numbers["optimizer"], numbers["collaboration"]
    return hivemind.Optimizer(
        dht=dht,
        run_id=numbers["run"]["id"],
        params=list(model.parameters()),
        optimizer=lambda params: torch.optim.AdamW(
            params,
            lr=adam["learning_rate"],
            betas=(adam["beta1"], adam["beta2"]),
            eps=adam["epsilon"],
            weight_decay=adam["weight_decay"],
        ),
        target_batch_size=shared["target_batch_size"],
        batch_size_per_step=shared["batch_size_per_step"],
        matchmaking_time=shared["matchmaking_time"],
        averaging_timeout=shared["averaging_timeout"],
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


@contextlib.contextmanager
def living(folder: Path, address: str, seed: int) -> Iterator[Life]:
    """Join the run whose manifest lies in the folder, take its state, tell who we are; leave as is right."""
    from core.manifest import decode_manifest
    from core.worker.recipes import build

    encoded = (folder / "manifest.json").read_bytes()
    torch.set_num_threads(1)
    recipe = build(decode_manifest(encoded), seed=seed, device=torch.device("cpu"))
    numbers = json.loads(encoded)
    dht = join_dht(address)
    optimizer = make_optimizer(dht, recipe.model, numbers)
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    optimizer.load_state_from_peers()
    say(peer_id=dht.peer_id.to_base58(), epoch=optimizer.local_epoch)
    yield Life(recipe, optimizer, numbers["collaboration"]["batch_size_per_step"], ended)
    optimizer.shutdown()
    dht.shutdown()


def steps(life: Life, spoil: Callable[[torch.nn.Module], None] = lambda model: None) -> Iterator[None]:
    """The loop of any hivemind script, which tells of rounds; ``spoil`` may do something to the gradients."""
    recipe, optimizer, rounds = life.recipe, life.optimizer, list[Any]()
    while not life.ended.is_set():
        recipe.loss(recipe.draw(life.batch_size)).backward()
        spoil(recipe.model)
        optimizer.step()
        optimizer.zero_grad()
        if optimizer.scheduled_grads is not (rounds[-1] if rounds else None):
            rounds.append(optimizer.scheduled_grads)
        for each in [each for each in rounds[:-1] if each is not None and each.done()]:
            rounds.remove(each)
            say(round=len(each.result()) if not each.cancelled() and each.exception() is None else 0)
        yield


def train(folder: Path, address: str) -> None:
    """Until SIGTERM; every state of the parameters that the model goes through is saved in the folder."""
    with living(folder, address, seed=os.getpid()) as life:
        follow(life, folder)
    say(ended=True)


def follow(life: Life, folder: Path) -> None:
    """Train; tell of epochs and of parameters."""
    epoch, states, known = -1, 0, torch.empty(0)
    for _ in steps(life):
        now = torch.cat([parameter.detach().flatten() for parameter in life.recipe.model.parameters()])
        if not torch.equal(now, known):
            states, known = states + 1, now
            save_file({"parameters": now}, folder / f".{states}")
            (folder / f".{states}").rename(folder / f"{states}.safetensors")
        if life.optimizer.local_epoch != epoch:
            epoch = life.optimizer.local_epoch
            say(epoch=epoch, states=states)


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
        train(Path(sys.argv[2]), sys.argv[3])
    else:
        monitor(sys.argv[2], sys.argv[3])
