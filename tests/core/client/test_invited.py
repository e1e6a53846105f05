"""An invitation that came with an address is kept in a file of its person's, and is in no command, session or event."""

from __future__ import annotations

import queue
from pathlib import Path
from typing import Any

from core.client.client import Client
from core.files.folders import Folders
from core.run.address import JoinAddress

SECRET = "Ab1_" * 20


def test_an_invitation_goes_to_the_worker_by_a_file_that_nobody_else_reads(tmp_path: Path) -> None:
    folders, events = Folders.below(tmp_path / "home"), queue.SimpleQueue[Any]()
    peer = "/ip4/127.0.0.1/tcp/4001/p2p/12D3KooWDpJ7As7BWAwRMfu1VU2WCqNjvq387JEYKDBj4kx6nXTN"
    address = JoinAddress.parse(f"workerbee://join?peer={peer}&run=sums&invitation={SECRET}")
    client = Client(folders, events.put, worker_command=["true"])
    client.join(address)
    client.close()
    kept = folders.contents.invitations_file
    assert SECRET in kept.read_text() and kept.stat().st_mode & 0o777 == 0o600
    told = [repr(client.session), repr(address)]
    while not events.empty():
        told.append(repr(events.get()))
    assert not [text for text in told if SECRET in text]
