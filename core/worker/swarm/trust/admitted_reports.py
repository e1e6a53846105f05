"""Whose reports are read in a closed run: a report is signed by any key, and only says whose it is."""

from __future__ import annotations

from collections.abc import Mapping

from hivemind.p2p import PeerID

from core.run.signed_receipts import key_hash
from core.worker.swarm.dht.progress_reports import PeerReport


def admitted_reports(
    reports: Mapping[bytes, PeerReport], admitted: Mapping[PeerID, bytes] | None, own: bytes
) -> dict[bytes, PeerReport]:
    """The reports, by subkey, whose key is the one that its peer has been ``admitted`` with; and our ``own``.

    In an open run, where nobody has to be admitted, all of them.
    """
    return {
        subkey: report
        for subkey, report in reports.items()
        if admitted is None or subkey == own or admitted.get(report.peer_id) == key_hash(subkey)
    }
