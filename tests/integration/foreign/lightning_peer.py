"""A script as Lightning's users write it, with its HivemindStrategy: ``FOLDER [ADDRESS]``.

It trains the run whose manifest lies in the folder, in the swarm at that address or in one of its own, until
SIGTERM, and says what happens in lines of JSON as the plain script does. It runs in Lightning's own
environment.
"""

from __future__ import annotations

import itertools
import signal
import sys
from pathlib import Path
from typing import Any

import lightning
import torch
from lightning_hivemind.strategy import HivemindStrategy

from tests.integration.foreign.hivemind_scripts import (
    LOOPBACK,
    NEXT_CHUNK_SECONDS,
    Witness,
    adam_of,
    introduce,
    rest,
    run_in,
)


class Module(lightning.LightningModule):
    """The recipe, as Lightning wants it; the samples come from the recipe itself."""

    def __init__(self, recipe: Any, numbers: dict[str, Any]) -> None:
        super().__init__()
        self.recipe, self.network, self.numbers = recipe, recipe.model, numbers

    def training_step(self, _: Any) -> torch.Tensor:
        """The loss of one micro-batch."""
        batch_size = self.numbers["collaboration"]["batch_size_per_step"]
        loss: torch.Tensor = self.recipe.loss(self.recipe.draw(batch_size))
        return loss

    def configure_optimizers(self) -> torch.optim.Optimizer:
        """The run's."""
        return adam_of(self.network.parameters(), self.numbers)


class Watch(lightning.Callback):
    """Says what happens, and ends the training at SIGTERM."""

    def __init__(self, recipe: Any, strategy: HivemindStrategy, batch_size: int) -> None:
        self._recipe, self._strategy, self._batch_size = recipe, strategy, batch_size
        self._witness: Witness | None = None

    def on_train_start(self, trainer: lightning.Trainer, _: Any) -> None:
        signal.signal(signal.SIGTERM, lambda *_: setattr(trainer, "should_stop", True))

    def on_train_batch_end(self, *_: Any) -> None:
        optimizer = self._strategy.optimizers[0]
        if self._witness is None:
            introduce(self._strategy.dht, optimizer)
            self._witness = Witness(self._recipe, optimizer)
        self._witness.look()
        rest(self._batch_size)


def main(folder: Path, address: str | None = None) -> None:
    """Until SIGTERM."""
    recipe, numbers = run_in(folder)
    shared = numbers["collaboration"]
    strategy = HivemindStrategy(
        run_id=numbers["run"]["id"],
        target_batch_size=shared["target_batch_size"],
        batch_size=shared["batch_size_per_step"],
        matchmaking_time=shared["matchmaking_time"],
        averaging_timeout=shared["averaging_timeout"],
        next_chunk_timeout=NEXT_CHUNK_SECONDS,
        delay_state_averaging=True,
        delay_optimizer_step=True,
        delay_grad_averaging=True,
        offload_optimizer=True,
        initial_peers=[address] if address else None,
        host_maddrs=LOOPBACK,
    )
    trainer = lightning.Trainer(
        accelerator="cpu",
        max_epochs=-1,
        strategy=strategy,
        callbacks=[Watch(recipe, strategy, shared["batch_size_per_step"])],
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(Module(recipe, numbers), itertools.repeat(0))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
