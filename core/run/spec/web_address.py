"""Addresses on the web: the hub's, and what is wrong with one that a run names, before anything is fetched."""

from __future__ import annotations

import os
from urllib.parse import urlsplit

from core.localizable import Detail, localized

_LOOPBACK = ("127.0.0.1", "::1", "localhost")


def hub_endpoint() -> str:
    """The URL of the hub; the variable ``HF_ENDPOINT`` may name another one, such as a mirror."""
    return os.environ.get("HF_ENDPOINT") or "https://huggingface.co"


def address_flaw(url: str) -> Detail:
    """Why that is not an http(s) address to fetch from; empty where it is one."""
    if not url.isascii() or not url.isprintable() or " " in url:
        return localized("it may have no spaces and only ASCII characters")
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        return localized("%1", error)
    if parts.scheme not in ("http", "https") or not host:
        return localized("it must begin with http:// or https:// and a host")
    if "@" in parts.netloc:
        return localized("it may hold no name and no password")
    return localized("it may have no part after #") if parts.fragment else ""


def folder_flaw(url: str) -> Detail:
    """Why that is not the https address of a folder; empty where it is one. On this very computer http will do."""
    if flaw := address_flaw(url):
        return flaw
    parts = urlsplit(url)
    if parts.scheme != "https" and parts.hostname not in _LOOPBACK:
        return localized("it must begin with https://")
    return localized("it may have no part after ?") if parts.query or "?" in url else ""
