"""A fleet in Prometheus' text format, version 0.0.4.

Source: https://prometheus.io/docs/instrumenting/exposition_formats/. Names are ours; what strangers have written is in
label values only, as one line of harmless characters, escaped as the format asks for. All are gauges: sums over peers
fall when a peer leaves.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from core.fleet.snapshot import FleetSnapshot, Group
from core.security.sanitize import sanitize_line

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_Labels = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Gauge:
    """A metric without the prefix of its name, what it counts, and its samples; a value of ``None`` is left out."""

    name: str
    help: str
    samples: Mapping[_Labels, float | None]


def exposition(snapshot: FleetSnapshot) -> bytes:
    """The whole text, for one scrape; every sample has the label ``run``."""
    run = (("run", snapshot.run_id),)
    return "".join(line for gauge in _gauges(snapshot) for line in _written(gauge, run)).encode()


def _written(gauge: Gauge, run: _Labels) -> Iterator[str]:
    told = {labels: value for labels, value in gauge.samples.items() if value is not None and math.isfinite(value)}
    if not told:
        return
    name = f"workerbee_{gauge.name}"
    yield f"# HELP {name} {gauge.help}\n"
    yield f"# TYPE {name} gauge\n"
    for labels, value in told.items():
        written = ",".join(f'{key}="{_escaped(text)}"' for key, text in (*run, *labels))
        yield f"{name}{{{written}}} {value:.17g}\n"


def _escaped(text: str) -> str:
    """A label's value: a backslash, a quotation mark and a line feed have a backslash before them."""
    line = sanitize_line(text, 200)
    return line.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _gauges(snapshot: FleetSnapshot) -> Iterator[Gauge]:
    yield from _of_the_run(snapshot)
    yield from _of_all_peers(snapshot)
    yield from _of_each_peer(snapshot)


def _of_the_run(snapshot: FleetSnapshot) -> Iterator[Gauge]:
    about = (
        ("name", snapshot.name),
        ("organiser", snapshot.organiser),
        ("state", snapshot.state),
        ("mode", snapshot.mode),
    )
    last = snapshot.scores[-1] if snapshot.scores else None
    yield Gauge("run_info", "What the run is; always 1.", {about: 1.0})
    yield _one("seen_timestamp_seconds", "When the fleet was seen, in seconds since 1970.", snapshot.at)
    yield _one("epoch", "The epoch that most peers report.", snapshot.epoch)
    yield _one("epochs", "The number of epochs after which the run ends, where it does.", snapshot.epochs)
    yield _one("epoch_samples", "Samples of the epoch so far.", snapshot.samples)
    yield _one("epoch_target_samples", "Samples of a whole epoch.", snapshot.target)
    yield _one("epoch_ends_in_seconds", "Until the epoch ends, at the present speed.", snapshot.epoch_ends_in)
    yield _one("run_ends_in_seconds", "Until the last epoch ends, at the present speed.", snapshot.run_ends_in)
    yield _one("loss", "The mean of the losses that peers report.", snapshot.loss)
    yield _one("evaluation_loss", "The last signed loss on held-out examples.", last.loss if last else None)
    yield _one("evaluation_epoch", "The epoch of the last signed loss.", last.epoch if last else None)


def _of_all_peers(snapshot: FleetSnapshot) -> Iterator[Gauge]:
    totals = snapshot.totals
    untold = totals.peers - totals.direct - totals.outgoing
    connections = {"direct": totals.direct, "outgoing": totals.outgoing, "unknown": untold}
    rounds = {"whole": totals.whole_rounds, "partial": totals.partial_rounds, "failed": totals.failed_rounds}
    traffic = {"sent": totals.sent_bytes, "received": totals.received_bytes}
    yield Gauge("peers", "Peers that report progress, by how they connect.", _by("connection", connections))
    yield _one("stragglers", "Peers that report an epoch before that of most.", totals.stragglers)
    yield _one("samples_per_second", "The speed of all peers together.", totals.samples_per_second)
    if totals.telling:
        yield Gauge("rounds", "Rounds, as each peer counts its own since its worker started.", _by("result", rounds))
        yield Gauge("traffic_bytes", "Traffic of the peers since their workers started.", _by("direction", traffic))
    yield Gauge("device_peers", "Peers by the device that they name.", _by("device", _counted(totals.devices)))
    yield Gauge("version_peers", "Peers by their version of Workerbee.", _by("version", _counted(totals.versions)))
    if totals.countries:
        countries = {group.name: float(group.peers) for group in totals.countries}
        yield Gauge("country_peers", "Peers by the country that they tell.", _by("country", countries))
    if (energy := snapshot.energy) is not None:
        yield _one("power_peers", "Peers that tell what their devices draw.", energy.telling)
        yield _one("power_capped_peers", "Peers of whose power or energy less counts than they tell.", energy.capped)
        yield _one("power_watts", "What the devices of those draw.", energy.watts)
        yield _one("energy_joules", "What those have drawn since their workers started.", energy.joules)
        yield _one("run_end_energy_joules", "The same at the run's end, at this power and speed.", energy.joules_at_end)
    dialled = {"reached": snapshot.health.reached, "unreached": snapshot.health.unreached}
    yield Gauge("organiser_dialled", "Peers that have tried to dial the organiser's.", _by("result", dialled))
    yield _one("suspects", "Peers that others name.", len(snapshot.suspects))
    yield _one("blocked", "Peers on the organiser's block list.", len(snapshot.blocked))


def _of_each_peer(snapshot: FleetSnapshot) -> Iterator[Gauge]:
    peers = snapshot.peers
    about: dict[_Labels, float | None] = {
        (
            ("peer", peer.peer_id),
            ("name", peer.name),
            ("device", peer.device),
            ("version", peer.activity.version),
            ("connection", "outgoing" if peer.client_mode else "direct"),
        ): 1.0
        for peer in peers
    }
    suspects = {each.peer_id: each.rounds for each in snapshot.suspects}
    yield Gauge("peer_info", "What a peer says of itself; always 1.", about)
    yield Gauge(
        "peer_samples_per_second",
        "A peer's speed.",
        _by("peer", {each.peer_id: each.samples_per_second for each in peers}),
    )
    yield Gauge(
        "peer_samples", "A peer's samples of its epoch.", _by("peer", {each.peer_id: each.samples for each in peers})
    )
    yield Gauge("peer_epoch", "The epoch that a peer is in.", _by("peer", {each.peer_id: each.epoch for each in peers}))
    watts = {each.peer_id: each.power.watts for each in peers if each.power is not None}
    yield Gauge("peer_power_watts", "What a peer's device draws, as it tells.", _by("peer", watts))
    ratios = {each.peer_id: each.norm_ratio for each in peers if each.norm_ratio is not None}
    yield Gauge("peer_norm_ratio", "The norm of what a peer has sent, over the median.", _by("peer", ratios))
    yield Gauge("suspect_rounds", "Rounds in which a named peer was an outlier.", _by("peer", suspects))


def _one(name: str, words: str, value: float | None) -> Gauge:
    return Gauge(name, words, {(): value})


def _by(label: str, values: Mapping[str, float]) -> dict[_Labels, float | None]:
    return {((label, key),): value for key, value in values.items()}


def _counted(groups: Iterable[Group]) -> Counter[str]:
    """Their peers by name: names that differ only in what is harmful are one, since a series must be there once."""
    counts = Counter[str]()
    for group in groups:
        counts[sanitize_line(group.name, 200)] += group.peers
    return counts
