"""How long a newcomer's download of base weights takes from three donors at home and from one, and after a cut.

The peers are real, and train nothing: a line carries the state and nothing else.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tests.bench.setup import Ground, NotMeasured, told_as_not_measured
from tests.support.environment.network_namespaces import Host, Internet, internet, why_not
from tests.support.environment.slow_link import Line
from tests.support.real_peers import LineProcess, PeerGroup, peer_group

SCRIPT = "tests.support.peers.state_peers"
HOME = Line(delay_seconds=0.025, lost_share=0.0, bits_per_second=4e6)
BYTES = 6  # a number: the weight, and its momentum in bfloat16
CUT_SHARE = 0.7
CUT_SECONDS = 30.0  # longer than a newcomer waits for a donor that says nothing
LIMIT_SECONDS = 600.0

_Said = Mapping[str, Any]


@dataclass(frozen=True)
class Newcomer:
    """Seconds for the state from one donor and from three; as shares of it, what came after a cut, and after a kill."""

    state_bytes: int
    from_one: float
    from_three: float
    after_cut: float
    after_kill: float
    roots: int
    """How many different base weights all of them had in the end."""


def measure_newcomer(ground: Ground, numbers: int) -> Newcomer:
    """A state of so many numbers, three times."""
    if reason := why_not():
        raise NotMeasured(reason)
    with told_as_not_measured(), peer_group(ground.folder / "newcomer") as group, internet() as net:
        return _Downloads(group, net, numbers).measured()


class _Downloads:
    """Three donors behind slow lines, of whom the second and the third come later; newcomers on a fast line."""

    def __init__(self, group: PeerGroup, net: Internet, numbers: int) -> None:
        self._group, self._net, self._numbers = group, net, numbers
        self._size = BYTES * numbers
        self._addresses: list[str] = []
        self._roots: set[str] = set()

    def measured(self) -> Newcomer:
        """All downloads, one after the other."""
        self._start_donor()
        from_one = self._downloaded("one")
        self._start_donor()
        self._start_donor()
        from_three = self._downloaded("three")
        after_cut, after_kill = self._cut_off() / self._size, self._killed() / self._size
        return Newcomer(self._size, from_one, from_three, after_cut, after_kill, len(self._roots))

    def _start_donor(self) -> None:
        host = self._net.host(line=HOME)
        donor = self._peer(host, f"donor{len(self._addresses)}", "donor", self._addresses[:1])
        told = donor.until(lambda said: "address" in said, seconds=LIMIT_SECONDS)
        self._addresses.append(told["address"])
        self._roots.add(told["root"])

    def _newcomer(self, name: str, host: Host) -> LineProcess[dict[str, Any]]:
        """One that has just begun to download."""
        peer = self._peer(host, name, "newcomer", self._addresses[:1])
        peer.until(lambda said: "ready" in said, seconds=LIMIT_SECONDS)
        peer.stdin.write(b"\n")
        peer.stdin.flush()
        return peer

    def _peer(self, host: Host, name: str, role: str, addresses: Sequence[str]) -> LineProcess[dict[str, Any]]:
        folder: Path = self._group.folder / name
        listen = f"{host.ip}/tcp/31337"
        return self._group.at(host).script(name, SCRIPT, role, str(folder), str(self._numbers), listen, *addresses)

    def _ended(self, peer: LineProcess[dict[str, Any]]) -> _Said:
        told = peer.until(lambda said: "seconds" in said, seconds=LIMIT_SECONDS)
        self._roots.add(told["root"])
        return told

    def _downloaded(self, name: str) -> float:
        return float(self._ended(self._newcomer(name, self._net.host()))["seconds"])

    def _received_most(self, peer: LineProcess[dict[str, Any]]) -> int:
        """The bytes that have come once it is time for a mishap."""
        enough: Callable[[_Said], bool] = partial(_has_come, CUT_SHARE * self._size)
        return int(peer.until(enough, seconds=LIMIT_SECONDS)["received"])

    def _cut_off(self) -> float:
        """The bytes that come after the cable was pulled for a while."""
        host = self._net.host()
        peer = self._newcomer("cut", host)
        before = self._received_most(peer)
        host.unplug()
        time.sleep(CUT_SECONDS)
        host.plug_in()
        return float(self._ended(peer)["received"] - before)

    def _killed(self) -> float:
        """The bytes that come once it was killed and started again."""
        host = self._net.host()
        peer = self._newcomer("killed", host)
        self._received_most(peer)
        peer.kill()
        return float(self._ended(self._newcomer("killed", host))["received"])


def _has_come(enough_bytes: float, said: _Said) -> bool:
    return bool(said.get("received", 0) >= enough_bytes)
