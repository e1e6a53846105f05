"""A peer as a competent user writes it after hivemind's quickstart: stock classes, and no Workerbee swarm.

`python -m tests.bench.peers.bare_peer RUN_FILE THREADS default|overlap LISTEN [ADDRESS…]` trains until
SIGTERM.
LISTEN is a multiaddr. Only the model, its data and the optimizer are Workerbee's, so that everybody computes
the same; and its reports.
"""

from __future__ import annotations

import logging
import signal
import sys
import threading
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import hivemind
import torch

from core.localizable import LocalizedText
from core.protocol.events import Connected, Published, RoundFinished, StateLoading, TrainingStarted
from core.run.manifest import RunManifest
from core.run.run_file import load_run_file
from core.worker.compute.optimizers import make_optimizer
from core.worker.recipes import Recipe, build
from tests.bench.peers.reports import Reporter, emit


def main() -> None:
    """Join or begin the swarm, train, leave as hivemind's documentation says."""
    manifest, mode, peers = load_run_file(Path(sys.argv[1])), sys.argv[3], sys.argv[5:]
    torch.set_num_threads(int(sys.argv[2]))
    dht = _enter(sys.argv[4], peers)
    recipe = build(manifest, seed=len(peers), device=torch.device("cpu"))
    optimizer = hivemind.Optimizer(
        dht=dht,
        run_id=manifest.run.id,
        target_batch_size=manifest.collaboration.target_batch_size,
        batch_size_per_step=manifest.collaboration.sure_batch_size,
        matchmaking_time=manifest.collaboration.matchmaking_time,
        averaging_timeout=manifest.collaboration.averaging_timeout,
        verbose=True,
        **_mode_options(mode, recipe, manifest),
    )
    _observe(optimizer)
    leaving = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: leaving.set())
    if peers:
        optimizer.load_state_from_peers()
    _train(recipe, optimizer, manifest, leaving)
    optimizer.shutdown()
    dht.shutdown()


def _enter(listen: str, peers: Sequence[str]) -> Any:
    """hivemind's DHT, asking no router for anything."""
    dht = hivemind.DHT(
        initial_peers=list(peers) or None,
        host_maddrs=[listen],
        nat_port_map=False,
        auto_nat=False,
        use_relay=False,
        startup_timeout=60,
        start=True,
    )
    addresses = tuple(str(address) for address in dht.get_visible_maddrs())
    emit(Connected(peer_id=str(dht.peer_id), peers=len(peers)))
    emit(Published(addresses=addresses, link="", revision=1))
    return dht


def _mode_options(mode: str, recipe: Recipe, manifest: RunManifest) -> dict[str, Any]:
    """hivemind's defaults with an optimizer that was made before; or all the overlap that it has."""
    make = make_optimizer(manifest.optimizer)
    if mode == "default":
        return {"optimizer": make(recipe.model.parameters())}
    return {
        "params": list(recipe.model.parameters()),
        "optimizer": make,
        "offload_optimizer": True,
        "delay_optimizer_step": True,
        "delay_grad_averaging": True,
        "delay_state_averaging": True,
    }


def _train(recipe: Recipe, optimizer: Any, manifest: RunManifest, leaving: threading.Event) -> None:
    micro_batch = manifest.collaboration.sure_batch_size
    reporter = Reporter(manifest.collaboration.target_batch_size)
    parameters = sum(parameter.numel() for parameter in recipe.model.parameters())
    emit(TrainingStarted(device="cpu", epoch=optimizer.local_epoch, parameters=parameters))
    while not leaving.is_set():
        recipe.loss(recipe.draw(micro_batch)).backward()  # type: ignore[no-untyped-call]
        began = time.monotonic()
        optimizer.step()
        reporter.note(micro_batch, time.monotonic() - began)
        optimizer.zero_grad()
        everybody, mine = optimizer.tracker.global_progress, optimizer.local_progress
        reporter.tell_if_due(
            optimizer.local_epoch,
            mine.samples_accumulated,
            everybody.samples_accumulated,
            max(1, everybody.num_peers),
        )


def _observe(optimizer: Any) -> None:
    """Tell how gradient rounds end and when the state is loaded; changes nothing."""
    schedule, load = optimizer.grad_averager.schedule_step, optimizer.load_state_from_peers

    def schedule_observed(*args: Any, **kwargs: Any) -> Any:
        control = schedule(*args, **kwargs)
        control.add_done_callback(partial(_tell_round, optimizer, time.monotonic()))
        return control

    def load_observed(**kwargs: Any) -> None:
        emit(StateLoading(received_bytes=0, total_bytes=0))
        load(**kwargs)

    optimizer.grad_averager.schedule_step = schedule_observed
    optimizer.load_state_from_peers = load_observed


def _tell_round(optimizer: Any, began: float, control: Any) -> None:
    if control.cancelled():
        return
    error = control.exception()
    peers = 0 if error else len(control.result())
    seconds = round(time.monotonic() - began, 3)
    emit(
        RoundFinished(
            epoch=optimizer.local_epoch,
            kind="gradients",
            ok=peers > 1,
            peers=peers,
            seconds=seconds,
            reason=LocalizedText(repr(error) if error else ""),
        )
    )


if __name__ == "__main__":
    logging.captureWarnings(True)
    main()
