"""What a person is told of the network: how others reach this computer, why, and what could be done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from core.messages import Network, NetworkMode
from core.worker.swarm import Finding
from core.worker.whereabouts import Whereabouts

ENOUGH = "Outgoing connections are enough to help"


def being_tested(wish: NetworkMode, known_address: str) -> Network:
    """Before anybody has tried: by the person's wish, or what was found here the last time."""
    if wish == "direct":
        return Network(
            mode="direct", reason="You chose it; whether it is so is being tested.", test="running"
        )
    if known_address:
        reason = f"Others reached it at {place(known_address)} the last time."
        return Network(mode="direct", reason=reason, test="running")
    reason = f"{ENOUGH}; whether others can reach it is being tested."
    return Network(mode="client", reason=reason, test="running")


def found(finding: Finding, here: Whereabouts, port: int) -> Network:
    """What came of the test, and what follows by itself."""
    if finding.is_reachable:
        reason = f"{_share(finding.reached, finding)} could connect to {place(finding.address)}."
        return Network(mode="direct", reason=reason, test="done")
    if finding.is_unreachable:
        reason = f"{failure(finding, here, port)} {ENOUGH}."
        return Network(mode="client", reason=reason, advice=advice(here, port), test="done")
    return nobody_could_tell("client")


def nobody_could_tell(mode: Literal["direct", "client"]) -> Network:
    """It stays as it was."""
    reason = "Nobody could tell whether others reach it."
    return Network(mode=mode, reason=reason if mode == "direct" else f"{reason} {ENOUGH}.", test="done")


def from_training_on(found: Network, mode: Literal["direct", "client"]) -> Network:
    """Nothing has changed yet, but will before anything is computed."""
    reason = f"{found.reason} That counts from the moment training begins."
    return msgspec.structs.replace(found, mode=mode, reason=reason)


def chosen_against(found: Network) -> Network:
    """The person has insisted on direct connections, although that was found."""
    reason = f"You chose it, but {found.reason[:1].lower()}{found.reason[1:]}"
    return msgspec.structs.replace(found, mode="direct", reason=reason)


def failure(finding: Finding, here: Whereabouts, port: int) -> str:
    """Who failed to reach what, in a sentence."""
    behind = "VPN" if here.vpn else "router"
    where = place(here.multiaddr(port)) if here.is_public else f"port {port} of your {behind}"
    return f"{_share(finding.failed, finding)} failed to connect to {where}."


def advice(here: Whereabouts, port: int) -> str:
    """What the person could do so that others reach this computer."""
    if here.vpn:
        return (
            f"This computer goes out through a VPN ({here.vpn}), by which nobody comes in. To carry more of "
            "the averaging, switch it off, or let it leave Workerbee out."
        )
    if here.is_public:
        return f"To carry more of the averaging, allow incoming TCP port {port} in this computer's firewall."
    to = f" ({here.ip})" if here.ip else ""
    return (
        f"To carry more of the averaging, forward TCP port {port} on your router to this computer{to}, "
        "or switch on UPnP there."
    )


def about_ipv6(ours: str, silent: Sequence[str]) -> str:
    """What to do where we have that IPv6 address, and none of those of others answers although IPv4 does."""
    if not ours or not silent:
        return ""
    return (
        f"IPv6 leads nowhere from this computer: {place(silent[0])} does not answer, and IPv4 is used "
        "instead. If connecting takes long, let this computer prefer IPv4, or switch IPv6 off."
    )


def with_hint(network: Network, hint: str) -> Network:
    """The same, and something more that the person could do."""
    return msgspec.structs.replace(network, advice=" ".join(filter(None, (network.advice, hint))))


def place(address: str) -> str:
    """A multiaddr as people write it, such as ``203.0.113.7:31337``."""
    kind, host, _, port = [*address.split("/")[1:5], "", "", "", ""][:4]
    return f"[{host}]:{port}" if kind == "ip6" else f"{host}:{port}"


def _share(number: int, finding: Finding) -> str:
    asked = finding.reached + finding.failed
    return "The one peer that tried" if asked == 1 else f"{number} of {asked} peers"
