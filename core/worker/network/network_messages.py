"""What a person is told of the network: how others reach this computer, why, and what could be done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from core.errors import ErrorKind
from core.protocol.commands import NetworkMode
from core.protocol.events import Network
from core.protocol.localizable import LocalizedText, join_sentences, localized
from core.run.multiaddr import readable_multiaddrs
from core.worker.network.local_network import LocalNetwork
from core.worker.swarm import ReachabilityResult

ENOUGH = localized("Outgoing connections are enough to help.")


def being_tested(wish: NetworkMode, known_address: str) -> Network:
    """Before anybody has tried: by the person's wish, or what was found here the last time."""
    if wish == "direct":
        reason = localized("You chose it; whether it is so is being tested.")
        return Network(mode="direct", reason=reason, test="running")
    if known_address:
        reason = localized("Others reached it at %1 the last time.", place(known_address))
        return Network(mode="direct", reason=reason, test="running")
    reason = join_sentences(ENOUGH, localized("Whether others can reach it is being tested."))
    return Network(mode="client", reason=reason, test="running")


def found(finding: ReachabilityResult, here: LocalNetwork, port: int) -> Network:
    """What came of the test, and what follows by itself."""
    if finding.is_reachable:
        return Network(mode="direct", reason=_success(finding), test="done")
    if finding.is_unreachable:
        reason = join_sentences(failure(finding, here, port), ENOUGH)
        return Network(mode="client", reason=reason, advice=advice(here, port), test="done")
    return nobody_could_tell("client")


def nobody_could_tell(mode: Literal["direct", "client"]) -> Network:
    """It stays as it was."""
    reason = localized("Nobody could tell whether others reach it.")
    return Network(mode=mode, reason=reason if mode == "direct" else join_sentences(reason, ENOUGH), test="done")


def could_not_listen(problem: ErrorKind) -> Network:
    """The automatic choice falls on outgoing connections, because of that problem with the others."""
    reason = (
        localized("Another program on this computer uses the port.")
        if problem is ErrorKind.PORT_TAKEN
        else localized("Others could not reach this computer.")
    )
    return Network(mode="client", reason=join_sentences(reason, ENOUGH), test="done")


def from_training_on(found: Network, mode: Literal["direct", "client"]) -> Network:
    """Nothing has changed yet, but will before anything is computed."""
    reason = join_sentences(found.reason, localized("That counts from the moment training begins."))
    return msgspec.structs.replace(found, mode=mode, reason=reason)


def chosen_against(found: Network) -> Network:
    """The person has insisted on direct connections, although that was found."""
    reason = join_sentences(localized("You chose it, although it does not work:"), found.reason)
    return msgspec.structs.replace(found, mode="direct", reason=reason)


def failure(finding: ReachabilityResult, here: LocalNetwork, port: int) -> LocalizedText:
    """Who failed to reach what, in a sentence."""
    where: LocalizedText | str
    if here.is_public:
        where = place(here.multiaddr(port))
    elif here.vpn:
        where = localized("port %1 of your VPN", str(port))
    else:
        where = localized("port %1 of your router", str(port))
    if _asked(finding) == 1:
        return localized("The one peer that tried failed to connect to %1.", where)
    return localized("%1 of %2 peers failed to connect to %3.", str(finding.failed), str(_asked(finding)), where)


def advice(here: LocalNetwork, port: int) -> LocalizedText:
    """What the person could do so that others reach this computer."""
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


def about_ipv6(ours: str, silent: Sequence[str]) -> LocalizedText:
    """What to do where we have that IPv6 address, and none of those of others answers although IPv4 does."""
    if not ours or not silent:
        return LocalizedText()
    return localized(
        "IPv6 leads nowhere from this computer: %1 does not answer, and IPv4 is used instead. If connecting "
        "takes long, let this computer prefer IPv4, or switch IPv6 off.",
        place(silent[0]),
    )


def with_hint(network: Network, hint: LocalizedText) -> Network:
    """The same, and something more that the person could do."""
    return msgspec.structs.replace(network, advice=join_sentences(network.advice, hint))


def place(address: str) -> str:
    """A multiaddr as people write it, such as ``203.0.113.7:31337``."""
    for each in readable_multiaddrs([address]):
        return f"[{each.host}]:{each.port}" if each.host_protocol == "ip6" else f"{each.host}:{each.port}"
    return address


def _asked(finding: ReachabilityResult) -> int:
    return finding.reached + finding.failed


def _success(finding: ReachabilityResult) -> LocalizedText:
    where = place(finding.address)
    if _asked(finding) == 1:
        return localized("The one peer that tried could connect to %1.", where)
    return localized("%1 of %2 peers could connect to %3.", str(finding.reached), str(_asked(finding)), where)
