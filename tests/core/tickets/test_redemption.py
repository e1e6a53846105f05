"""Whoever signs for an invitation counts: so many computers get a ticket of their own, if they know the secret."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from core.security.identity import Identity
from core.tickets.invitation_text import InvitationSecret
from core.tickets.redemption import (
    KEPT_SECONDS,
    MAX_FILE_BYTES,
    Answer,
    Redemption,
    RedemptionDesk,
    answer_in,
    redemption_of,
)
from core.tickets.ticket import ticket_in
from tests.core.tickets.test_tickets import ADA, AUTHORITY, BOB, KEEPER, NOW, ORGANISER, SEED, STRANGER, granted


def desk(folder: Path, identity: Identity = ORGANISER) -> RedemptionDesk:
    """That of the organiser, or of a keeper."""
    return RedemptionDesk(identity, AUTHORITY, "sums", folder / "redeemed.json")


def answer(at: RedemptionDesk, request: bytes, sender: Identity = ADA, now: float = NOW) -> Answer:
    """What the desk says to that peer."""
    return answer_in(at.answer(request, sender.peer_id, now))


def asked(by: Identity = ADA, uses: int = 1, seed: bytes = SEED) -> bytes:
    """The request of somebody who has the link."""
    return redemption_of(InvitationSecret(granted(uses=uses), seed), by.peer_id)


@pytest.mark.parametrize("signer", [ORGANISER, KEEPER])
def test_so_many_computers_get_a_ticket_as_the_organiser_has_allowed_and_each_as_often_as_it_asks(
    signer: Identity, tmp_path: Path
) -> None:
    for _ in range(2):
        got = answer(desk(tmp_path, signer), asked())
        assert ticket_in(got.ticket, ADA.peer_id, "sums", AUTHORITY, NOW).holder == ADA.peer_id
    assert answer(desk(tmp_path, signer), asked(BOB), BOB) == Answer(refusal="used_up")  # also after a restart
    assert answer(desk(tmp_path, signer), asked(BOB, uses=2), BOB).ticket


def test_a_request_is_of_use_to_nobody_else_and_not_after_the_end(tmp_path: Path) -> None:
    at = desk(tmp_path)
    assert answer(at, asked(), STRANGER).refusal == "refused"  # replayed
    assert answer(at, asked(seed=bytes(32))).refusal == "refused"  # who knows the grant does not know the secret
    forged = Redemption(granted(), STRANGER.peer_id, msgspec.msgpack.decode(asked(), type=Redemption).proof)
    assert answer(at, msgspec.msgpack.encode(forged), STRANGER).refusal == "refused"
    assert answer(at, asked(), now=NOW + 61).refusal == "ended"
    for nonsense in (b"", b"\xc1", bytes(5000), msgspec.msgpack.encode(Redemption(b"", ADA.peer_id, b""))):
        assert answer(at, nonsense).refusal == "refused"
    assert answer(at, asked()).ticket  # none of them has used it up


def test_what_cannot_be_counted_is_not_signed(tmp_path: Path) -> None:
    (tmp_path / "nowhere").touch()
    at = RedemptionDesk(ORGANISER, AUTHORITY, "sums", tmp_path / "nowhere" / "redeemed.json")
    assert answer(at, asked()) == Answer(refusal="busy")


def write_redeemed(folder: Path, *invitations: tuple[int, float]) -> int:
    """Other invitations, which so many computers have redeemed and which end at that time: the file's length."""
    like = ADA.peer_id[:-6]
    redeemed = {
        Identity.create().peer_id: {"until": until, "holders": [f"{like}{number:06}" for number in range(many)]}
        for many, until in invitations
    }
    redeemed[Identity.from_seed(SEED).peer_id] = {"until": NOW + 60, "holders": [ADA.peer_id]}
    return (folder / "redeemed.json").write_bytes(msgspec.json.format(msgspec.json.encode(redeemed)))


def test_a_used_invitation_stays_used_however_many_others_are(tmp_path: Path) -> None:
    assert write_redeemed(tmp_path, (10_000, NOW + 60), (7_600, NOW + 60)) > 2**20
    assert answer(desk(tmp_path), asked(BOB), BOB) == Answer(refusal="used_up")
    assert answer(desk(tmp_path), asked(BOB, uses=2), BOB).ticket
    assert answer(desk(tmp_path), asked(STRANGER, uses=2), STRANGER) == Answer(refusal="used_up")


def test_where_no_more_can_be_counted_nothing_is_signed_until_an_invitation_has_ended(tmp_path: Path) -> None:
    others, each_bytes = [(10_000, NOW - 3600)] * 12, len(f'      "{ADA.peer_id}",\n')
    room_bytes = MAX_FILE_BYTES - write_redeemed(tmp_path, *others, (1, NOW - 3600))
    write_redeemed(tmp_path, *others, (1 + room_bytes // each_bytes, NOW - 3600))
    at = desk(tmp_path)
    assert answer(at, asked(BOB, uses=2), BOB) == Answer(refusal="busy")
    later = redemption_of(InvitationSecret(granted(until=NOW + 2 * KEPT_SECONDS, uses=2), SEED), BOB.peer_id)
    assert answer(at, later, BOB, NOW + KEPT_SECONDS).ticket
    assert (tmp_path / "redeemed.json").stat().st_size < 1000


def test_a_damaged_file_lets_nobody_in_until_the_organiser_has_seen_to_it(tmp_path: Path) -> None:
    (tmp_path / "redeemed.json").write_text("{")
    for _ in range(2):
        assert answer(desk(tmp_path), asked()) == Answer(refusal="busy")  # also after a restart
    (tmp_path / "redeemed.json.broken-1").unlink()
    assert answer(desk(tmp_path), asked()).ticket


@pytest.mark.parametrize("encoded", [b"", b"\xc1", bytes(5000), msgspec.msgpack.encode({"ticket": 3})])
def test_what_is_no_answer_is_refused(encoded: bytes) -> None:
    with pytest.raises(ValueError):
        answer_in(encoded)
