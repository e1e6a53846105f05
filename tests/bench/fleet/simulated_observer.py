"""A worker that joins no swarm and tells of made-up peers as an observer's worker does, but once a second.

    python -m tests.bench.fleet.simulated_observer PEERS

It stands for the worker of `workerbee fleet`, whose own cost (hivemind's DHT, torch's import) is not measured here.
The loss of the n-th look is 1000 + n, so that one can see which look a terminal shows.
"""

from __future__ import annotations

import os
import random
import sys
import threading
import time

from core.protocol.codec import decode_command, encode
from core.protocol.commands import Join, Leave
from core.protocol.events import Connected, Hello, Left, RunFound, SearchFinished
from core.protocol.peers import PeerActivity, PeerSeen, PeersSeen
from core.protocol.types import PROTOCOL_VERSION, Event
from tests.bench.window.simulated_worker import ORGANISER, manifest

LOOK_SECONDS = 1.0  # the real one looks every 5 s
FIRST_LOSS = 1000
DEVICES = ("CPU", "NVIDIA GeForce RTX 3060", "NVIDIA GeForce RTX 4090", "AMD Radeon RX 7900 XTX", "Tesla T4")


def look(number: int, peers: int, chance: random.Random) -> PeersSeen:
    """The n-th look at so many peers, each a little faster or slower than the last time."""
    return PeersSeen(peers=tuple(_peer(each, number, chance) for each in range(peers)), loss=float(FIRST_LOSS + number))


def _peer(each: int, number: int, chance: random.Random) -> PeerSeen:
    activity = PeerActivity(version=f"0.{each % 3}.0", whole=number, sent_bytes=10**6 * number, received_bytes=10**6)
    return PeerSeen(
        peer_id=f"12D3KooW{each:044d}",
        epoch=7 + number // 60,
        samples=number % 60,
        samples_per_second=chance.uniform(1, 200),
        client_mode=each % 3 == 1,
        name=f"Desk {each}" if each % 2 else "",
        device=DEVICES[each % len(DEVICES)],
        activity=activity,
    )


def _say(event: Event) -> None:
    sys.stdout.buffer.write(encode(event))
    sys.stdout.buffer.flush()


def _tell(peers: int) -> None:
    chance, number = random.Random(7), 0
    due = time.monotonic()
    while True:
        number, due = number + 1, due + LOOK_SECONDS
        seen = encode(look(number, peers, chance))
        time.sleep(max(0.0, due - time.monotonic()))
        sys.stdout.buffer.write(seen)
        sys.stdout.buffer.flush()


def main() -> None:
    """One life of the worker."""
    peers = int(sys.argv[1])
    _say(Hello(protocol=PROTOCOL_VERSION, version="bench"))
    for line in sys.stdin.buffer:
        match decode_command(line):
            case Join():
                _say(Connected(peer_id=ORGANISER, peers=peers))
                _say(RunFound(manifest=manifest(), organiser=ORGANISER, vouched=True))
                _say(look(0, peers, random.Random(7)))
                _say(SearchFinished(found=1))
                threading.Thread(target=_tell, args=(peers,), daemon=True).start()
            case Leave():
                break
    _say(Left())
    os._exit(0)


if __name__ == "__main__":
    main()
