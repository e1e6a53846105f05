"""`workerbee ticket` signs for a closed run that was published here; who is invited joins with a link or a file."""

from __future__ import annotations

import json
import time
from pathlib import Path

import msgspec
import pytest

from core.cli.options.values import deadline, invitation
from core.cli.parser.arguments import JoinRun, read_arguments
from core.run.address import JoinAddress, UnreadableAddress
from core.run.manifest import AccessSpec
from core.run.run_file import parse_run_file, template
from core.run.steering.authority import RunAuthority
from core.security.identity import Identity
from core.tickets.invitation_text import GivenTicket, InvitationSecret, read_text
from core.tickets.ticket import invitation_in, ticket_in
from tests.support.cli_process import workerbee

ADA = Identity.create().peer_id
RUN = "arithmetic-demo"


@pytest.fixture
def organiser(tmp_path: Path) -> Identity:
    """Who has published a closed run from the home folder of these tests."""
    folder = tmp_path / "home" / "data" / "organiser" / RUN
    folder.mkdir(parents=True)
    manifest = msgspec.structs.replace(parse_run_file(template()), access=AccessSpec(tickets=True))
    (folder / "published.json").write_bytes(msgspec.json.encode(manifest))
    identity = Identity.load_or_create(folder / "identity.key")
    (folder / "link").write_text(f"workerbee://join?peer=/ip4/203.0.113.5/tcp/31337/p2p/{identity.peer_id}&run={RUN}")
    return identity


def test_a_ticket_is_made_for_the_key_that_a_volunteer_is_shown(tmp_path: Path, organiser: Identity) -> None:
    key = json.loads(workerbee(tmp_path, "ticket", "--json").out)["key"]
    assert workerbee(tmp_path, "ticket").out.startswith(key)  # the same again
    link = workerbee(tmp_path, "ticket", RUN, key, "--until", "30d").out.splitlines()[0]
    address = JoinAddress.parse(f"Join here: {link}!")
    given = read_text(address.invitation)
    assert isinstance(given, GivenTicket) and address.run_id == RUN
    ticket = ticket_in(given.ticket, key, RUN, RunAuthority((organiser.peer_id,)), time.time())
    assert ticket.until == pytest.approx(time.time() + 30 * 86_400, abs=600)
    assert address.invitation not in repr(address) and "invitation" not in address.link


def test_an_invitation_for_several_is_written_to_a_file_that_nobody_else_reads(
    tmp_path: Path, organiser: Identity
) -> None:
    file = tmp_path / "invitation"
    words = ("ticket", RUN, "--uses", "5", "--until", "2099-12-31", "--to", str(file))
    done = workerbee(tmp_path, *words)
    given = read_text(JoinAddress.parse(file.read_text()).invitation)
    assert isinstance(given, InvitationSecret) and file.stat().st_mode & 0o777 == 0o600
    granted = invitation_in(given.grant, organiser.peer_id, RUN)
    assert granted.uses == 5 and f"workerbee block {granted.key}" in done.out
    assert f"It invites 5 computers with this link to {RUN} until 2099-12-31 23:59." in done.out
    assert file.read_text().strip() not in done.out and workerbee(tmp_path, *words).code == 2  # never overwritten


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((RUN, ADA), "--until"),
        ((RUN, "--until", "30d"), "KEY"),
        ((RUN, ADA, "--uses", "3", "--until", "30d"), "either"),
        ((RUN, "12D3KooWnobody", "--until", "30d"), "is not a key"),
        ((RUN, ADA, "--until", "2001-01-01"), "is over already"),
        ((RUN, ADA, "--until", "tomorrow"), "is not a date"),
        (("another", ADA, "--until", "30d"), "was published from here"),
        ((RUN, ADA, "--until", "30d", "--identity", "nowhere"), "There is no key"),
    ],
)
def test_what_cannot_be_invited_is_refused_in_words(
    words: tuple[str, ...], said: str, tmp_path: Path, organiser: Identity
) -> None:
    done = workerbee(tmp_path, "ticket", *words)
    assert done.code == 2 and said in done.err


def test_an_open_run_needs_no_tickets(tmp_path: Path, organiser: Identity) -> None:
    manifest = tmp_path / "home" / "data" / "organiser" / RUN / "published.json"
    manifest.write_bytes(msgspec.json.encode(parse_run_file(template())))
    done = workerbee(tmp_path, "ticket", RUN, ADA, "--until", "30d")
    assert done.code == 2 and "tickets = true" in done.err


def test_an_invitation_comes_in_a_file_too_with_the_address_or_without(tmp_path: Path) -> None:
    peer, file = f"/ip4/203.0.113.5/tcp/31337/p2p/{ADA}", tmp_path / "invitation"
    for words, text in [
        ([peer], "A" * 60),
        ([], f"workerbee://join?peer={peer}&invitation={'A' * 60}\n"),
    ]:
        file.write_text(text)
        command = read_arguments(["join", *words, "--invitation", str(file)], "1")
        assert isinstance(command, JoinRun)
        address = JoinAddress.parse(command.address)
        assert address.invitation == "A" * 60 and address.peer_ids == (ADA,)
        assert "AAAA" not in repr(command)
    assert invitation(str(file)) == file.read_text().strip()


def test_a_link_with_a_damaged_invitation_or_with_two_is_refused_without_showing_them() -> None:
    peer = f"/ip4/203.0.113.5/tcp/31337/p2p/{ADA}"
    for wrong in ("invitation=A%20B", "invitation=" + "A" * 5000, "invitation=AB&invitation=CD"):
        with pytest.raises(UnreadableAddress) as refused:
            JoinAddress.parse(f"workerbee://join?peer={peer}&{wrong}")
        assert "AB" not in str(refused.value) and "A B" not in str(refused.value)


def test_a_date_is_over_when_its_day_is() -> None:
    assert time.localtime(deadline("2099-12-31"))[:5] == (2099, 12, 31, 23, 59)
    assert time.localtime(deadline("2099-12-31 18:00"))[:5] == (2099, 12, 31, 18, 0)
