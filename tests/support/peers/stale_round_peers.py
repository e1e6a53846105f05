"""Two averagers of a run, of which one still looks for a group of the epoch before.

It says in lines of JSON what becomes of each round: how many peers were in it, or why it failed. Its one
argument tells which of the two is in client mode: "behind" or "ahead".
"""

from __future__ import annotations

import json
import sys
from typing import Any

import hivemind
import torch

from core.worker.process.process_tree import setup_fork_handling
from core.worker.swarm import patches
from core.worker.swarm.averaging.averagers import GradientAverager
from core.worker.swarm.averaging.rounds import Rounds
from core.worker.swarm.averaging.timeouts import shared_seconds
from core.worker.swarm.dht.child_processes import ChildProcesses

PREFIX = "leftover"
LIMIT_SECONDS = 120.0
OPTIONS: dict[str, Any] = {
    "start": True,
    "host_maddrs": ["/ip4/127.0.0.1/tcp/0"],
    "startup_timeout": 60.0,
    "nat_port_map": False,
    "auto_nat": False,
    "use_relay": False,
}


def main() -> None:
    """One round too late for its epoch, the next one of both, one that the others have left behind, and a lonely one.

    The first one meets the next: neither may join the other, and only the others' reports, made up here, say that it is
    over. Nobody else looks for a group while the third one does.
    """
    setup_fork_handling()
    patches.apply()
    direct = hivemind.DHT(**OPTIONS)
    client = hivemind.DHT(initial_peers=direct.get_visible_maddrs(), client_mode=True, **OPTIONS)
    two = (client, direct) if sys.argv[1] == "behind" else (direct, client)
    behind, ahead = map(averager, two)
    leftover = began(behind, 4)
    current = began(ahead, 5)
    behind.wait_for_group(leftover, 4, lambda _seconds: True)
    say(leftover=outcome(leftover))
    following = began(behind, 5)
    say(current=outcome(current), following=outcome(following))
    looks = iter((False, False, True, True))
    missed = began(behind, 6)
    behind.wait_for_group(missed, 6, lambda _seconds: next(looks))
    say(missed=outcome(missed), looks_left=len(list(looks)))
    lonely = began(behind, 7)
    behind.rounds.cancel_searching()
    say(is_taken_back=lonely.cancelled())


def averager(dht: hivemind.DHT) -> GradientAverager:
    """As a peer's optimizer makes it."""
    return GradientAverager(
        [torch.nn.Parameter(torch.zeros(8))],
        dht=dht,
        prefix=PREFIX,
        min_matchmaking_time=4.0,
        request_timeout=3.0,
        sender_timeout=10.0,
        reducer_timeout=20.0,
        children=ChildProcesses(),
        last_exchange=shared_seconds(),
        rounds=Rounds(LIMIT_SECONDS),
        start=True,
    )


def began(each: GradientAverager, epoch: int, seconds: float = LIMIT_SECONDS) -> Any:
    """A round at the end of that epoch, for which a group is looked for that long."""
    each.rounds.told = lambda: (epoch, ())
    return each.step(weight=1.0, timeout=seconds, wait=False)


def outcome(control: Any) -> int | str:
    """How many were in it; or the kind of its failure."""
    error = control.exception(LIMIT_SECONDS)
    return type(error).__name__ if error else len(control.result())


def say(**facts: Any) -> None:
    """One line to whoever started us."""
    print(json.dumps(facts), flush=True)


if __name__ == "__main__":
    main()
