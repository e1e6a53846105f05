"""A plain hivemind peer as a process: it validates nothing, stores and forgets what its standard input says.

    python -m tests.support.peers.hivemind_peer CLOCK_SECONDS [ADDRESS …]

CLOCK_SECONDS is how far its clock is ahead of the real one; the addresses are of the swarm that it enters. It
prints its own address, then ``ok`` for every line that it has obeyed, and ends with its standard input.
"""

from __future__ import annotations

import os
import pickle
import sys
import time
from functools import partial
from typing import Any, NamedTuple

LOOPBACK_ONLY: dict[str, Any] = {
    "host_maddrs": ["/ip4/127.0.0.1/tcp/0"],
    "nat_port_map": False,
    "auto_nat": False,
    "use_relay": False,
}


class Record(NamedTuple):
    """What a stranger puts into the DHT. ``value`` is what goes over the wire; no subkey: a plain value."""

    key: str
    value: bytes
    subkey: str | bytes | None = None
    expiration: float | None = None  # in ten minutes
    cached: bool = False  # offered for the others' caches only


class ParsedCommand(NamedTuple):
    """One line of standard input, pickled, as hexadecimal digits."""

    forget: bool = False
    records: tuple[Record, ...] = ()


def main() -> None:
    """Live until nobody needs us."""
    ahead = float(sys.argv[1])
    if ahead:  # stands for a computer whose clock is wrong: hivemind takes its time from time.time
        right_time = time.time
        time.time = lambda: right_time() + ahead
    wishes, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # or else hivemind's forked process waits for it
    os.dup2(2, 1)
    from hivemind.dht import DHT

    from core.worker.process.process_tree import setup_fork_handling

    setup_fork_handling()
    dht = DHT(sys.argv[2:] or None, start=True, startup_timeout=120, **LOOPBACK_ONLY)
    dht.run_coroutine(_widen_pipe)
    print(dht.get_visible_maddrs()[0], file=answers, flush=True)
    for line in wishes:
        dht.run_coroutine(partial(_obey, wish=pickle.loads(bytes.fromhex(line))))
        print("ok", file=answers, flush=True)
    os._exit(0)  # the children are tied to us


async def _widen_pipe(dht: Any, _node: Any) -> None:
    os.set_blocking(dht._inner_pipe.fileno(), True)


async def _obey(_dht: Any, node: Any, wish: ParsedCommand) -> None:
    """In the DHT process. What we hold is also offered to every peer that we know."""
    from hivemind.dht.routing import DHTID

    if wish.forget:
        node.protocol.storage.clear()
        node.protocol.cache.clear()
    for record in wish.records:
        key, expiration = DHTID.generate(source=record.key), record.expiration or time.time() + 600
        if not record.cached:
            node.protocol.storage.store(key, record.value, expiration, subkey=record.subkey)
        for peer in list(node.protocol.routing_table.peer_id_to_uid):
            what = [key], [record.value], [expiration], [record.subkey]
            await node.protocol.call_store(peer, *what, in_cache=record.cached)


if __name__ == "__main__":
    main()
