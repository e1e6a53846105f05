"""The test of a posted address: peers of the run are asked to dial the organiser's peer, at the start and every while.

It is libp2p's dial-back (`core/worker/swarm/dht/dial_back.py`), as a volunteer's is, but it changes nothing: an
organiser's peer listens in any case.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence

from core.localizable import LocalizedText, join_sentences, localized
from core.protocol.events import Network
from core.run.multiaddr import readable_multiaddrs
from core.worker.network import network_messages
from core.worker.network.connection_mode import ConnectionMode
from core.worker.network.local_network import LocalNetwork, detect_local_network
from core.worker.network.network_status import NetworkStatus
from core.worker.network.reachability import is_announced
from core.worker.network.reachability_cache import ReachabilityCache
from core.worker.network.reachability_tester import ReachabilityTester
from core.worker.process.channel import WorkerChannel
from core.worker.swarm import ReachabilityResult, Swarm, own_hosts

_FIRST = localized("The organiser's peer is the one that others connect to.")


class PostedAddressTester(ReachabilityTester):
    """Tells the organiser whether others reach the ``shared`` addresses, and what to do where they do not.

    ``note`` is given how many of the peers that tried could connect, and how many could not; nor could whoever has
    reached us elsewhere, as where the router has got another public address.
    """

    def __init__(
        self,
        swarm: Swarm,
        shared: Sequence[str],
        known: ReachabilityCache,
        channel: WorkerChannel,
        note: Callable[[int, int], None],
    ) -> None:
        self._shared, self._note = tuple(shared), note
        super().__init__(
            _Published(swarm),
            NetworkStatus(channel),
            known,
            channel,
            wish="direct",
            here=detect_local_network(self._shared),
            listen=self._shared,
            alive=(),
            dead_ipv6=(),
        )
        self._others = self._shared

    def run(self) -> None:
        """Tell what is known already, and test whenever there is a reason to, until we leave."""
        self._status.report(before_test(self._shared, self._here))
        super().run()

    def _conclude(self, result: ReachabilityResult, here: LocalNetwork, port: int) -> None:
        if result.is_reachable and is_elsewhere(result.address, self._shared, own_hosts()):
            self._note(0, result.reached + result.failed)
            self._status.report(reached_elsewhere(result.address))
        elif result.is_reachable or result.is_unreachable:
            self._note(result.reached, result.failed)
            self._status.report(after_test(result, here, port))


class _Published:
    """The organiser's swarm, which no test makes another one."""

    def __init__(self, swarm: Swarm) -> None:
        self.swarm = swarm

    def apply(self, mode: ConnectionMode) -> None:
        """An organiser's peer stays as it is."""


def before_test(shared: Sequence[str], here: LocalNetwork) -> Network:
    """What is known before anybody has tried: whether the addresses lead anywhere from outside at all."""
    places = readable_multiaddrs(shared)
    if any(place.is_public for place in places) or not places:
        return Network(mode="direct", reason=_FIRST, test="done")
    if all(place.is_loopback for place in places):
        only_here = localized("The posted addresses lead to it only from this very computer.")
        return Network(mode="direct", reason=join_sentences(_FIRST, only_here), test="done")
    only_near = localized("The posted addresses lead to it only from within its own network.")
    advice = what_to_do(here, next((place.port for place in places if place.port), 0))
    return Network(mode="direct", reason=join_sentences(_FIRST, only_near), advice=advice, test="done")


def after_test(result: ReachabilityResult, here: LocalNetwork, port: int) -> Network:
    """What peers have found that tried to connect."""
    found = network_messages.after_test(result, here, port)
    if result.is_reachable:
        return Network(mode="direct", reason=found.reason, test="done")
    failed = network_messages.failure_text(result, here, port)
    return Network(mode="direct", reason=failed, advice=what_to_do(here, port), test="done")


def is_elsewhere(address: str, shared: Sequence[str], own: Container[str]) -> bool:
    """Whether none of the ``shared`` addresses leads to that one, where others have reached us.

    A name may lead there, and so may another public host of our ``own`` ones.
    """
    kinds, places = {each.host_protocol for each in readable_multiaddrs([address])}, readable_multiaddrs(shared)
    may_lead = any(
        each.ip is None or (each.host_protocol in kinds and each.is_public and each.host in own) for each in places
    )
    return not may_lead and not is_announced(address, shared)


def reached_elsewhere(address: str) -> Network:
    """What peers have found that reached us at an address to which none that is posted leads."""
    reason = localized("Others reach it at %1, where no posted address leads.", network_messages.place(address))
    advice = localized("For newcomers, publish again with --announce %1.", address)
    return Network(mode="direct", reason=reason, advice=advice, test="done")


def what_to_do(here: LocalNetwork, port: int) -> LocalizedText:
    """How newcomers could reach the posted address: by the firewall, or by the router and another address to post."""
    if here.is_public:
        return localized("For newcomers, allow incoming TCP port %1 in this computer's firewall.", str(port))
    return localized(
        "For newcomers from outside, forward TCP port %1 on your router to this computer%2, and publish with "
        "--listen /ip4/0.0.0.0/tcp/%1 --announce and the address that leads to it from outside.",
        str(port),
        f" ({here.ip})" if here.ip else "",
    )
