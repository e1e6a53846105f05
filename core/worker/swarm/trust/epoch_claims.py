"""Which of the epochs that others report are believed: one ahead of ours only once somebody has shown a state of it.

Anybody may sign a record with any epoch in it. If the highest were believed, one record would have all peers wait for a
state that nobody has. So a claim changes nothing by itself: the state is looked for while training goes on, and whoever
claims what nobody has is distrusted by the key that has signed the claim, until the run has come as far.
"""

from __future__ import annotations

from collections.abc import Mapping

from core.worker.swarm.dht.progress_reports import PeerReport

Subkey = bytes


class EpochClaims:
    """What became of the claims of others, by the subkey (the public key) of their reports.

    ``confirmed`` is the highest epoch of which a state was seen that can be used.
    """

    def __init__(self) -> None:
        self.confirmed = 0
        self._distrusted: dict[Subkey, int] = {}

    def trusted(self, reports: Mapping[Subkey, PeerReport], epoch: int) -> dict[Subkey, PeerReport]:
        """The reports of all who are trusted by us, who have come to that epoch."""
        reached = max(self.confirmed, epoch)
        self._distrusted = {subkey: claim for subkey, claim in self._distrusted.items() if claim > reached}
        return {subkey: report for subkey, report in reports.items() if subkey not in self._distrusted}

    def unproven(self, reports: Mapping[Subkey, PeerReport], believed: int) -> dict[Subkey, int]:
        """The epochs beyond those ``believed`` that peers claim whose state can be downloaded."""
        direct = {subkey: report.epoch for subkey, report in reports.items() if not report.client_mode}
        return {subkey: epoch for subkey, epoch in direct.items() if epoch > believed}

    def confirm(self, epoch: int) -> None:
        """A state of that epoch was seen, and can be used."""
        self.confirmed = max(self.confirmed, epoch)

    def distrust(self, claims: Mapping[Subkey, int]) -> None:
        """Nobody has a state of what these claim; their reports do not count until the run has come so far."""
        self._distrusted = self._distrusted | dict(claims)
