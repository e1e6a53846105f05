"""Takes out of a text whatever names a person, a computer, an address or a key; the same thing has the same number.

So a reader sees that two lines are about one peer, and not which one it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from ipaddress import ip_address

from core.problem_report.paths import without_paths

_PEER_ID = r"\b(?:12D3KooW|16Uiu2HA|Qm)[1-9A-HJ-NP-Za-km-z]{4,}(?:…[1-9A-HJ-NP-Za-km-z]*)?"
_MAIL = r"(?<![\w.+-])[\w.+-]{1,64}@(?=[^\W\d])[\w-]{1,63}(?:\.[\w-]{1,63})*"  # also user@computer
_URL = r"(?<=://)[^\s\"'<>]+"
_DNS_HOST = r"(?<=/dns/|dns4/|dns6/)[^\s/\"'<>]+"
_MAC = r"\b(?:[0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}\b"
_IPV4 = r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])"
_IPV6 = r"(?<![\w:.])[0-9a-fA-F:]{2,39}(?:\.[0-9.]{1,12})?(?:%\w{1,20})?(?![\w:])"
_HEX_KEY = r"\b[0-9a-fA-F]{32,}\b|\bhf_\w{8,}"
_BASE64_KEY = r"(?<![\w+/-])[A-Za-z0-9+/_-]{40,}={0,2}"
_DNS_SD = r"[^\n\":=,;(<>]{0,63}\._[\w-]{1,15}\._(?:tcp|udp)(?:\.[\w-]{1,63}){0,8}\b"  # a service of mDNS, RFC 6763
_PRIVATE_DOMAINS = (
    "lan|local|localdomain|home|internal|intranet|private|corp|home\\.arpa|fritz\\.box|speedport\\.ip|ts\\.net|onion"
)
_HOME_DOMAINS = "com|org|net|de|eu"  # where people have their own computers; not every one there is
_HOST = rf"(?<![\w.@/-])(?:[\w-]{{1,63}}\.){{1,8}}(?:{_PRIVATE_DOMAINS}|{_HOME_DOMAINS})(?![\w-])|\bfritz\.box\b"
_PATTERNS = (
    ("mail", _MAIL),
    ("peer", _PEER_ID),
    ("host", _URL),
    ("host", _DNS_HOST),
    ("host", _DNS_SD),
    ("host", _HOST),
    ("device", _MAC),
    ("address", _IPV4),
    ("address", _IPV6),
    ("key", _HEX_KEY),
    ("key", _BASE64_KEY),
)
_KEPT = re.compile(r"127\.0\.0\.1|0\.0\.0\.0|::1?")  # everybody's
_MIN_NAME = 2  # characters


class Redaction:
    """Replaces what names somebody by a kind and a number, such as ``<peer 2>``.

    ``names`` are words of this person and computer by their kind, such as its home folder, which no pattern would find.
    """

    def __init__(self, names: Iterable[tuple[str, str]]) -> None:
        self._kinds = {text.lower(): kind for kind, text in names if len(text) >= _MIN_NAME}
        either = "|".join(map(re.escape, sorted(self._kinds, key=len, reverse=True)))
        self._names = re.compile(rf"(?<!\w)(?:{either})(?!\w)", re.IGNORECASE) if self._kinds else None
        self._labels: dict[tuple[str, str], str] = {}
        self._counts = Counter[str]()

    def redacted(self, text: str) -> str:
        """The text without names, addresses, hosts, paths outside the system's program folders, peer ids and keys."""
        if self._names is not None:
            text = self._names.sub(lambda found: self._of_name(found[0].lower()), text)
        text = without_paths(text, lambda path: self._label("path", path))
        for kind, pattern in _PATTERNS:
            text = re.sub(pattern, lambda found, kind=kind: self._of_pattern(kind, found[0]), text)  # type: ignore[misc]
        return text

    def _of_name(self, found: str) -> str:
        return self._label(self._kinds.get(found, "name"), found)

    def _of_pattern(self, kind: str, found: str) -> str:
        if kind == "address" and (_KEPT.fullmatch(found) or not _is_address(found)):
            return found
        if kind == "key" and "/" in found and not _is_mixed(found):  # a path
            return found
        return self._label(kind, found)

    def _label(self, kind: str, found: str) -> str:
        if (kind, found) not in self._labels:
            self._counts[kind] += 1
            self._labels[kind, found] = f"<{kind} {self._counts[kind]}>"
        return self._labels[kind, found]


def _is_mixed(text: str) -> bool:
    """Whether it has capitals, small letters and digits, as random characters have."""
    return not (text.islower() or text.isupper()) and any(map(str.isdigit, text))


def _is_address(text: str) -> bool:
    try:
        ip_address(text.partition("%")[0])
    except ValueError:
        return False
    return True
