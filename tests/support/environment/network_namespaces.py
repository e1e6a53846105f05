"""Networks made of network namespaces: a public segment, home routers, firewalls, cables that can be pulled.

    with internet() as net:
        organiser = net.host()
        home = net.router()
        volunteer = home.host()

Every namespace has a name that begins with this process's number, and is gone when the block ends; those of a
process that was killed go when the next one begins. Addresses of the segment count as public for libp2p.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.support.environment.slow_link import Line, slow_line

PREFIX = "workerbee"
NAMES = Path("/etc/netns")  # where ip looks for a namespace's own settings
_numbers = itertools.count(1)

HOST_FIREWALL = """
table inet host {
  chain input {
    type filter hook input priority filter; policy drop;
    iifname "lo" accept
    ct state established,related accept
    meta l4proto { icmp, ipv6-icmp } accept
  }
}
"""
SILENCE = """
table inet silence {
  chain in { type filter hook input priority filter; policy drop; iifname "lo" accept; }
  chain out { type filter hook output priority filter; policy drop; oifname "lo" accept; }
}
"""
ROUTER = """
table inet router {
  chain miniupnpd {}
  chain prerouting_miniupnpd {}
  chain postrouting_miniupnpd {}
  chain in { type nat hook prerouting priority dstnat; jump prerouting_miniupnpd; }
  chain out { type nat hook postrouting priority srcnat; oifname "wan" masquerade; }
  chain forward {
    type filter hook forward priority filter; policy drop;
    ct state established,related accept
    ct status dnat accept
    iifname "lan" %s accept
  }
  chain input {
    type filter hook input priority filter; policy drop;
    ct state established,related accept
    iifname { "lo", "lan" } accept
  }
}
"""
UPNP = """
ext_ifname=wan
listening_ip=lan
enable_upnp=yes
enable_natpmp=yes
secure_mode=yes
uuid=53fd761e-1913-4e9a-9090-1c629ec14aba
upnp_table_name=router
upnp_nat_table_name=router
allow 1024-65535 192.168.1.0/24 1024-65535
"""


def run(*words: str, text: str = "") -> str:
    """What a program prints; an AssertionError with all that it said if it fails."""
    done = subprocess.run(words, input=text, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, f"{' '.join(words)}: {done.stdout}{done.stderr}"
    return done.stdout


@functools.cache
def why_not() -> str:
    """Why no networks can be made here; empty where they can."""
    if os.geteuid() != 0:
        return "only root may make network namespaces"
    missing = [program for program in ("ip", "nft", "miniupnpd") if shutil.which(program) is None]
    if missing:
        return f"there is no {' and no '.join(missing)}"
    try:
        with internet() as net:
            net.router().host()
    except AssertionError as error:
        return f"this system makes no network namespaces: {error}"
    return ""


@dataclass(frozen=True)
class Host:
    """A computer: a namespace of its own, with one cable to a segment."""

    namespace: str
    address: str
    cable: tuple[str, str]

    @property
    def within(self) -> tuple[str, ...]:
        """What a command begins with that shall run here."""
        return ("ip", "netns", "exec", self.namespace)

    @property
    def ip(self) -> str:
        """The beginning of its multiaddrs."""
        return f"/{'ip6' if ':' in self.address else 'ip4'}/{self.address}"

    def run(self, *words: str, text: str = "") -> str:
        """What a program prints that runs here."""
        return run(*self.within, *words, text=text)

    def unplug(self) -> None:
        """Pull the cable at the far end: the host keeps its address and its routes."""
        self._set_cable("down")

    def plug_in(self) -> None:
        """Put the cable back."""
        self._set_cable("up")

    def use_firewall(self) -> None:
        """Whatever others begin is dropped from now on."""
        self.run("nft", "-f", "-", text=HOST_FIREWALL)

    def silence(self) -> None:
        """No packet comes or goes from now on, and nobody is told: no connection ends, and its neighbours know it."""
        self.run("nft", "-f", "-", text=SILENCE)

    def drop_firewall(self) -> None:
        """Whatever others begin is let in again, and nothing is silenced."""
        self.run("nft", "flush", "ruleset")

    def add_dead_ipv6(self) -> None:
        """A global IPv6 address, and a way out on which nobody answers: as where a router is half set up."""
        run("ip", "-n", self.namespace, "address", "add", "2a00:1111::2/64", "dev", "eth0", "nodad")
        run("ip", "-n", self.namespace, "route", "add", "default", "via", "2a00:1111::1")

    def route_by(self, router: str) -> None:
        """The way out leads over that address now, as in another network."""
        self.run("ip", "route", "replace", "default", "via", router)

    def ask_names_of(self, server: Host) -> None:
        """What is started here from now on asks there for the addresses of names."""
        folder = NAMES / self.namespace
        folder.mkdir(parents=True)
        (folder / "resolv.conf").write_text(f"nameserver {server.address}\n")

    def _set_cable(self, state: str) -> None:
        namespace, end = self.cable
        run("ip", "-n", namespace, "link", "set", end, state)


class Segment:
    """A switch, in some namespace, and whoever is plugged into it; ``prefix`` lacks the last number."""

    def __init__(self, namespace: str, bridge: str, prefix: str) -> None:
        self._namespace, self._bridge, self._prefix = namespace, bridge, prefix
        self._hosts = itertools.count(1)
        run("ip", "-n", namespace, "link", "add", bridge, "type", "bridge")
        run("ip", "-n", namespace, "link", "set", bridge, "up")

    def own(self) -> str:
        """An address for the namespace that the switch is in."""
        return self._give_address(self._namespace, self._bridge)

    def plug(
        self, namespace: str, device: str, ends: contextlib.ExitStack | None = None, line: Line | None = None
    ) -> Host:
        """A cable from a namespace, and an address for its end; that line instead, if any, until ``ends``.

        Where nothing is late or lost, the kernel limits it.
        """
        port = f"port{next(_numbers)}"
        if line is None or ends is None or not (line.delay_seconds or line.lost_share):
            far_end = ("peer", "name", device, "netns", namespace)
            run("ip", "-n", self._namespace, "link", "add", port, "type", "veth", *far_end)
            if line is not None:
                limited = (
                    "root",
                    "tbf",
                    "rate",
                    f"{line.bits_per_second:.0f}bit",
                    "burst",
                    "128kb",
                    "latency",
                    "100ms",
                )
                for where, end in ((self._namespace, port), (namespace, device)):
                    run("tc", "-n", where, "qdisc", "add", "dev", end, *limited)
        else:
            ends.enter_context(slow_line(self._namespace, port, f"{port}far", line))
            run("ip", "-n", self._namespace, "link", "set", f"{port}far", "netns", namespace, "name", device)
        run("ip", "-n", self._namespace, "link", "set", port, "master", self._bridge, "up")
        run("ip", "-n", namespace, "link", "set", device, "up")
        return Host(namespace, self._give_address(namespace, device), (self._namespace, port))

    def _give_address(self, namespace: str, device: str) -> str:
        address = f"{self._prefix}{next(self._hosts)}"
        size = ("/64", "nodad") if ":" in address else ("/24",)
        run("ip", "-n", namespace, "address", "add", address + size[0], "dev", device, *size[1:])
        return address


class Router:
    """A home router with one public address, behind which hosts have private ones."""

    def __init__(self, net: Internet, only_tcp: bool) -> None:
        self._net = net
        self.wan = net.host("wan")
        self._lan = Segment(self.wan.namespace, "lan", "192.168.1.")
        self.lan_address = self._lan.own()
        self.wan.run("tee", "/proc/sys/net/ipv4/ip_forward", text="1")
        self.wan.run("nft", "-f", "-", text=ROUTER % ("meta l4proto tcp" if only_tcp else ""))

    def host(self, device: str = "eth0") -> Host:
        """A computer at home; of the far end of a VPN, if its device is called so."""
        host = self._lan.plug(self._net.namespace(), device)
        run("ip", "-n", host.namespace, "route", "add", "default", "via", self.lan_address)
        return host

    def forward(self, port: int, host: Host) -> None:
        """Whoever connects to the public address at this TCP port reaches the host's same port."""
        rule = f'add rule inet router in iifname "wan" tcp dport {port} dnat ip to {host.address}:{port}'
        self.wan.run("nft", rule)

    def offer_upnp(self, folder: Path) -> None:
        """Let whoever is at home open ports by UPnP and NAT-PMP; it ends with the network."""
        config = folder / "miniupnpd.conf"
        config.write_text(UPNP)
        self.wan.run("ip", "route", "add", "239.0.0.0/8", "dev", "lan")
        self.wan.run("miniupnpd", "-f", str(config), "-P", str(folder / "miniupnpd.pid"))


class Internet:
    """The public segment; IPv4 or IPv6, not both."""

    def __init__(self, ends: contextlib.ExitStack, ipv6: bool) -> None:
        self._ends = ends
        prefix = "2a00:1111:2222:3333::" if ipv6 else "11.0.0."
        self._segment = Segment(self.namespace(), "public", prefix)

    def host(self, device: str = "eth0", line: Line | None = None) -> Host:
        """A computer with a public address; on a fast line, or on that one."""
        return self._segment.plug(self.namespace(), device, self._ends, line)

    def router(self, only_tcp: bool = False) -> Router:
        """A router with masquerade; a strict one lets nothing but outgoing TCP pass."""
        return Router(self, only_tcp)

    def namespace(self) -> str:
        """A new namespace, with nothing but its own loopback."""
        name = f"{PREFIX}-{os.getpid()}-{next(_numbers)}"
        run("ip", "netns", "add", name)
        self._ends.callback(_remove, name)
        run("ip", "-n", name, "link", "set", "lo", "up")
        return name


@contextlib.contextmanager
def internet(ipv6: bool = False) -> Iterator[Internet]:
    """A network of its own, and its end."""
    _sweep()
    with contextlib.ExitStack() as ends:
        yield Internet(ends, ipv6)


def _sweep() -> None:
    """Remove what a killed test process has left."""
    for name in _names():
        prefix, _, rest = name.partition("-")
        owner = rest.partition("-")[0]
        if prefix == PREFIX and owner.isdigit() and not psutil.pid_exists(int(owner)):
            _remove(name)


def _names() -> list[str]:
    return [line.split()[0] for line in run("ip", "netns", "list").splitlines() if line]


def _remove(name: str) -> None:
    """With whoever still lives there."""
    for pid in run("ip", "netns", "pids", name).split():
        with contextlib.suppress(psutil.NoSuchProcess):
            psutil.Process(int(pid)).kill()
    run("ip", "netns", "delete", name)
    shutil.rmtree(NAMES / name, ignore_errors=True)
