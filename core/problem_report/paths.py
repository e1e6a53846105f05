"""Finds the absolute paths in a text and takes out of them whatever may name somebody.

Nothing marks the end of a path that has spaces: in quotation marks it ends with them, elsewhere with its line, of which
only the words of an operating system's error are kept.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable

_ROOTS = "boot|data|home|media|mnt|nix|private|root|run|snap|srv|tmp|var|Users|Volumes|Library|Applications"
_EXTENSIONS = (
    "bin|cfg|conf|crt|csv|db|desktop|dll|exe|gguf|gz|ini|jpeg|jpg|json|jsonl|key|lock|log|md|onnx|parquet|pem|pid|"
    "place|png|pt|pth|py|pyc|safetensors|service|sh|so|sock|sqlite|tar|toml|tsv|txt|whl|xz|yaml|yml|zip"
)
_SCHEMES = ("http", "https", "ws", "wss", "ftp", "git", "ssh", "hf", "s3")  # what follows is a host, and no path
_BEGIN = re.compile(
    r"(?<!\w)file:/+(?=[^\s/])"
    r"|(?<![\w.])[A-Za-z]:[\\/]+(?=[^\s\\/])"  # a drive of Windows
    r"|(?<![\w\\])\\{2,4}(?=\w)"  # a share in a Windows network
    rf"|(?<![\w/]){''.join(f'(?<!{each}:)' for each in _SCHEMES)}//(?=\w)"
    r"|(?<![\w/])~(?:[^\W\d][\w.-]*)?[\\/](?=[^\s/])|\$\{?\w+\}?[\\/](?=[^\s/])|%\w+%[\\/]+(?=\S)"
    r"|<home \d+>[\\/]+(?=[^\s/])"
    r"|(?<![\w./\\])(?<!\d>)/(?=[^\s/)\]},;:'\"`|>*?])"
)
_MULTIADDR = re.compile(r"/(?:ip4|ip6|dns|dns4|dns6|dnsaddr|p2p|tcp|udp|p2p-circuit)/")
_PROGRAM = re.compile(
    r"/(?!dev/(?:disk|mapper)/)(?:usr|lib|lib32|lib64|bin|sbin|opt|proc|sys|dev|etc)(?:/(?!\.\.?/)[\w.+@%~-]+)*+(?![\w/-])"
    r"|[A-Za-z]:[\\/]+(?:Windows|Program Files(?: \(x86\))?)(?:[\\/]+(?!\.\.?[\\/])[\w.+~-]+)*+(?![\w\\/-])"
)
_ROOT = re.compile(rf"(?:<home \d+>|/(?:{_ROOTS})(?=/)|[A-Za-z]:(?=[\\/])|\\(?=\\)|/(?=/)|~)?")
_REDACTED = re.compile(rf"{_ROOT.pattern}[\\/]<path \d+>(?:\.(?:{_EXTENSIONS})(?!\w))?")
_EXTENSION = re.compile(rf"\.(?:{_EXTENSIONS})(?!\w)")
_REASONS = "|".join(re.escape(os.strerror(each)) for each in errno.errorcode)
_REASON = re.compile(rf"(?:[:,] |: \[Errno \d+\] | \()(?:{_REASONS})\)?\.?\s*\Z")
_QUOTES = {"'": "'", '"': '"', "`": "`", "“": "”", "‘": "’", "„": "“", "«": "»"}


def without_paths(text: str, label: Callable[[str], str]) -> str:
    """The text with every absolute path cut down to its usual root, a label and its usual extension.

    ``label`` names a path. Paths of the system's programs, such as ``/usr/lib``, and multiaddresses stay.
    """
    return "\n".join(_line_without_paths(line, label) for line in text.split("\n"))


def _line_without_paths(line: str, label: Callable[[str], str]) -> str:
    parts, at = [], 0
    while (begin := _BEGIN.search(line, at)) is not None:
        start = begin.start()
        kept = _MULTIADDR.match(line, start) or _PROGRAM.match(line, start) or _REDACTED.match(line, start)
        end = kept.end() if kept else _end_of_path(line, start)
        parts += [line[at:start], kept[0] if kept else _redacted(line[start:end], label)]
        at = end
    return "".join((*parts, line[at:]))


def _end_of_path(line: str, start: int) -> int:
    """Where the path ends that begins there: before its closing quotation mark, or with the line."""
    closing = _QUOTES.get(line[start - 1 : start])
    if closing is not None:
        found = re.compile(rf"(?<!\\){closing}(?!\w)").search(line, start)
        if found is not None:
            return found.start()
    return len(line)


def _redacted(path: str, label: Callable[[str], str]) -> str:
    reason = _REASON.search(path)
    words = reason[0] if reason else ""
    path = re.sub(r"\Afile:/+", "/", path.removesuffix(words))
    matched = _ROOT.match(path)
    root = matched[0] if matched else ""
    extension = (_EXTENSION.findall(path) or [""])[-1]
    separator = path[len(root)] if path[len(root) : len(root) + 1] in ("/", "\\") else "/"
    return f"{root}{separator}{label(path.rstrip())}{extension}{words}"
