"""What an organiser reads of a fleet at one moment, as names and values; strangers' words are sanitised."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication

from core.fleet.countries import silent_peers
from core.fleet.snapshot import FleetEnergy, FleetSnapshot, FleetTotals, Group
from core.localizable import LocalizedText
from core.placeholders import fill_placeholders
from core.protocol.peers import FleetHealth
from core.security.sanitize import sanitize_line, short_id
from core.texts import figures
from core.texts.worker_messages import translate_message

translate = QCoreApplication.translate  # lupdate knows it by this name only

MOST_GROUPS = 6  # devices, versions, suspects and blocked peers that are told by name


def facts_of(snapshot: FleetSnapshot) -> list[tuple[str, str]]:
    """Everything but the curves and the peers themselves, a name and a value each."""
    totals = snapshot.totals
    facts = [
        (translate("FleetFacts", "Peers"), _peers(totals)),
        (translate("FleetFacts", "Speed"), figures.rate(totals.samples_per_second)),
        (translate("FleetFacts", "Mode"), _mode(snapshot)),
        (translate("FleetFacts", "Epoch"), _epoch(snapshot)),
        (translate("FleetFacts", "To the next step"), _to_next_step(snapshot)),
        (translate("FleetFacts", "Loss"), _loss(snapshot)),
        (translate("FleetFacts", "Rounds"), _rounds(totals)),
        (translate("FleetFacts", "Why not whole"), _reasons(snapshot.health)),
        (translate("FleetFacts", "Address"), _reachability(snapshot.health)),
        (translate("FleetFacts", "Traffic"), _traffic(totals)),
        (translate("FleetFacts", "Energy"), _energy(snapshot.energy, totals.peers)),
        (translate("FleetFacts", "Devices"), _groups(totals.devices)),
        (translate("FleetFacts", "Versions"), _groups(totals.versions)),
        (translate("FleetFacts", "Countries"), _countries(totals)),
        (translate("FleetFacts", "Suspects"), _suspects(snapshot)),
        (translate("FleetFacts", "Blocked"), _few([short_id(each) for each in snapshot.blocked], ", ")),
    ]
    return [(name, value) for name, value in facts if value]


def _peers(totals: FleetTotals) -> str:
    told = fill_placeholders(
        translate("FleetFacts", "%1: %2 direct, %3 outgoing only"),
        *map(figures.count, (totals.peers, totals.direct, totals.outgoing)),
    )
    if not totals.stragglers:
        return told
    behind = fill_placeholders(translate("FleetFacts", "%1 in an earlier epoch"), figures.count(totals.stragglers))
    return f"{told}, {behind}"


def _mode(snapshot: FleetSnapshot) -> str:
    if snapshot.mode == "local-sgd":
        return translate("FleetFacts", "local SGD: the changes of many steps are averaged")
    return translate("FleetFacts", "the gradients of every step are averaged")


def _epoch(snapshot: FleetSnapshot) -> str:
    """The epoch; of how many, and when the last one ends, where that is known."""
    epoch = figures.unknown() if snapshot.epoch is None else figures.count(snapshot.epoch)
    if snapshot.epochs is None:
        return epoch
    told = fill_placeholders(translate("FleetFacts", "%1 of %2"), epoch, figures.count(snapshot.epochs))
    if snapshot.run_ends_in is None:
        return told
    ends = fill_placeholders(
        translate("FleetFacts", "the run ends in about %1 at this speed"), figures.about(snapshot.run_ends_in)
    )
    return f"{told}, {ends}"


def _to_next_step(snapshot: FleetSnapshot) -> str:
    told = fill_placeholders(
        translate("FleetFacts", "%1 of %2 samples"), figures.count(snapshot.samples), figures.count(snapshot.target)
    )
    if snapshot.epoch_ends_in is None:
        return told
    left = fill_placeholders(translate("FleetFacts", "about %1 to go"), figures.about(snapshot.epoch_ends_in))
    return f"{told}, {left}"


def _loss(snapshot: FleetSnapshot) -> str:
    reported = fill_placeholders(translate("FleetFacts", "%1, as the peers report it"), figures.loss(snapshot.loss))
    if not snapshot.scores:
        return reported
    last = snapshot.scores[-1]
    signed = fill_placeholders(
        translate("FleetFacts", "%1 on unseen examples, signed at epoch %2"),
        figures.loss(last.loss),
        figures.count(last.epoch),
    )
    return f"{reported}\n{signed}"


def _rounds(totals: FleetTotals) -> str:
    if not totals.telling:
        return ""
    counts = (totals.whole_rounds, totals.partial_rounds, totals.failed_rounds)
    return fill_placeholders(
        translate("FleetFacts", "%1 whole, %2 partial, %3 failed, as each peer counts its own"),
        *map(figures.count, counts),
    )


def _reasons(health: FleetHealth) -> str:
    """Why the last rounds of peers were partial or failed; ours are translated, others stay as they are."""
    told = [
        fill_placeholders(
            translate("FleetFacts", "%1: %n peer(s)", "", each.peers),
            sanitize_line(translate_message(LocalizedText(each.words)), 160),
        )
        for each in health.reasons
    ]
    return _few(told, "\n")


def _reachability(health: FleetHealth) -> str:
    """Whether others can connect to the organiser's peer, and what to do where they cannot."""
    tried = health.reached + health.unreached
    if not tried:
        return translate("FleetFacts", "nobody has tried yet whether newcomers reach the organiser’s peer")
    told = fill_placeholders(
        translate("FleetFacts", "%1 of %2 peers that tried could connect to the organiser’s peer"),
        figures.count(health.reached),
        figures.count(tried),
    )
    if health.reached > health.unreached:
        return told
    advice = translate(
        "FleetFacts",
        "Let newcomers in: allow its TCP port in the firewall, forward it on the router, and publish with --announce "
        "and the address that leads to it from outside.",
    )
    return f"{told}\n{advice}"


def _traffic(totals: FleetTotals) -> str:
    if not totals.telling:
        return ""
    return fill_placeholders(
        translate("FleetFacts", "%1 sent, %2 received"),
        figures.size(totals.sent_bytes),
        figures.size(totals.received_bytes),
    )


def _energy(energy: FleetEnergy | None, peers: int) -> str:
    """What those peers draw that tell it; empty where none does."""
    if energy is None:
        return ""
    told = fill_placeholders(
        translate("FleetFacts", "%1 of the %2 of %3 peers that tell, %4 so far"),
        figures.power(energy.watts),
        figures.count(energy.telling),
        figures.count(peers),
        figures.energy(energy.joules),
    )
    if energy.joules_at_end is not None:
        end = translate("FleetFacts", "about %1 by the end of the run, at this power and speed")
        told = f"{told}\n{fill_placeholders(end, figures.energy(energy.joules_at_end))}"
    if energy.capped:
        capped = translate("FleetFacts", "of %n peer(s), less counts than is told", "", energy.capped)
        told = f"{told}\n{capped}"
    return told


def _groups(groups: Sequence[Group]) -> str:
    told = [
        fill_placeholders(
            translate("FleetFacts", "%1 × %2, %3"),
            figures.count(group.peers),
            _group_name(group.name),
            figures.rate(group.samples_per_second),
        )
        for group in groups
    ]
    return _few(told, "\n")


def _group_name(name: str) -> str:
    """The words for those without a name, and for all small groups together, are ours."""
    words = {"unknown": translate("FleetFacts", "unknown"), "others": translate("FleetFacts", "others")}
    return words.get(name) or sanitize_line(name, 60)


def _countries(totals: FleetTotals) -> str:
    """How many peers tell which country, by its two letters; empty where nobody tells one."""
    if not totals.countries:
        return ""
    told = [
        fill_placeholders(translate("FleetFacts", "%1 × %2"), figures.count(group.peers), _group_name(group.name))
        for group in totals.countries
    ]
    silent = silent_peers(totals)
    others = translate("FleetFacts", "%n do(es) not say", "", silent) if silent else ""
    return ", ".join(filter(None, (_few(told, ", "), others)))


def _suspects(snapshot: FleetSnapshot) -> str:
    told = [
        fill_placeholders(
            translate(
                "FleetFacts", "%1: named by %2, rounds in which it was cut down or left out: %3, refused states: %4"
            ),
            short_id(each.peer_id),
            *map(figures.count, (each.named_by, each.rounds, each.refused_states)),
        )
        for each in snapshot.suspects
    ]
    return _few(told, "\n")


def _few(told: Sequence[str], between: str) -> str:
    shown = list(told[:MOST_GROUPS])
    if (more := len(told) - len(shown)) > 0:
        shown.append(fill_placeholders(translate("FleetFacts", "and %1 more"), figures.count(more)))
    return between.join(shown)
