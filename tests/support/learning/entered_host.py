"""A host of experts in a swarm of its own process, whose experts anybody may train."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.run.spec.experts import ExpertsSpec
from core.worker.experts.block import ExpertId
from core.worker.swarm import Swarm
from core.worker.swarm.experts.announcements import nobody
from core.worker.swarm.experts.host import ExpertHost
from tests.support.peers.state_peers import entered

RUN_ID = "experts"


def entered_host(
    folder: Path,
    listen: str,
    addresses: Sequence[str],
    experts: Sequence[ExpertId],
    hidden_size: int,
    spec: ExpertsSpec,
) -> tuple[Swarm, ExpertHost]:
    """Enter the swarm at those addresses, or begin one, and be ready to host a share of the experts there."""
    swarm = entered(folder, listen, addresses, "direct")
    host = ExpertHost(
        swarm,
        RUN_ID,
        experts,
        capacity=len(experts),
        hidden_size=hidden_size,
        spec=spec,
        is_barred=nobody,
        folder=folder / "experts",
    )
    return swarm, host
