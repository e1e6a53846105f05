"""A control value is the organiser's own, of this run, bounded, and never goes back to an earlier one."""

from __future__ import annotations

import msgspec
import pytest

from core.run.block_list import BlockList, sign_blocks
from core.run.consent import consent_digest
from core.run.steering.control_value import ControlValue, Order, control_in, newer_of, overlaid, sign_control
from core.security.identity import Identity
from tests.support.real_peers import tiny

ORGANISER, STRANGER = Identity.create(), Identity.create()
NOW = 2_000_000_000.0
UNSTEERED = ControlValue(run_id="sums")
PAUSED = UNSTEERED.ordered(Order(state="paused", since=NOW, reason="The data moves house."), NOW)
SIGNED = sign_control(PAUSED, ORGANISER)


def test_what_the_organiser_has_signed_is_read() -> None:
    control = PAUSED.noticed("Back at noon.", NOW).requiring("1.2", NOW)
    assert control_in(sign_control(control, ORGANISER), ORGANISER.peer_id, "sums") == control


@pytest.mark.parametrize(
    "encoded",
    [
        sign_control(PAUSED, STRANGER),
        sign_control(ControlValue(run_id="another"), ORGANISER),
        sign_control(msgspec.structs.replace(PAUSED, notice=501 * "a"), ORGANISER),
        sign_control(msgspec.structs.replace(PAUSED, minimum_version="the newest"), ORGANISER),
        sign_blocks(BlockList(run_id="sums"), ORGANISER),
        SIGNED[:-1] + bytes([SIGNED[-1] ^ 1]),
        b"",
    ],
    ids=["a stranger's", "of another run", "too long", "no version", "of another kind", "damaged", "nothing"],
)
def test_anything_else_is_nothing(encoded: bytes) -> None:
    assert control_in(encoded, ORGANISER.peer_id, "sums") is None


def test_each_value_replaces_those_before_it_and_an_older_one_that_is_shown_again_is_refused() -> None:
    resumed = PAUSED.ordered(Order(since=NOW), NOW - 3600)  # a clock that was set back
    assert resumed.number > PAUSED.number and newer_of(PAUSED, resumed) is resumed
    assert newer_of(resumed, PAUSED) is resumed and newer_of(resumed, None) is resumed


def test_a_value_that_was_lost_is_followed_by_a_newer_one_all_the_same() -> None:
    assert UNSTEERED.ordered(Order(state="ended"), NOW + 1).number > PAUSED.number


def test_a_change_of_one_thing_leaves_the_others_as_they_are() -> None:
    control = PAUSED.requiring("1.2", NOW).noticed("Back at noon.", NOW)
    assert (control.order, control.minimum_version) == (PAUSED.order, "1.2")


def test_people_see_the_notice_and_the_end_and_have_agreed_to_the_same() -> None:
    manifest = tiny()
    ended = PAUSED.noticed("Thank you.", NOW).ordered(Order(state="ended", since=NOW), NOW)
    shown = overlaid(manifest, ended)
    assert (shown.run.notice, shown.run.state) == ("Thank you.", "finished")
    assert consent_digest(shown) == consent_digest(manifest)
    assert overlaid(manifest, PAUSED) == manifest, "a run that is paused may still be agreed to"
