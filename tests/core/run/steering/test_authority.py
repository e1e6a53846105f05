"""Who leads a run follows from what its organiser and the successors that it names have signed, for everybody alike."""

from __future__ import annotations

import itertools

import msgspec

from core.run.consent import consent_digest
from core.run.manifest import RunInfo, SuccessionSpec
from core.run.steering.authority import (
    Heartbeat,
    RunAuthority,
    authority_of,
    heartbeat_in,
    sign_heartbeat,
    silence_seconds,
)
from core.security.identity import Identity
from tests.support.real_peers import tiny

ORGANISER, FIRST, SECOND, STRANGER = (Identity.create() for _ in range(4))
KEEPER = Identity.create().peer_id
SILENCE = 100
NOW = 2_000_000_000.0
SUCCESSION = SuccessionSpec(keys=(FIRST.peer_id, SECOND.peer_id), after_seconds=SILENCE)
RUN = msgspec.structs.replace(
    tiny(), run=RunInfo(id="tiny-sums", name="Led sums", keepers=(KEEPER,)), succession=SUCCESSION
)


def there(since: float, at: float) -> Heartbeat:
    """Somebody was there from then until then, counted from the takeover; the run's organiser."""
    return Heartbeat(run_id="tiny-sums", since=NOW + since, at=NOW + at)


def taken_over(at: float = 0.0, until: float = 0.0) -> Heartbeat:
    """A successor has taken over then, and was there until then."""
    return Heartbeat(run_id="tiny-sums", since=NOW + at, at=NOW + max(at, until), taken_over=NOW + at)


def led_by(now: float = 0.0, **heartbeats: Heartbeat) -> RunAuthority:
    """Who leads the run, by these heartbeats."""
    keys = {"organiser": ORGANISER, "first": FIRST, "second": SECOND, "stranger": STRANGER}
    known = {keys[name].peer_id: heartbeat for name, heartbeat in heartbeats.items()}
    orders = [dict(order) for order in itertools.permutations(known.items())]
    (authority,) = {authority_of(RUN, ORGANISER.peer_id, order, NOW + now) for order in orders}
    return authority


def test_a_successor_leads_once_the_organiser_was_silent_for_long_enough_and_both_sign_epochs() -> None:
    authority = led_by(organiser=there(-1000, -SILENCE), first=taken_over())
    assert (authority.organiser, authority.leader) == (ORGANISER.peer_id, FIRST.peer_id)
    assert authority.signers == (FIRST.peer_id, ORGANISER.peer_id, KEEPER)
    assert authority.is_vouched_for((FIRST.peer_id,)) and not authority.is_vouched_for((SECOND.peer_id,))
    assert led_by(first=taken_over()).leader == FIRST.peer_id, "of an organiser that nobody has heard of"


def test_a_premature_takeover_one_by_a_stranger_and_one_of_the_future_change_nothing() -> None:
    attempts: tuple[dict[str, Heartbeat], ...] = (
        {"organiser": there(-1000, 1 - SILENCE), "first": taken_over()},
        {"organiser": there(-1000, 900), "first": taken_over()},
        {"organiser": there(-1000, -SILENCE), "second": taken_over()},  # it waits twice as long
        {"organiser": there(-9000, -5000), "stranger": taken_over()},
        {"organiser": there(-9000, -5000), "first": taken_over(3600)},
        {"organiser": there(-9000, -5000), "first": there(-100, 0)},
    )
    for heartbeats in attempts:
        assert led_by(0.0, **heartbeats) == RunAuthority.of(RUN, ORGANISER.peer_id)


def test_an_organiser_that_comes_back_does_not_lead_again_and_says_itself_that_it_was_away() -> None:
    before = there(-1000, -SILENCE)
    returned = before.renewed(NOW + 50, SILENCE)
    assert returned.since == NOW + 50
    assert led_by(60, organiser=returned, first=taken_over()).leader == FIRST.peer_id
    stayed = before.renewed(NOW - 30, SILENCE).renewed(NOW + 50, SILENCE)  # it was restarted in between
    assert led_by(60, organiser=stayed, first=taken_over()).leader == ORGANISER.peer_id


def test_of_two_successors_the_earlier_one_leads_and_the_next_follows_when_it_is_silent_too() -> None:
    gone = there(-9000, -1000)
    assert led_by(5, organiser=gone, first=taken_over(0, 5), second=taken_over(1)).leader == FIRST.peer_id
    assert led_by(5, organiser=gone, first=taken_over(1), second=taken_over(0, 5)).leader == SECOND.peer_id
    third = led_by(500, organiser=gone, first=taken_over(0, 200), second=taken_over(200 + 2 * SILENCE, 500))
    assert third.line == (ORGANISER.peer_id, FIRST.peer_id, SECOND.peer_id)
    assert silence_seconds(RUN, SECOND.peer_id) == 2 * SILENCE


def test_the_organiser_takes_the_run_back_by_a_run_file_without_that_successor_and_nobody_is_asked_again() -> None:
    known = {ORGANISER.peer_id: there(-1000, -SILENCE), FIRST.peer_id: taken_over()}
    without = msgspec.structs.replace(RUN, succession=SuccessionSpec())
    assert authority_of(without, ORGANISER.peer_id, known, NOW).line == (ORGANISER.peer_id,)
    assert consent_digest(without) == consent_digest(RUN)


def test_a_heartbeat_is_signed_for_one_run_and_by_one_key() -> None:
    signed = sign_heartbeat(taken_over(), FIRST)
    assert heartbeat_in(signed, FIRST.peer_id, "tiny-sums") == taken_over()
    for signer, run_id, encoded in (
        (SECOND.peer_id, "tiny-sums", signed),
        (FIRST.peer_id, "other", signed),
        (FIRST.peer_id, "tiny-sums", signed[:-1]),
        (FIRST.peer_id, "tiny-sums", sign_heartbeat(Heartbeat(run_id="tiny-sums", since=2.0, at=1.0), FIRST)),
    ):
        assert heartbeat_in(encoded, signer, run_id) is None


def test_a_run_that_nobody_has_published_is_led_by_nobody() -> None:
    assert RunAuthority.of(RUN, "") == RunAuthority(keepers=(KEEPER,))
    assert authority_of(RUN, "", {FIRST.peer_id: taken_over()}, NOW).leader == ""
