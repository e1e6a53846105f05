"""What share of its weight a sender has: a crowd of new identities decides no average, nor does one of one network.

Identities cost nothing, and so does a weight that many of them claim together (a Sybil attack, Douceur 2002). Time
costs something, and so do addresses in many networks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from hivemind.p2p import PeerID

from core.worker.swarm.aggregation.recent_peers import RecentPeers

RAMP_ROUNDS = 3  # until a peer has its whole weight
MAX_OF_SUBNET = 4  # peers of one subnet that count in full; more of them count as so many together
_PREFIX_BITS = {4: 24, 6: 48}  # of a subnet: what one customer has, or less


def subnet_of(multiaddr: str) -> str | None:
    """The subnet of a public address, such as ``198.51.100.0/24``; ``None`` for all other addresses, and for relays."""
    parts = multiaddr.split("/")
    if len(parts) < 3 or parts[1] not in ("ip4", "ip6") or "p2p-circuit" in parts:
        return None
    try:
        address: IPv4Address | IPv6Address = ip_address(parts[2])
    except ValueError:
        return None
    return str(ip_network((address, _PREFIX_BITS[address.version]), strict=False)) if address.is_global else None


class SenderShares:
    """Counts in how many exchanges each peer was with us, and knows from which subnets they are connected.

    Who meets all of the others for the first time gives all of them the same share, which changes nothing. So it is
    where all are of one subnet.
    """

    def __init__(self) -> None:
        self._rounds = RecentPeers[PeerID, int]()
        self._subnets: Mapping[PeerID, str] = {}

    def know_subnets(self, subnets: Mapping[PeerID, str]) -> None:
        """Learn from which subnet each peer is connected, as far as that is known."""
        self._subnets = subnets

    def of(self, peers: Sequence[PeerID]) -> list[float]:
        """The share of its weight that each of these peers has, in an exchange that they are in together."""
        sizes = Counter(self._subnets[peer] for peer in peers if peer in self._subnets)
        return [self._of_newcomer(peer) * self._of_subnet(peer, sizes) for peer in peers]

    def _of_subnet(self, peer: PeerID, sizes: Mapping[str, int]) -> float:
        subnet = self._subnets.get(peer)
        return 1.0 if subnet is None else min(1.0, MAX_OF_SUBNET / sizes[subnet])

    def _of_newcomer(self, peer: PeerID) -> float:
        return min(1.0, (self._rounds.get(peer, 0) + 1) / RAMP_ROUNDS)

    def surplus(self, peers: Sequence[PeerID]) -> set[int]:
        """The indices of those that have `MAX_OF_SUBNET` others of their subnet before them, where each is one vote."""
        found, seen = set[int](), Counter[str]()
        for index, peer in enumerate(peers):
            if (subnet := self._subnets.get(peer)) is not None:
                seen[subnet] += 1
                if seen[subnet] > MAX_OF_SUBNET:
                    found.add(index)
        return found

    def add_round(self, peers: Iterable[PeerID]) -> None:
        """An exchange with these peers, ourselves included, is over."""
        for peer in peers:
            self._rounds[peer] = min(RAMP_ROUNDS, self._rounds.get(peer, 0) + 1)
