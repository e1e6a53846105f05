"""A worker's delegates, confined as ever, in which probes are run in place of their work: one line of JSON from each.

Targets are one line of JSON on stdin. The fetching process is probed as it is once a run was agreed to; of the process
that holds the network, the cage that it puts p2pd in.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from typing import Any

from core.files.temp_folder import temp_folder
from core.protocol.commands import Join
from core.run.multiaddr import Multiaddr
from core.security.confinement.confine import confine_ports
from core.worker.delegation.p2pd_process import P2pd
from core.worker.fetch.fetcher import WEB_PORTS
from core.worker.process import confinement, delegates
from tests.support.confinement.probes import FETCHER, P2PD, Probe, Targets, results


def say(what: dict[str, Any]) -> None:
    """A line of JSON, whole: several processes write to one pipe."""
    os.write(sys.stdout.fileno(), json.dumps(what).encode() + b"\n")


def main() -> None:
    """Confine this process as a worker that joins a run, and wait until its delegates have told."""
    targets = Targets(**json.loads(sys.stdin.readline()))

    def tell(name: str, probes: dict[str, Probe]) -> None:
        say({name: results(probes, targets)})
        os._exit(0)

    def fetcher(_listener: object) -> None:
        confine_ports(WEB_PORTS.values())
        tell("fetcher", FETCHER)

    def network(_listener: object, p2pd: P2pd) -> None:
        p2pd.enter_cage()
        tell("p2pd", P2PD)

    vars(delegates).update(serve_fetcher=fetcher, serve_network=network)
    command = Join(addresses=(Multiaddr("/ip4/127.0.0.1/tcp/1"),), home=targets.data)
    with temp_folder() as scratch:
        tempfile.tempdir = os.environ["TMPDIR"] = str(scratch)
        confined = confinement.confine_worker(command, confinement.lock_own_folder(command), scratch)
        say({"gaps": confined.gaps})
        os.wait()
        os.wait()


if __name__ == "__main__":
    main()
