"""A ticket is for one key, one run and one time, and signed by whom the run names; anything else is none, in words."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from core.run.block_list import BlockList, sign_blocks
from core.run.steering.authority import RunAuthority
from core.security.identity import Identity
from core.tickets.admission import Admission, AdmissionBook, admission_in, sign_admission
from core.tickets.invitation_text import GivenTicket, InvitationSecret, read_text, text_of
from core.tickets.ticket import (
    CLOCK_TOLERANCE_SECONDS,
    MAX_TICKET_BYTES,
    Invitation,
    Ticket,
    TicketError,
    sign_invitation,
    sign_ticket,
    ticket_in,
)
from core.tickets.wallet import MOST_KEPT, Pass, Wallet

ORGANISER, KEEPER, STRANGER, ADA, BOB = (Identity.create() for _ in range(5))
AUTHORITY = RunAuthority((ORGANISER.peer_id,), (KEEPER.peer_id,))
NOW = 2_000_000_000.0
SEED = bytes(range(32))
KEY = b"k" * 16


def ticket(holder: Identity = ADA, run_id: str = "sums", until: float = NOW + 60, grant: bytes = b"") -> Ticket:
    """One for that holder, as the organiser words it."""
    return Ticket(run_id=run_id, organiser=ORGANISER.peer_id, holder=holder.peer_id, until=until, grant=grant)


def granted(run_id: str = "sums", until: float = NOW + 60, signer: Identity = ORGANISER, uses: int = 1) -> bytes:
    """An invitation that the holder of the seed may redeem."""
    key = Identity.from_seed(SEED).peer_id
    return sign_invitation(
        Invitation(run_id=run_id, organiser=ORGANISER.peer_id, key=key, uses=uses, until=until), signer
    )


def admission(holder: Identity = ADA, of: bytes = b"", at: float = NOW, key: bytes = KEY) -> bytes:
    """What a holder shows to all."""
    told = Admission(run_id="sums", organiser=ORGANISER.peer_id, key=key, at=at, ticket=of)
    return sign_admission(told, holder)


def read(encoded: bytes, holder: Identity = ADA) -> Ticket:
    """The ticket for that holder, at this time."""
    return ticket_in(encoded, holder.peer_id, "sums", AUTHORITY, NOW)


def test_what_the_organiser_has_signed_lets_its_holder_in() -> None:
    signed = sign_ticket(ticket(), ORGANISER)
    assert read(signed) == ticket() and len(signed) < MAX_TICKET_BYTES


@pytest.mark.parametrize(
    ("encoded", "flaw"),
    [
        (sign_ticket(ticket(BOB), ORGANISER), "other_key"),
        (sign_ticket(ticket(run_id="another"), ORGANISER), "other_run"),
        (sign_ticket(ticket(until=NOW - 1), ORGANISER), "ended"),
        (sign_ticket(ticket(), STRANGER), "forged"),
        (sign_ticket(ticket(), KEEPER), "forged"),  # a keeper may turn invitations into tickets, and nothing else
        (sign_ticket(ticket(grant=granted(signer=STRANGER)), KEEPER), "forged"),
        (sign_ticket(ticket(grant=granted(until=NOW + 30)), KEEPER), "forged"),
        (sign_ticket(ticket(grant=granted(run_id="another")), KEEPER), "other_run"),
        (sign_ticket(ticket(), ORGANISER)[:-1] + b"?", "forged"),
        (sign_blocks(BlockList(run_id="sums"), ORGANISER), "unreadable"),
        (bytes(MAX_TICKET_BYTES + 1), "unreadable"),
        (b"", "unreadable"),
    ],
)
def test_a_ticket_that_is_forged_replayed_or_ended_is_refused_and_why_is_known(encoded: bytes, flaw: str) -> None:
    with pytest.raises(TicketError) as refused:
        read(encoded)
    assert refused.value.flaw == flaw


def test_a_ticket_of_another_organisers_run_of_the_same_name_is_one_for_another_run() -> None:
    theirs = Ticket(run_id="sums", organiser=STRANGER.peer_id, holder=ADA.peer_id, until=NOW + 60)
    with pytest.raises(TicketError) as refused:
        read(sign_ticket(theirs, STRANGER))
    assert refused.value.flaw == "other_run"


def test_a_keeper_signs_a_ticket_that_comes_of_an_invitation() -> None:
    assert read(sign_ticket(ticket(grant=granted()), KEEPER)).holder == ADA.peer_id


def test_what_is_given_to_a_volunteer_fits_into_a_link_and_its_secret_into_no_log() -> None:
    for given in (GivenTicket(sign_ticket(ticket(grant=granted()), KEEPER)), InvitationSecret(granted(), SEED)):
        text = text_of(given)
        assert read_text(text) == given and text.replace("-", "").replace("_", "").isalnum() and len(text) < 2000
        assert read_text(f"{text[:50]}\n {text[50:]}") == given  # a mail program has broken the line
    assert repr(SEED)[2:20] not in repr(InvitationSecret(granted(), SEED))
    for wrong in ("", "ä", "abc", text_of(GivenTicket(b""))[:-2], "A" * 5000):
        with pytest.raises(TicketError):
            read_text(wrong)


def test_the_wallet_finds_the_ticket_that_lasts_longest_and_else_the_invitation(tmp_path: Path) -> None:
    wallet = Wallet(tmp_path / "invitations.json")
    assert pass_of(wallet) == Pass()
    wallet.add(text_of(InvitationSecret(granted(until=NOW + 90), SEED)))
    secret = pass_of(wallet).secret
    assert secret is not None and secret.seed == SEED
    for until in (NOW + 30, NOW + 60, NOW - 60):
        wallet.add(text_of(GivenTicket(sign_ticket(ticket(until=until), ORGANISER))))
    assert pass_of(wallet).until == NOW + 60 and pass_of(wallet).ticket
    assert (tmp_path / "invitations.json").stat().st_mode & 0o777 == 0o600


def test_the_wallet_says_what_is_wrong_with_what_was_given_last_and_remembers_an_end(tmp_path: Path) -> None:
    wallet = Wallet(tmp_path / "invitations.json")
    others = InvitationSecret(granted(), bytes(32))  # a grant with a seed that is not its own
    for text, flaw in [
        (text_of(GivenTicket(sign_ticket(ticket(BOB), ORGANISER))), "other_key"),
        (text_of(InvitationSecret(granted(run_id="another"), SEED)), "other_run"),
        (text_of(others), "forged"),
        ("damaged", "unreadable"),
        (text_of(GivenTicket(sign_ticket(ticket(until=NOW - 60), ORGANISER))), "ended"),
    ]:
        wallet.add(text)
        assert pass_of(wallet).flaw == flaw and not pass_of(wallet).is_valid
    wallet.add("damaged again")
    assert pass_of(wallet) == Pass(until=NOW - 60, flaw="ended")
    for number in range(MOST_KEPT):
        wallet.add(f"damaged{number}")
    assert pass_of(wallet).flaw == "unreadable"


def pass_of(wallet: Wallet) -> Pass:
    """What lets Ada into the run."""
    return wallet.pass_for("sums", AUTHORITY, ADA.peer_id, NOW)


def test_an_admission_is_the_holders_own_and_only_a_ticket_or_the_run_file_gives_it() -> None:
    of_ada = sign_ticket(ticket(), ORGANISER)
    admitted = admission_in(admission(of=of_ada), ADA.peer_id, "sums", AUTHORITY)
    assert admitted is not None and (admitted.key, admitted.until) == (KEY, NOW + 60)
    keeper = admission_in(admission(KEEPER), KEEPER.peer_id, "sums", AUTHORITY)
    assert keeper is not None and keeper.until == float("inf")
    for encoded, holder in [
        (admission(STRANGER), STRANGER),  # no ticket
        (admission(STRANGER, of_ada), STRANGER),  # somebody else's, which everybody can read
        (admission(STRANGER, of_ada), ADA),  # in somebody else's name
        (admission(of=of_ada)[:-1] + b"?", ADA),
        (msgspec.msgpack.encode({}), ADA),
    ]:
        assert admission_in(encoded, holder.peer_id, "sums", AUTHORITY) is None


def test_the_book_lets_in_who_has_a_ticket_until_it_ends_or_is_withdrawn() -> None:
    book = AdmissionBook("sums", AUTHORITY)
    by_invitation = sign_ticket(ticket(BOB, grant=granted()), KEEPER)
    book.see(
        [(ADA.peer_id, admission(of=sign_ticket(ticket(), ORGANISER))), (BOB.peer_id, admission(BOB, by_invitation))]
    )
    book.see([(STRANGER.peer_id, admission(STRANGER))])
    assert book.at(NOW).keys() == {ADA.peer_id, BOB.peer_id}
    assert book.at(NOW + 60 + CLOCK_TOLERANCE_SECONDS).keys() == {ADA.peer_id, BOB.peer_id}
    assert not book.at(NOW + 61 + CLOCK_TOLERANCE_SECONDS)
    assert book.at(NOW, frozenset({ADA.peer_id})).keys() == {BOB.peer_id}
    assert book.at(NOW, frozenset({Identity.from_seed(SEED).peer_id})).keys() == {ADA.peer_id}  # the invitation's key


def test_the_newest_admission_of_a_peer_names_the_key_of_its_reports_and_a_keeper_that_is_none_admits_nobody() -> None:
    book, signed = AdmissionBook("sums", AUTHORITY), sign_ticket(ticket(grant=granted()), KEEPER)
    newer, older = admission(of=signed, at=NOW + 1, key=b"n" * 16), admission(of=signed)
    book.see([(ADA.peer_id, newer), (ADA.peer_id, older)])
    assert book.at(NOW) == {ADA.peer_id: b"n" * 16}
    book.know_authority(RunAuthority(AUTHORITY.line))
    book.see([(ADA.peer_id, newer)])
    assert not book.at(NOW)
