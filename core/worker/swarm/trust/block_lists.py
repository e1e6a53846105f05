"""The organiser's block list in the DHT: published from a file that a command writes, and read by everybody.

What is signed, and how it is verified, is in ``core/run/block_list.py``.
"""

from __future__ import annotations

import logging
import threading
import time
from pathlib import Path

from hivemind.dht import DHT
from hivemind.p2p import PeerID

from core.files.json_file import JsonFile
from core.run.block_list import MAX_BLOCK_LIST_BYTES, BlockList, blocks_in, sign_blocks
from core.worker.swarm.dht.node import Swarm
from core.worker.swarm.dht.peer_values import dht_key, values_of
from core.worker.swarm.dht.publisher import Publisher, StartThread

DHT_KIND = "workerbee_blocks"  # of values, in the DHT key
FILE_POLL_SECONDS = 2.0

log = logging.getLogger(__name__)


class BlockListPublisher:
    """Publishes the block list in that file, signed, and again whenever the file has changed."""

    def __init__(self, swarm: Swarm, run_id: str, path: Path) -> None:
        self._identity, self._file = swarm.identity, JsonFile[BlockList](path, BlockList)
        self._blocks = BlockList(run_id=run_id)
        self._publisher = Publisher(swarm.dht, dht_key(run_id, DHT_KIND), swarm.peer_id, self._signed())

    def start(self, start_thread: StartThread, leaving: threading.Event) -> None:
        """Publish what there is, and go on doing so in the background until ``leaving``."""
        self._take_newer()
        self._publisher.start(start_thread)
        start_thread("block list", lambda: self._follow(leaving))

    def _follow(self, leaving: threading.Event) -> None:
        while not leaving.wait(FILE_POLL_SECONDS):
            self._take_newer()

    def _take_newer(self) -> None:
        """Take what the file says, if it is the list of this run in a newer revision."""
        try:
            found = self._file.read()
        except OSError as error:
            log.warning("the block list is not looked at this time: %s", error)
            return
        if found is not None and found.run_id == self._blocks.run_id and found.revision > self._blocks.revision:
            self._blocks = found
            self._publisher.publish_instead(self._signed())

    def _signed(self) -> bytes:
        return sign_blocks(self._blocks, self._identity)


class BlockListReader:
    """The newest block list of a run that was seen so far, as whoever led the run at the time has signed it."""

    def __init__(self, dht: DHT, run_id: str) -> None:
        self._dht, self._run_id = dht, run_id
        self._newest = BlockList(run_id=run_id)

    def poll(self, leader: str) -> frozenset[str]:
        """Look for a newer list of that leader, a peer id; the ids of the peers that are blocked at present."""
        for _leader, value in values_of(self._dht, dht_key(self._run_id, DHT_KIND), (leader,), MAX_BLOCK_LIST_BYTES):
            found = blocks_in(value, leader, self._run_id)
            if found is not None and found.revision > self._newest.revision:
                self._newest = found
        return self._newest.at(time.time())


def peer_ids(texts: frozenset[str]) -> frozenset[PeerID]:
    """Those of these texts that are peer ids; an organiser may have signed anything."""
    found = set[PeerID]()
    for text in texts:
        try:
            found.add(PeerID.from_base58(text))
        except ValueError:
            log.info("%s is no peer id", text)
    return frozenset(found)
