"""The peers that are too old for a run, by the versions that they say themselves."""

from __future__ import annotations

from collections.abc import Mapping

from core.version import is_older
from core.worker.swarm import ActivityRecord
from core.worker.swarm.dht.progress_reports import PeerReport


def outdated_peers(
    activities: Mapping[bytes, ActivityRecord], reports: Mapping[bytes, PeerReport], minimum: str
) -> frozenset[str]:
    """The ids of the peers that say that they are older than ``minimum``; who says no version is none of them.

    In an open run any key may sign a report in any peer's name, so a peer is too old only if every key that reports in
    its name says so: its own key's word is enough to show that it is not.
    """
    old = {key for key, each in activities.items() if is_older(each.version, minimum)}
    named = {report.peer_id for key, report in reports.items() if key in old}
    cleared = {report.peer_id for key, report in reports.items() if key not in old}
    return frozenset(peer.to_base58() for peer in named - cleared)
