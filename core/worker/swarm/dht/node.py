"""Enter a swarm's DHT, or begin a new one, with an identity that is kept on disk."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from cryptography.hazmat.primitives.serialization import load_der_private_key
from hivemind.dht import DHT, DHTNode
from hivemind.dht.protocol import ValidationError
from hivemind.dht.routing import DHTID
from hivemind.p2p import P2PDaemonError
from hivemind.utils.crypto import RSAPrivateKey
from hivemind.utils.timed_storage import MAX_DHT_TIME_DISCREPANCY_SECONDS

from core.errors import ErrorKind, UserError
from core.localizable import localized
from core.run.multiaddr import is_loopback
from core.security.identity import Identity
from core.security.progress_key import load_or_create_progress_key
from core.worker.delegation.own_watch import count_own_traffic
from core.worker.swarm import patches
from core.worker.swarm.dht.bounded_storage import bound_storage
from core.worker.swarm.dht.child_processes import ChildProcesses
from core.worker.swarm.dht.manifests import STORAGE_BOUNDS, STORAGE_ORDERS, ManifestValidator
from core.worker.swarm.dht.no_relay import serve_no_relay
from core.worker.swarm.dht.rsa_validator import Signatures
from core.worker.swarm.patches.shunned_peers import NOBODY_BARRED, BarredPeers
from core.worker.swarm.upload_test.receiver import UploadReceiver

ANSWER_SECONDS = 3.0  # that the DHT waits for an answer of a peer
FIRST_ANSWER_SECONDS = (ANSWER_SECONDS, 6.0, 12.0)  # for that of an initial peer, in one try after the other
FIRST_PAUSE_SECONDS = 1.0  # before the second try; doubled before every other one
STARTUP_SECONDS = 60.0  # WORKAROUND H39: hivemind's own 15 s are too short for p2pd on slow computers

_NO_ANSWER = "none of the initial_peers responded"  # hivemind's words; peers with whom p2pd has connected
_GO_ADDRESS_IN_USE = "address already in use"  # p2pd passes on what the Go library calls EADDRINUSE

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Swarm:
    """This peer's place in the DHT. ``mode`` is how others reach it; ``progress_key`` signs its progress.

    ``listen`` are the multiaddrs at which it listens, if it does.
    ``children`` are all processes that it consists of; ``folder`` keeps what is ours between two starts; with whom
    the organiser of its run wants it to have nothing to do from the beginning is ``barred``.
    """

    dht: DHT
    identity: Identity
    progress_key: RSAPrivateKey
    mode: Literal["direct", "client"]
    listen: tuple[str, ...]
    folder: Path
    children: ChildProcesses = field(default_factory=ChildProcesses)
    barred: BarredPeers = NOBODY_BARRED

    @property
    def peer_id(self) -> str:
        """Our libp2p peer id, base58."""
        return self.identity.peer_id

    def addresses(self) -> tuple[str, ...]:
        """The multiaddrs at which others find us; none in client mode."""
        if self.mode == "client":
            return ()
        return tuple(str(address) for address in self.dht.get_visible_maddrs(latest=True))

    def known_peers(self) -> int:
        """How many peers our routing table holds."""
        return int(self.dht.run_coroutine(_count_peers))

    def leave(self) -> None:
        """End the DHT process and p2pd, bounded by the DHT's own shutdown timeout."""
        self.children.stop_watching()
        self.dht.shutdown_timeout = 1.0
        self.dht.shutdown()


def enter_swarm(
    initial_peers: Sequence[str],
    progress_key_path: Path,
    *,
    identity: Identity,
    identity_path: Path,
    mode: Literal["direct", "client"],
    listen: Sequence[str],
    announce: Sequence[str] = (),
) -> Swarm:
    """Connect to the peers at those multiaddrs; without any, begin a new swarm.

    hivemind is changed first, see `patches`. An initial peer that is reached and does not answer, as many arrive at the
    same time, is asked again, and waited for longer.

    Raises UserError: NOBODY_ANSWERS, CLOCK_WRONG, NOT_REACHABLE or PORT_TAKEN.
    """
    patches.apply()
    progress_key = _rsa_key(load_or_create_progress_key(progress_key_path))
    try:
        dht = _start_dht(
            list(initial_peers) or None,
            node_id=DHTID.generate(source=identity.peer_id),
            identity_path=str(identity_path),
            check_if_identity_free=False,  # the folder's lock has seen to it, without a second p2pd
            startup_timeout=STARTUP_SECONDS,
            cache_nearest=0,  # or each look at a dictionary would be uploaded to one more node
            record_validators=[ManifestValidator(), Signatures(progress_key)],
            **_reachability(mode, listen, announce),
        )
    except Exception as error:
        raise _user_error(error) from error
    count_own_traffic()
    return _prepare(Swarm(dht, identity, progress_key, mode, tuple(listen), progress_key_path.parent))


def _start_dht(initial_peers: list[str] | None, **options: Any) -> DHT:
    """Start the DHT's process; where initial peers are there and nobody answers, once more.

    WORKAROUND H76: hivemind asks initial peers once, and waits 3 s for an answer, as for every other one: of 33 that
    arrived in the same second, 28 were told that nobody answers. Who is not there at all is known earlier, by p2pd.
    """
    pause = FIRST_PAUSE_SECONDS
    for seconds in FIRST_ANSWER_SECONDS:
        dht = DHT(initial_peers, start=False, wait_timeout=seconds, **options)
        try:
            dht.run_in_background()
        except RuntimeError as error:
            if _NO_ANSWER not in str(error) or seconds == FIRST_ANSWER_SECONDS[-1]:
                raise
            log.info("no initial peer has answered within %.0f s", seconds)
            dht.shutdown()  # its process ends, and with it its p2pd: the next one may listen there
            time.sleep(pause)
            pause *= 2
        else:
            return dht
    raise AssertionError("the last try either starts the DHT or raises")


def _prepare(swarm: Swarm) -> Swarm:
    swarm.children.watch(localized("The process of the DHT"), swarm.dht.pid)
    swarm.children.watch("p2pd", swarm.dht.run_coroutine(_prepare_node))
    return swarm


def _reachability(mode: str, listen: Sequence[str], announce: Sequence[str]) -> dict[str, Any]:
    """The options of DHT and p2pd; on loopback, no router is asked for anything."""
    if mode == "client":
        return {
            "client_mode": True,
            "no_listen": True,
            "nat_port_map": False,
            "auto_nat": False,
            "use_relay": False,
        }
    inside = all(is_loopback(address) for address in listen)
    return {
        "host_maddrs": list(listen),
        "announce_maddrs": list(announce) or None,
        "nat_port_map": not inside,
        "auto_nat": not inside,
        "use_relay": not inside,
    }


def _rsa_key(encoded: bytes) -> RSAPrivateKey:
    """Decode a DER-encoded private key.

    WORKAROUND H38: hivemind's constructor always makes a new one.
    """
    key = RSAPrivateKey.__new__(RSAPrivateKey)
    key._private_key = load_der_private_key(encoded, password=None)
    return key


async def _prepare_node(dht: DHT, node: DHTNode) -> int:
    """Prepare the DHT's node, in its process; return the process id of our p2pd.

    WORKAROUND H32: over 16 KiB, a command may end the DHT process unless its pipe waits (issue #660).
    """
    os.set_blocking(dht._inner_pipe.fileno(), True)
    node.protocol.wait_timeout = ANSWER_SECONDS  # from now on, however long the first answer has taken
    bound_storage(node, STORAGE_BOUNDS, STORAGE_ORDERS)
    await serve_no_relay(node.protocol.p2p)
    if not node.protocol.client_mode:
        await UploadReceiver().add_p2p_handlers(node.protocol.p2p)
    return int(node.protocol.p2p._child.pid)


async def _count_peers(_dht: DHT, node: DHTNode) -> int:
    return len(node.protocol.routing_table.peer_id_to_uid)


def _user_error(error: Exception) -> UserError:
    """The error for people where hivemind or p2pd says that a swarm cannot be entered."""
    log.info("the swarm cannot be entered: %r", error)
    if isinstance(error, ValidationError):  # a peer was asked for the time, and whether it can dial us
        is_clock = f"within {MAX_DHT_TIME_DISCREPANCY_SECONDS} seconds" in str(error)
        return UserError(ErrorKind.CLOCK_WRONG if is_clock else ErrorKind.NOT_REACHABLE)
    if isinstance(error, P2PDaemonError) and _GO_ADDRESS_IN_USE in str(error):
        return UserError(ErrorKind.PORT_TAKEN)
    return UserError(ErrorKind.NOBODY_ANSWERS)
