"""A hivemind peer of one run that lies: ``KIND FOLDER ADDRESS``; it says what it does in lines of JSON.

``nan`` and ``huge`` train with everybody, and their gradients are no numbers, or beyond all measure; what
they average and offer as the run's state is soon so, too. ``donor`` trains nothing: it claims to be far
ahead, and that its state is the one to have.
"""

from __future__ import annotations

import json
import math
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import torch
from hivemind.optim import optimizer as hivemind_optimizer
from hivemind.optim.state_averager import TrainingStateAverager

from tests.plain_hivemind_peer import join_dht, make_optimizer, say

POISON = {"nan": math.nan, "huge": 1e30}
EPOCHS_AHEAD = 30


def main(kind: str, folder: Path, address: str) -> None:
    """Until SIGTERM."""
    from core.manifest import decode_manifest
    from core.worker.recipes import build

    encoded = (folder / "manifest.json").read_bytes()
    torch.set_num_threads(1)
    recipe = build(decode_manifest(encoded), seed=1, device=torch.device("cpu"))
    if kind == "donor":
        hivemind_optimizer.TrainingStateAverager = LyingAverager
    dht, numbers = join_dht(address), json.loads(encoded)
    optimizer = make_optimizer(dht, recipe.model, numbers)
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    optimizer.load_state_from_peers()
    say(peer_id=dht.peer_id.to_base58(), epoch=optimizer.local_epoch)
    if kind == "donor":
        offer_nonsense(optimizer, ended)
    else:
        average_nonsense(recipe, optimizer, numbers["collaboration"]["batch_size_per_step"], kind, ended)
    optimizer.shutdown()
    dht.shutdown()


class LyingAverager(TrainingStateAverager):  # type: ignore[misc]  # hivemind publishes no types
    """Whoever asks for its state gets no numbers."""

    def get_current_state(self) -> Any:
        metadata, tensors, infos = super().get_current_state()
        return metadata, [torch.full_like(tensor, math.nan) for tensor in tensors], infos


LyingAverager.__name__ = "TrainingStateAverager"  # under which others call it


def offer_nonsense(optimizer: Any, ended: threading.Event) -> None:
    """Report progress of an epoch that nobody has reached, with a state to match."""
    epoch = optimizer.local_epoch + EPOCHS_AHEAD
    optimizer.state_averager.local_epoch = epoch
    optimizer.state_averager.state_sharing_priority = 1e9
    samples = 0
    while not ended.wait(1.0):
        samples += 1
        optimizer.tracker.report_local_progress(epoch, samples)
        say(claims=epoch)


def average_nonsense(recipe: Any, optimizer: Any, batch_size: int, kind: str, ended: threading.Event) -> None:
    """The loop of any hivemind script, but for what it computes."""
    rounds = list[Any]()
    while not ended.is_set():
        recipe.loss(recipe.draw(batch_size)).backward()
        for parameter in recipe.model.parameters():
            parameter.grad.fill_(POISON[kind])
        optimizer.step()
        optimizer.zero_grad()
        if optimizer.scheduled_grads is not (rounds[-1] if rounds else None):
            rounds.append(optimizer.scheduled_grads)
        for each in [each for each in rounds[:-1] if each is not None and each.done()]:
            rounds.remove(each)
            say(round=len(each.result()) if not each.cancelled() and each.exception() is None else 0)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3])
