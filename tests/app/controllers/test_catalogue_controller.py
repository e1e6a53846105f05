"""Catalogues are read in a process of their own while their page is open, and trusted after a click only."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from app.controllers.catalogues.catalogue_controller import CatalogueController
from app.controllers.thread_bridge import Bridge
from core.catalogue.refusal import Refusal
from core.catalogue.signed_file import SignedCatalogue, sign_catalogue
from core.catalogue.store import EVERY_SECONDS
from core.files.folders import Folders
from core.security.identity import Identity
from tests.core.catalogue.listed import DAY, catalogue, entry
from tests.support.environment.update_server import NoticeServer, serving_notices

PUBLISHER, STRANGER = Identity.create(), Identity.create()
LIMIT_MILLISECONDS = 120_000
LISTED = catalogue(entry())
NOW = LISTED.made.timestamp()


class Watching:
    """A window that shows catalogues, at a time of the test's choice."""

    def __init__(self, qtbot: QtBot) -> None:
        self._qtbot = qtbot
        self.now = NOW
        folders = Folders.default()
        folders.prepare()
        self._folders, self._bridge = folders, Bridge()
        self.restart()

    def restart(self) -> None:
        """Begin anew with what was kept."""
        self.catalogues = CatalogueController(self._folders, self._bridge, now=lambda: self.now)
        self.offered: list[tuple[str, SignedCatalogue]] = []
        self.refused: list[Refusal] = []
        self.catalogues.offered.connect(lambda source, read: self.offered.append((source, read)))
        self.catalogues.refused.connect(self.refused.append)

    def wait(self) -> None:
        """Until nothing is read any more."""
        self._qtbot.waitUntil(lambda: not self.catalogues.read_now, timeout=LIMIT_MILLISECONDS)

    def add(self, text: str) -> None:
        """Type that, and agree to what is offered."""
        self.catalogues.look_at(text)
        self.wait()
        self.catalogues.accept(*self.offered.pop())


@pytest.fixture
def watching(qtbot: QtBot) -> Iterator[Watching]:
    """Nothing was added yet."""
    watching = Watching(qtbot)
    yield watching
    watching.catalogues.stop()


@pytest.fixture
def server() -> Iterator[NoticeServer]:
    """It has a catalogue."""
    with serving_notices() as server:
        server.body = sign_catalogue(LISTED, PUBLISHER)
        yield server


def test_a_list_is_kept_once_a_person_agrees_and_nobody_is_asked_before_hours_have_passed(
    watching: Watching, server: NoticeServer
) -> None:
    watching.catalogues.poll()
    assert server.asked == [], "somebody is asked by default"
    watching.catalogues.look_at(server.address)
    watching.wait()
    assert not watching.catalogues.known, "a list is added without a click"
    watching.catalogues.accept(*watching.offered.pop())
    watching.restart()
    (known,) = watching.catalogues.known
    assert known.publisher == PUBLISHER.peer_id and known.catalogue == LISTED
    watching.now = NOW + EVERY_SECONDS - 60
    watching.catalogues.poll()
    assert not watching.catalogues.read_now and len(server.asked) == 1
    watching.now = NOW + EVERY_SECONDS + 60
    watching.catalogues.poll()
    watching.wait()
    assert len(server.asked) == 2


def test_another_key_changes_nothing_until_a_person_trusts_it(watching: Watching, server: NoticeServer) -> None:
    watching.add(server.address)
    newer = catalogue(entry("other"), made=NOW + DAY)
    server.body = sign_catalogue(newer, STRANGER)
    watching.catalogues.refresh(server.address)
    watching.wait()
    (known,) = watching.catalogues.known
    assert known.catalogue == LISTED and known.refusal == Refusal("other_key", STRANGER.peer_id)
    watching.add(server.address)
    (known,) = watching.catalogues.known
    assert known.catalogue == newer and known.publisher == STRANGER.peer_id and known.refusal is None


def test_what_is_no_catalogue_is_refused_and_a_removed_one_is_gone(watching: Watching, server: NoticeServer) -> None:
    watching.catalogues.look_at("my list")
    assert watching.refused.pop().reason == "no_address"
    watching.add(server.address)
    server.body = b"<html></html>"
    watching.catalogues.look_at(server.address)
    watching.wait()
    assert watching.refused.pop().reason == "unsigned" and watching.offered == []
    watching.catalogues.remove(server.address)
    watching.restart()
    assert watching.catalogues.known == ()
