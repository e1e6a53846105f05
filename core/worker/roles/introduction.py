"""What a peer says of itself for people, and whom of the others an organiser may name in model cards."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping

import torch

from core.files.json_file import JsonFile
from core.files.locks import PeerFiles
from core.protocol.types import Disclosure
from core.records.published.contributors import ContributorFile
from core.run.signed_receipts import key_hash
from core.security.sanitize import MAX_DEVICE_CHARACTERS
from core.worker.roles.preparation import ParticipationConfig
from core.worker.swarm import (
    DISCLOSURES,
    PEER_INFO,
    DisclosureRecord,
    PeerInfo,
    Swarm,
    SwarmOptimizer,
)

LOOK_SECONDS = 20.0  # between two looks at who may be named
WITHDRAWALS = 3  # how often it is published that nothing is told any more, which is for as long as a record lives


class Introduction:
    """Our PeerInfo, and what the volunteer has chosen to tell besides, which is published only if that is anything.

    Whoever has told something in that run before, and tells nothing now, publishes that a few times: whoever noted it
    is to forget it, though the record itself would be gone in minutes.
    """

    def __init__(self, swarm: Swarm, run_id: str, info: PeerInfo, disclosure: Disclosure) -> None:
        self._swarm, self._run_id, self._info = swarm, run_id, info
        may_be_named = disclosure.may_be_named and bool(info.name)
        self._record = DisclosureRecord(may_be_named=may_be_named, country=disclosure.country)
        self._told: JsonFile[bool] = JsonFile(swarm.folder / f"disclosed-{run_id}.json", bool)
        self._withdrawals = 0

    @classmethod
    def of(cls, swarm: Swarm, run_id: str, config: ParticipationConfig) -> Introduction:
        """Of a peer that takes part in that way."""
        info = PeerInfo(name=config.public_name, device=device_model(config.device))
        return cls(swarm, run_id, info, config.disclosure)

    def publish(self) -> None:
        """Publish it for as long as a record lives."""
        PEER_INFO.publish(self._swarm, self._run_id, self._info)
        if self._record != DisclosureRecord():
            if not self._told.load():
                self._told.save(True)
            DISCLOSURES.publish(self._swarm, self._run_id, self._record)
        elif self._told.load():
            DISCLOSURES.publish(self._swarm, self._run_id, self._record)
            self._withdrawals += 1
            if self._withdrawals >= WITHDRAWALS:
                self._told.save(False)


class ContributorWatch:
    """Notes, on the organiser's computer, who agrees to be named, and forgets at once who does so no longer.

    Whoever has left stays. ``infos`` are what is known of the peers, by subkey; ``is_leader`` tells whether we lead the
    run.
    """

    def __init__(
        self,
        swarm: Swarm,
        run_id: str,
        optimizer: SwarmOptimizer,
        infos: Callable[[], Mapping[bytes, PeerInfo]],
        is_leader: Callable[[], bool],
    ) -> None:
        self._swarm, self._run_id, self._tracker = swarm, run_id, optimizer.tracker
        self._infos, self._is_leader = infos, is_leader
        self._file = ContributorFile(PeerFiles(swarm.folder).contributors_file)

    def run(self, leaving: threading.Event, samples: Callable[[], Mapping[str, int]]) -> None:
        """Look every ``LOOK_SECONDS`` until ``leaving``; ``samples`` are the sums of all keys, by their hashes."""
        while not leaving.wait(LOOK_SECONDS):
            if self._is_leader():
                self._look()
                self._file.save(samples())
        self._file.save(samples())

    def _look(self) -> None:
        """Look at the peers whose reports are believed."""
        records = DISCLOSURES.read(self._swarm.dht, self._run_id, ask="in turn")
        infos, own = self._infos(), self._tracker.own_subkey
        for subkey, report in self._tracker.counted.items():
            record, info, key = records.get(subkey), infos.get(subkey), key_hash(subkey).hex()
            if (record is not None and not record.may_be_named) or (info is not None and not info.name):
                self._file.remove(key)
            elif record is not None and info is not None and subkey != own:
                self._file.add(key, info.name, report.peer_id.to_base58())


def device_model(device: str) -> str:
    """The name of the device that computes, as other peers see it."""
    name = "CPU" if device == "cpu" else torch.get_device_module(device).get_device_name(device)
    return name[:MAX_DEVICE_CHARACTERS]
