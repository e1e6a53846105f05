"""Protection against server-side request forgery: addresses of strangers never lead into the volunteer's own network.

Looked at after each connection, because a public name or a redirection may lead anywhere.
"""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass

from core.localizable import localized
from core.security.ip_scope import IpNetwork, embedded_ipv4, is_own_name, is_public_ip


class AddressRefusedError(Exception):
    """An address leads where nothing may be fetched from; no OSError, which urllib would wrap."""


@dataclass(frozen=True)
class AddressGuard:
    """Lets through what is on the internet, and what is in ``networks``."""

    networks: tuple[IpNetwork, ...] = ()

    def refuse(self, host: str) -> None:
        """Raise AddressRefusedError for an IP address that is neither; ``host`` is as a socket names its peer."""
        if not self._allows(host):
            raise AddressRefusedError(
                localized("it leads to %1, into your own network, where files that others name have no business", host)
            )

    def refuse_for_proxy(self, name: str) -> None:
        """Raise AddressRefusedError where a proxy would be sent into its own network, as far as that is known here.

        A name that cannot be looked up here is the proxy's affair, unless it is none of the internet's.
        """
        try:
            found = {str(place[0]) for *_, place in socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)}
        except (OSError, UnicodeError):
            found = {name} if is_own_name(name) else set()
        for host in sorted(found):
            self.refuse(host)

    def _allows(self, host: str) -> bool:
        try:
            ip = ipaddress.ip_address(host)
        except ValueError:
            return False
        real = embedded_ipv4(ip) or ip
        return is_public_ip(ip) or any(real.version == each.version and real in each for each in self.networks)
