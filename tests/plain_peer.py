"""A plain hivemind peer as a process: it validates nothing, and stores and forgets what its standard input says.

    python -m tests.plain_peer CLOCK_SECONDS [ADDRESS …]

CLOCK_SECONDS is how far its clock is ahead of the real one; the addresses are of the swarm that it enters. It
prints its own address, then ``ok`` for every line that it has obeyed, and ends with its standard input.
"""

from __future__ import annotations

import json
import os
import sys
import time
from functools import partial
from typing import Any

_REAL_TIME = time.time
LOOPBACK_ONLY: dict[str, Any] = {
    "host_maddrs": ["/ip4/127.0.0.1/tcp/0"],
    "nat_port_map": False,
    "auto_nat": False,
    "use_relay": False,
}


def main() -> None:
    """Live until nobody needs us."""
    ahead = float(sys.argv[1])
    if ahead:  # stands for a computer whose clock is wrong; hivemind asks time.time
        time.time = lambda: _REAL_TIME() + ahead
    commands, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)  # hivemind's forked DHT process would wait for it
    os.dup2(2, 1)
    _tie_children()
    from hivemind.dht import DHT

    dht = DHT(sys.argv[2:] or None, start=True, startup_timeout=120, **LOOPBACK_ONLY)
    dht.run_coroutine(_widen_pipe)
    print(dht.get_visible_maddrs()[0], file=answers, flush=True)
    for line in commands:
        wish = json.loads(line)
        dht.run_coroutine(partial(_obey, **wish))
        print("ok", file=answers, flush=True)
    dht.shutdown()
    os._exit(0)


def _tie_children() -> None:
    from core.worker import family

    family.found()


async def _widen_pipe(dht: Any, _node: Any) -> None:
    os.set_blocking(dht._inner_pipe.fileno(), True)


async def _obey(_dht: Any, node: Any, forget: bool = False, records: list[dict[str, Any]] | None = None) -> None:
    """In the DHT process. Records are put into our own storage, and offered to every peer that we know."""
    from hivemind.dht.routing import DHTID

    if forget:
        node.protocol.storage.clear()
        node.protocol.cache.clear()
    for record in records or ():
        key, value = DHTID.generate(source=record["key"]), bytes.fromhex(record["value"])
        expiration, subkey = time.time() + record["seconds"], _subkey(record["subkey"])
        node.protocol.storage.store(key, value, expiration, subkey=subkey)
        if record["offered"]:
            for peer in list(node.protocol.routing_table.peer_id_to_uid):
                await node.protocol.call_store(peer, [key], [value], [expiration], subkeys=[subkey])


def _subkey(written: str | None) -> str | bytes | None:
    """Text is meant as it is, ``hex:…`` as bytes."""
    return bytes.fromhex(written[4:]) if written is not None and written.startswith("hex:") else written


if __name__ == "__main__":
    main()
