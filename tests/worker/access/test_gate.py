"""A peer of a closed run leaves when its own ticket has ended, and is told by what the organiser keeps it out."""

from __future__ import annotations

import itertools
import threading
import time
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest
from hivemind.utils.crypto import RSAPrivateKey

from core.errors import ErrorKind
from core.protocol.events import RunFound
from core.run.manifest import AccessSpec
from core.run.steering.authority import RunAuthority
from core.security.identity import Identity
from core.texts.run import access_of, closed_words
from core.tickets.invitation_text import GivenTicket, InvitationSecret, text_of
from core.tickets.ticket import Invitation, Ticket, sign_invitation, sign_ticket
from core.tickets.wallet import Wallet
from core.worker.access import gate as gates
from core.worker.access.gate import RunGate
from core.worker.access.invitation import access_to
from tests.support.real_peers import RUN_ID, tiny

ORGANISER, SUCCESSOR, ADA = Identity.create(), Identity.create(), Identity.create()
LED = RunAuthority((ORGANISER.peer_id,))
TAKEN_OVER = RunAuthority((ORGANISER.peer_id, SUCCESSOR.peer_id))
CLOSED = msgspec.structs.replace(tiny(), access=AccessSpec(tickets=True))
SEED = bytes(range(32))


class EmptyDht:
    """A DHT in which nobody else has published anything."""

    def add_validators(self, _validators: Any) -> None:
        """It keeps nothing."""

    def run_coroutine(self, *_: Any, **__: Any) -> Any:
        """What is read is nothing."""
        return SimpleNamespace(result=lambda _seconds: [])


class Channel:
    """The worker's end of the pipe, which remembers what was sent."""

    def __init__(self) -> None:
        self.sent, self.leaving = list[Any](), threading.Event()

    def emit(self, event: Any) -> None:
        """Send it."""
        self.sent.append(event)

    def leave(self) -> None:
        """Leave."""
        self.leaving.set()


def given(until: float, grant: bytes = b"", by: Identity = ORGANISER) -> bytes:
    """A ticket for Ada."""
    ticket = Ticket(run_id=RUN_ID, organiser=by.peer_id, holder=ADA.peer_id, until=until, grant=grant)
    return sign_ticket(ticket, by)


def granted(until: float) -> bytes:
    """An invitation."""
    key = Identity.from_seed(SEED).peer_id
    invitation = Invitation(run_id=RUN_ID, organiser=ORGANISER.peer_id, key=key, uses=1, until=until)
    return sign_invitation(invitation, ORGANISER)


def gate(ticket: bytes, authority: RunAuthority = LED) -> RunGate:
    """Ada's gate."""
    swarm: Any = SimpleNamespace(dht=EmptyDht(), identity=ADA, peer_id=ADA.peer_id, progress_key=RSAPrivateKey())
    return RunGate(swarm, CLOSED, authority, ticket)


def test_who_is_in_a_closed_run_leaves_in_words_when_the_ticket_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gates, "POLL_SECONDS", 0.01)
    channel, barred = Channel(), list[Any]()
    optimizer: Any = SimpleNamespace(bar=barred.append)
    gate(given(time.time() + 0.2)).run(optimizer, channel, channel.leaving)  # type: ignore[arg-type]
    assert channel.leaving.is_set()
    assert [event.problem for event in channel.sent] == [ErrorKind.INVITATION_ENDED.key]
    assert {str(peer) for peer in barred[0].admitted} == {ADA.peer_id}  # nobody else has shown a ticket


@pytest.mark.parametrize(
    ("by", "before", "after", "told"),
    [
        (ORGANISER, LED, TAKEN_OVER, []),
        (ORGANISER, TAKEN_OVER, LED, []),
        (SUCCESSOR, TAKEN_OVER, TAKEN_OVER, []),
        (SUCCESSOR, TAKEN_OVER, LED, [ErrorKind.NOT_INVITED.key]),
    ],
    ids=["taken over", "taken back", "invited by a successor", "taken back from who has invited"],
)
def test_a_ticket_counts_as_long_as_whoever_signed_it_leads_the_run_or_has_led_it(
    by: Identity, before: RunAuthority, after: RunAuthority, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gates, "POLL_SECONDS", 0.01)
    channel, looks = Channel(), itertools.count()
    mine = gate(given(time.time() + 600, by=by), before)

    def bar(_barred: Any) -> None:
        """Somebody else leads the run from our first look on, or goes on to."""
        mine.authority = after

    leaving: Any = SimpleNamespace(wait=lambda _seconds: channel.leaving.is_set() or next(looks) > 5)
    optimizer: Any = SimpleNamespace(bar=bar)
    mine.run(optimizer, channel, leaving)  # type: ignore[arg-type]
    assert [event.problem for event in channel.sent] == told and channel.leaving.is_set() is bool(told)


def test_a_blocked_peer_or_invitation_is_known_to_be_ones_own() -> None:
    until = time.time() + 60
    mine = gate(given(until, granted(until)))
    for blocked, is_own in [
        (ORGANISER.peer_id, False),
        (ADA.peer_id, True),
        (Identity.from_seed(SEED).peer_id, True),
    ]:
        mine.blocked = frozenset({blocked})
        assert mine.is_own_blocked is is_own


def test_who_is_blocked_or_has_no_ticket_of_a_closed_run_is_barred_by_its_id() -> None:
    mine = gate(given(time.time() + 60))
    mine._look()
    assert mine.is_barred(SUCCESSOR.peer_id) and not mine.is_barred(ADA.peer_id)
    mine.blocked = frozenset({ADA.peer_id})
    assert mine.is_barred(ADA.peer_id)
    opened = RunGate(cast(Any, None), tiny(), LED, b"")
    assert not opened.is_barred(SUCCESSOR.peer_id)
    opened.also_barred = frozenset({SUCCESSOR.peer_id})
    assert opened.is_barred(SUCCESSOR.peer_id)


def test_before_a_person_agrees_they_read_whether_they_are_invited(tmp_path: Any) -> None:
    wallet, now = Wallet(tmp_path / "invitations.json"), time.time()

    def shown(peer_id: str = ADA.peer_id) -> RunFound:
        access = access_to(CLOSED, LED, peer_id, wallet)
        return RunFound(manifest=CLOSED, organiser=ORGANISER.peer_id, vouched=True, access=access)

    assert "you need an invitation" in closed_words(shown()) and ADA.peer_id in closed_words(shown())
    wallet.add(text_of(GivenTicket(given(now - 60))))
    assert "ended " in closed_words(shown())
    assert "another computer" in closed_words(shown(Identity.create().peer_id))
    wallet.add("nonsense")
    assert "damaged" in closed_words(shown(Identity.create().peer_id))
    wallet.add(text_of(InvitationSecret(granted(now + 60), SEED)))
    assert not closed_words(shown()) and "your invitation is valid until" in access_of(shown())
    assert "lead it" in access_of(shown(LED.leader))
    opened = msgspec.structs.replace(
        shown(), manifest=tiny(), access=access_to(tiny(), RunAuthority(), ADA.peer_id, wallet)
    )
    assert not closed_words(opened) and not access_of(opened)
