"""Looks at what many store under one key, for which the nodes that hold it are asked, or one of them.

One is asked for everybody's progress, and all for the members of a group or the donors of a state.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
from collections.abc import Iterable
from functools import partial
from itertools import chain
from typing import Any, Literal
from weakref import WeakKeyDictionary

from hivemind.dht import DHT, DHTNode
from hivemind.dht.routing import DHTID
from hivemind.dht.validation import DHTRecord
from hivemind.p2p import PeerID
from hivemind.utils import MPFuture, ValueWithExpiration

from core.worker.swarm.conditional_finds.asking import ask_holder
from core.worker.swarm.conditional_finds.messages import Record
from core.worker.swarm.dht.reader import MAX_PEERS_ASKED, any_holder, holders_of, own_records
from core.worker.swarm.patches.monotonic_clock import steady_time

MARGIN_SECONDS = 5.0  # until it expires, in which a report may be gone at one node and not yet at another
LONGEST_SECONDS = 600.0  # that a report lives in any run; nothing that claims more is remembered
MOST_KNOWN = 2_000  # reports that are remembered: a holder has room for no more
MOST_TIMES = 64  # reports of ours whose times are remembered; far fewer are there before the first one expires

log = logging.getLogger(__name__)

Whom = Literal["one", "another", "holders", "all"]
"""Any one of the holders, by lot; one that was not asked last; all of them; all whom we know near the key."""

Reports = dict[Any, ValueWithExpiration[Any]]
"""By subkey; the value is ``None`` where a peer has taken its report back."""


class ProgressDHT:
    """A DHT whose ``get`` reads the reports under one ``key``, and needs the answer of one holder where that will do.

    WORKAROUND H73: hivemind's ``get`` of the latest value asks all who hold it and everybody near them, and each of
    them sends all reports: five times as much as there is to know.

    Any holder should have what the others have; another one is chosen for every look. What earlier looks have found
    is kept until it expires, so that one who is behind takes us nowhere back. If a holder lacks a report that is to be
    there, a second one is asked, and if that lacks it, too, all that we know near the key are: none alone can hide a
    peer that was seen once. Each is told what is known, and sends the rest.

    ``report_times`` are those of our own latest reports, in seconds since 1970.
    """

    def __init__(self, dht: DHT, key: str) -> None:
        self._dht, self._key, self._known = dht, key, Reports()
        self.report_times: tuple[float, ...] = ()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._dht, name)

    def store(self, *args: Any, value: Any, **options: Any) -> Any:
        """Store our report, or ``None`` in its place, as ``DHT.store`` does."""
        if isinstance(value, dict):
            self.report_times = (*self.report_times[1 - MOST_TIMES :], value["time"])
        return self._dht.store(*args, value=value, **options)

    async def get(self, _key: str, **_options: Any) -> ValueWithExpiration[Reports] | None:
        """The latest reports, as ``DHT.get`` gives them to who awaits them; ``None`` if there are none.

        A look that fails has found nothing: an exception would end the tracker's thread, and with it the peer.
        """
        try:
            found = await self._find()
        except Exception:
            log.exception("a look at everybody's progress has failed")
            found = None
        return self.with_known(found)

    async def _find(self) -> ValueWithExpiration[Reports] | None:
        """What one holder has, or several where it lacks what was known."""
        found = await self.ask("one")
        missing = self._missing(found)
        if found is None or missing:
            self.with_known(found)
            found = await self.ask("another")
            if found is None or missing & self._missing(found):
                self.with_known(found)
                found = await self.ask("all")
                if found is None:
                    found = await self._dht.get(self._key, latest=True, return_future=True)
        return found

    def ask(self, whom: Whom) -> MPFuture[ValueWithExpiration[Reports] | None]:
        """What these have; ``None`` where none answers or has any."""
        asked: MPFuture[Any] = self._dht.run_coroutine(partial(_ask, key=self._key, whom=whom), return_future=True)
        return asked

    def with_known(self, found: ValueWithExpiration[Reports] | None) -> ValueWithExpiration[Reports] | None:
        """What was found, and what was known before and has not expired; of two reports of one peer the later one."""
        now, merged = steady_time(), dict(self._known)
        for subkey, report in (found.value if found is not None and isinstance(found.value, dict) else {}).items():
            if subkey not in merged or report.expiration_time >= merged[subkey].expiration_time:
                merged[subkey] = report
        there = {subkey: report for subkey, report in merged.items() if report.expiration_time > now}
        passing = {subkey: each for subkey, each in there.items() if each.expiration_time <= now + LONGEST_SECONDS}
        self._known = passing if len(passing) <= MOST_KNOWN else {}
        latest = max((report.expiration_time for report in there.values()), default=-math.inf)
        return ValueWithExpiration(there, latest) if there else None

    def _missing(self, found: ValueWithExpiration[Reports] | None) -> set[Any]:
        """Whose reports were not found that were there, and are not about to expire."""
        there = found.value if found is not None and isinstance(found.value, dict) else {}
        soon = steady_time() + MARGIN_SECONDS
        return {subkey for subkey, report in self._known.items() if report.expiration_time > soon} - there.keys()


class HoldersDHT:
    """A DHT whose ``get`` asks all holders of a key, as we know them, and tells each what is known (H73)."""

    def __init__(self, dht: DHT) -> None:
        self._dht = dht

    def __getattr__(self, name: str) -> Any:
        return getattr(self._dht, name)

    def get(self, key: str, *, return_future: bool = False, **_options: Any) -> Any:
        """The latest values, as ``DHT.get`` gives them."""
        return self._dht.run_coroutine(partial(_ask, key=key, whom="holders"), return_future=return_future)


_verified: WeakKeyDictionary[DHTNode, dict[DHTID, dict[bytes, Record]]] = WeakKeyDictionary()
"""In the DHT process, by key and subkey: the latest valid reports that were found."""

_asked_last: WeakKeyDictionary[DHTNode, dict[DHTID, PeerID]] = WeakKeyDictionary()
"""In the DHT process, by key: the holder that was asked last by lot."""


async def _ask(_dht: DHT, node: DHTNode, key: str, whom: Whom) -> ValueWithExpiration[Reports] | None:
    """What these and our own node hold under the key; ``None`` where they have nothing, or the one that is asked."""
    key_id = DHTID.generate(source=key)
    own, holders = own_records(node, key_id), _chosen(node, key_id, whom)
    verified = _verified.setdefault(node, {})
    known = dict.fromkeys([*own, *_lasting(verified.get(key_id, {}).values())])
    answers = await asyncio.gather(*(_asked(node, holder, key_id, known) for holder in holders))
    told = dict.fromkeys(chain(*answers, own if whom in ("holders", "all") else ()))
    found = _latest(record for record in told if record in known or _is_valid(node, key_id, record))
    if not found:
        return None
    lasting = {record.subkey: record for record in _lasting(_latest([*found.values(), *known]).values())}
    verified[key_id] = lasting if len(lasting) <= MOST_KNOWN else {}
    return _decoded(node, key_id, _latest([*found.values(), *own]))


def _chosen(node: DHTNode, key_id: DHTID, whom: Whom) -> list[PeerID]:
    if whom == "all":
        near = node.protocol.routing_table.get_nearest_neighbors(key_id, MAX_PEERS_ASKED, exclude=node.node_id)
        return [peer for _, peer in near if peer not in node.blacklist]
    if whom == "holders":
        return holders_of(node, key_id)
    last = _asked_last.setdefault(node, {})
    holder = any_holder(node, key_id, but=last.get(key_id) if whom == "another" else None)
    if holder is None:
        return []
    last[key_id] = holder
    return [holder]


async def _asked(node: DHTNode, holder: PeerID, key_id: DHTID, known: Iterable[Record]) -> list[Record]:
    """What the holder has, unverified; where it does not answer, it is avoided for a while as by hivemind's calls."""
    try:
        return await ask_holder(node, holder, key_id, known)
    except Exception:
        log.debug("a holder of reports does not answer", exc_info=True)
        node.blacklist.register_failure(holder)
        table = node.protocol.routing_table
        await node.protocol.update_routing_table(table.get(peer_id=holder), holder, responded=False)
        return []


def _latest(records: Iterable[Record]) -> dict[bytes, Record]:
    """By subkey, the record that expires last."""
    return {record.subkey: record for record in sorted(records, key=lambda each: each.expiration_time)}


def _lasting(records: Iterable[Record]) -> list[Record]:
    """Those that have not expired, and that claim to live no longer than any can."""
    now = steady_time()
    return [record for record in records if now < record.expiration_time <= now + LONGEST_SECONDS]


def _is_valid(node: DHTNode, key_id: DHTID, record: Record) -> bool:
    """Whether our validators let it be; what none of them can make sense of is not (H80)."""
    try:
        return bool(node.protocol._validate_record(key_id.to_bytes(), *record))
    except Exception:  # strangers may have packed anything
        return False


def _decoded(node: DHTNode, key_id: DHTID, records: dict[bytes, Record]) -> ValueWithExpiration[Reports]:
    """The reports as ``DHT.get`` gives them, without those that do not decode."""
    serializer, validator, reports = node.protocol.serializer, node.protocol.record_validator, Reports()
    for record in records.values():
        value = record.value
        if validator is not None:
            value = validator.strip_value(DHTRecord(key_id.to_bytes(), *record))
        with contextlib.suppress(Exception):
            report = ValueWithExpiration(serializer.loads(value), record.expiration_time)
            reports[serializer.loads(record.subkey)] = report
    return ValueWithExpiration(reports, max(record.expiration_time for record in records.values()))
