"""Texts of Network events: how others reach this computer, why, and what a person could do about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from core.errors import ErrorKind
from core.localizable import LocalizedText, join_sentences, localized
from core.protocol.commands import NetworkMode
from core.protocol.events import Network
from core.run.multiaddr import readable_multiaddrs
from core.worker.network.local_network import LocalNetwork
from core.worker.swarm import ReachabilityResult

ENOUGH = localized("Outgoing connections are enough to help.")


def being_tested(wish: NetworkMode, known_address: str) -> Network:
    """The event before a test has ended: by the person's wish, or by the cached result for this network."""
    if wish == "direct":
        reason = localized("You chose it; whether it is so is being tested.")
        return Network(mode="direct", reason=reason, test="running")
    if known_address:
        reason = localized("Others reached it at %1 the last time.", place(known_address))
        return Network(mode="direct", reason=reason, test="running")
    reason = join_sentences(ENOUGH, localized("Whether others can reach it is being tested."))
    return Network(mode="client", reason=reason, test="running")


def after_test(finding: ReachabilityResult, here: LocalNetwork, port: int) -> Network:
    """The event after a test, with the mode that follows from its result."""
    if finding.is_reachable:
        return Network(mode="direct", reason=_success_text(finding), test="done")
    if finding.is_unreachable:
        reason = join_sentences(failure_text(finding, here, port), ENOUGH)
        return Network(mode="client", reason=reason, advice=advice(here, port), test="done")
    return nobody_could_tell("client")


def nobody_could_tell(mode: Literal["direct", "client"]) -> Network:
    """The event after a test without a result: the mode stays as it was."""
    reason = localized("Nobody could tell whether others reach it.")
    return Network(mode=mode, reason=reason if mode == "direct" else join_sentences(reason, ENOUGH), test="done")


def could_not_listen(problem: ErrorKind) -> Network:
    """The event where listening failed, and the automatic choice is outgoing connections only."""
    reason = (
        localized("Another program on this computer uses the port.")
        if problem is ErrorKind.PORT_TAKEN
        else localized("Others could not reach this computer.")
    )
    return Network(mode="client", reason=join_sentences(reason, ENOUGH), test="done")


def from_training_on(network: Network, mode: Literal["direct", "client"]) -> Network:
    """The event of a mode that takes effect when training begins; until then it is ``mode``."""
    reason = join_sentences(network.reason, localized("That counts from the moment training begins."))
    return msgspec.structs.replace(network, mode=mode, reason=reason)


def despite_test(network: Network) -> Network:
    """The event where the person insists on direct connections although the test failed."""
    reason = join_sentences(localized("You chose it, although it does not work:"), network.reason)
    return msgspec.structs.replace(network, mode="direct", reason=reason)


def failure_text(finding: ReachabilityResult, here: LocalNetwork, port: int) -> LocalizedText:
    """How many peers failed to connect to which address, in a sentence."""
    where: LocalizedText | str
    if here.is_public:
        where = place(here.multiaddr(port))
    elif here.vpn:
        where = localized("port %1 of your VPN", str(port))
    else:
        where = localized("port %1 of your router", str(port))
    if _testers(finding) == 1:
        return localized("The one peer that tried failed to connect to %1.", where)
    return localized("%1 of %2 peers failed to connect to %3.", str(finding.failed), str(_testers(finding)), where)


def advice(here: LocalNetwork, port: int) -> LocalizedText:
    """What the person could do so that others reach this computer: firewall, router or VPN."""
    if here.vpn:
        return localized(
            "This computer goes out through a VPN (%1), by which nobody comes in. To carry more of the "
            "averaging, switch it off, or let it leave Workerbee out.",
            here.vpn,
        )
    if here.is_public:
        return localized(
            "To carry more of the averaging, allow incoming TCP port %1 in this computer's firewall.",
            str(port),
        )
    return localized(
        "To carry more of the averaging, forward TCP port %1 on your router to this computer%2, or switch on "
        "UPnP there.",
        str(port),
        f" ({here.ip})" if here.ip else "",
    )


def ipv6_hint(ours: str, silent: Sequence[str]) -> LocalizedText:
    """What to do where we have the IPv6 address ``ours``, and those in ``silent`` do not answer; else empty."""
    if not ours or not silent:
        return LocalizedText()
    return localized(
        "IPv6 leads nowhere from this computer: %1 does not answer, and IPv4 is used instead. If connecting "
        "takes long, let this computer prefer IPv4, or switch IPv6 off.",
        place(silent[0]),
    )


def with_hint(network: Network, hint: LocalizedText) -> Network:
    """The same event with further advice."""
    return msgspec.structs.replace(network, advice=join_sentences(network.advice, hint))


def place(address: str) -> str:
    """A multiaddr as people write it, such as ``203.0.113.7:31337``."""
    for each in readable_multiaddrs([address]):
        return f"[{each.host}]:{each.port}" if each.host_protocol == "ip6" else f"{each.host}:{each.port}"
    return address


def _testers(finding: ReachabilityResult) -> int:
    return finding.reached + finding.failed


def _success_text(finding: ReachabilityResult) -> LocalizedText:
    where = place(finding.address)
    if _testers(finding) == 1:
        return localized("The one peer that tried could connect to %1.", where)
    return localized("%1 of %2 peers could connect to %3.", str(finding.reached), str(_testers(finding)), where)
