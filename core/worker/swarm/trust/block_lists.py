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
from core.run.steering.authority import RunAuthority
from core.run.steering.kept_record import keep_record, kept_record
from core.worker.swarm.dht.node import Swarm
from core.worker.swarm.dht.peer_values import dht_key, values_of
from core.worker.swarm.dht.publisher import Publisher, Republisher, StartThread

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
    """The newest block list of each of those who have led a run that was seen so far, as they have signed it.

    The list of whoever leads the run now is in force. Until that one has signed any, it is the list of the leader
    before, so that a takeover lets nobody back in. The one in force is kept in the file ``kept``, where one is named;
    what an earlier start has left there is read once, and holds as soon as its signer is known to lead the run.
    """

    def __init__(self, dht: DHT, run_id: str, kept: Path | None = None) -> None:
        self._dht, self._key, self._run_id, self._kept = dht, dht_key(run_id, DHT_KIND), run_id, kept
        self._recalled = None if kept is None else kept_record(kept, MAX_BLOCK_LIST_BYTES)
        self._lists = dict[str, tuple[BlockList, bytes]]()
        self._in_force: tuple[str, bytes] | None = None
        self._republisher: Republisher | None = None
        self._own = ""

    def republish(self, swarm: Swarm, start_thread: StartThread) -> None:
        """Keep the list of another that is in force in the DHT from now on, if others can reach us."""
        if swarm.mode == "direct":
            self._republisher, self._own = Republisher(self._dht, self._key, start_thread), swarm.peer_id

    def poll(self, authority: RunAuthority) -> frozenset[str]:
        """Look for newer lists of those who have led the run; the ids of the peers that are blocked at present."""
        return self.newest(authority).at(time.time())

    def newest(self, authority: RunAuthority) -> BlockList:
        """Look for newer lists of those who have led the run; the one in force."""
        if not self._lists and self._recalled is not None:
            for signer in authority.widest.line:
                self._see(signer, self._recalled)
        for signer, signed in values_of(self._dht, self._key, authority.line, MAX_BLOCK_LIST_BYTES, ask="in turn"):
            self._see(signer, signed)
        for leader in reversed(authority.line):
            if leader in self._lists:
                blocks, signed = self._lists[leader]
                self._note(leader, signed)
                return blocks
        return BlockList(run_id=self._run_id)

    def _see(self, signer: str, signed: bytes) -> None:
        """Take note of what is stored under that peer id, if it is newer; an empty first list is none."""
        found, (known, _) = blocks_in(signed, signer, self._run_id), self._lists.get(signer, (None, b""))
        if found is not None and found.revision > (known.revision if known is not None else 0):
            self._lists[signer] = found, signed

    def _note(self, signer: str, signed: bytes) -> None:
        """Keep the list that is in force for the next start, if the disk takes it, and for others."""
        if self._in_force == (signer, signed):
            return
        self._in_force = signer, signed
        if self._kept is not None:
            keep_record(self._kept, signed)
        if self._republisher is not None and signer != self._own:
            self._republisher.publish(signer, signed)


def kept_blocks_file(folder: Path, run_id: str) -> Path:
    """Where a peer whose folder that is keeps the block list of a run that is in force."""
    return folder / f"blocks-{run_id}.msgpack"


def peer_ids(texts: frozenset[str]) -> frozenset[PeerID]:
    """Those of these texts that are peer ids; an organiser may have signed anything."""
    found = set[PeerID]()
    for text in texts:
        try:
            found.add(PeerID.from_base58(text))
        except ValueError:
            log.info("%s is no peer id", text)
    return frozenset(found)
