"""A stranger that claims an epoch that it has not: ``KIND RUN FOLDER ADDRESS``; it says so in JSON lines.

``phantom`` signs one progress record of an epoch far ahead, in the name of a peer that is not there. ``untrained``
offers a state to match: the weights of a model that has learned nothing, of the highest priority.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import hivemind
from hivemind.dht.crypto import RSASignatureValidator
from hivemind.dht.schema import SchemaValidator
from hivemind.optim.progress_tracker import LocalTrainingProgress, TrainingProgressSchema
from hivemind.utils import get_dht_time

from tests.integration.foreign.hivemind_scripts import claim_epochs_ahead, join_dht, living, run_in, say

EPOCHS_AHEAD = 1000
LIFETIME_SECONDS = 60.0


class Forger:
    """Signs progress records of one run by a key of its own."""

    def __init__(self, dht: hivemind.DHT, run_id: str) -> None:
        self._dht, self._key = dht, f"{run_id}_progress"
        self._signer = RSASignatureValidator()
        dht.add_validators([SchemaValidator(TrainingProgressSchema, prefix=run_id), self._signer])

    def others(self) -> list[LocalTrainingProgress]:
        """What the others report."""
        found = self._dht.get(self._key, latest=True)
        records = found.value.items() if found is not None and isinstance(found.value, dict) else ()
        mine = self._signer.local_public_key
        return [LocalTrainingProgress.parse_obj(each.value) for key, each in records if key != mine and each.value]

    def highest_epoch(self) -> int:
        """Of the others; waits until there is one."""
        while not (reported := self.others()):
            time.sleep(0.5)
        return max(int(each.epoch) for each in reported)

    def report(self, epoch: int, samples: int, peer_id: bytes) -> bool:
        """Store that claim."""
        record = LocalTrainingProgress(
            peer_id=peer_id,
            epoch=epoch,
            samples_accumulated=samples,
            samples_per_second=float(samples),
            time=get_dht_time(),
            client_mode=False,
        )
        key, until = self._signer.local_public_key, get_dht_time() + LIFETIME_SECONDS
        return bool(self._dht.store(self._key, subkey=key, value=record.dict(), expiration_time=until))


def be_phantom(run_id: str, address: str) -> None:
    """Claim one epoch, again and again, by one key."""
    dht = join_dht(address)
    forger = Forger(dht, run_id)
    epoch = forger.highest_epoch() + EPOCHS_AHEAD
    while True:
        is_stored = forger.report(epoch, 1, b"\x12\x20" + bytes(32))
        say(claims=epoch, is_stored=is_stored)
        time.sleep(LIFETIME_SECONDS / 6)


def offer_untrained(folder: Path, address: str) -> None:
    """Claim that epoch, and give the weights of a model that has learned nothing."""
    recipe, _numbers = run_in(folder)
    initial = [each.detach().clone() for each in recipe.model.parameters()]
    with living(folder, address) as life:
        optimizer = life.optimizer
        for place, value in zip(life.recipe.model.parameters(), initial, strict=True):
            place.data.copy_(value)
        for place, value in zip(optimizer.state_averager.main_parameters, initial, strict=True):
            place.data.copy_(value)
        for group in optimizer.state_averager.optimizer.param_groups:
            for place, value in zip(group["params"], initial, strict=True):
                place.data.copy_(value)
        claim_epochs_ahead(life, EPOCHS_AHEAD)


if __name__ == "__main__":
    kind, run_id, folder, address = sys.argv[1:]
    match kind:
        case "phantom":
            be_phantom(run_id, address)
        case "untrained":
            offer_untrained(Path(folder), address)
