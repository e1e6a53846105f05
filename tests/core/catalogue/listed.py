"""Catalogues for tests, signed by a key of the moment."""

from __future__ import annotations

import time

import msgspec

from core.catalogue.catalogue import Catalogue, CatalogueEntry
from core.catalogue.signed_file import moment
from core.run.address import JoinAddress
from core.run.multiaddr import Multiaddr
from core.run.run_file import parse_run_file, template

ORGANISER = "12D3KooWM9FVLymCDe7hjiJBRBgGVMaJMVAsbPX9rZ4xwYHNrpwR"
DAY = 86_400.0


def link_of(run_id: str) -> str:
    """The address of a run of that id."""
    return JoinAddress((Multiaddr(f"/ip4/203.0.113.5/tcp/31337/p2p/{ORGANISER}"),), run_id).link


def entry(run_id: str = "sums", **fields: object) -> CatalogueEntry:
    """The entry of the template's run under that id, with other fields."""
    manifest = parse_run_file(template())
    manifest = msgspec.structs.replace(manifest, run=msgspec.structs.replace(manifest.run, id=run_id))
    return msgspec.structs.replace(CatalogueEntry.of_run(manifest, ORGANISER, link_of(run_id)), **fields)


def catalogue(*entries: CatalogueEntry, made: float | None = None, days: float = 30.0) -> Catalogue:
    """A list of these runs, or of one; ``made`` is in seconds since 1970, by default now."""
    made = time.time() if made is None else made
    runs = entries or (entry(),)
    return Catalogue(title="Runs of the meadow", made=moment(made), expires=moment(made + days * DAY), run=runs)
