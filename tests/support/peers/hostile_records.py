"""Real workers among strangers: plain hivemind peers that hold whatever they are told. On loopback only."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self, TypeVar, cast

import msgspec

from core.engine.worker_command import worker_environment
from core.protocol.commands import AnyCommand, Join, Publish
from core.protocol.events import AnyEvent, Failed
from core.run.manifest import RunInfo, RunManifest
from core.run.multiaddr import Multiaddr
from core.run.signed_manifest import SignedManifest
from core.run.spec.collaboration import Collaboration
from core.run.spec.recipe import ArithmeticGPT
from core.security.identity import Identity
from tests.support.peers.hivemind_peer import ParsedCommand, Record
from tests.support.real_peers import Peer

LIMIT_SECONDS = 150.0  # for one event of a worker, on computers that do much else
RUNS_KEY = "workerbee_runs"

_Event = TypeVar("_Event")


def manifest(run_id: str = "sums", **changes: Any) -> RunManifest:
    """A run of the smallest model; ``changes`` are fields of its ``[run]``."""
    return RunManifest(
        run=RunInfo(id=run_id, name="Sums", **changes),
        recipe=ArithmeticGPT(layers=1, width=16, heads=1),
        collaboration=Collaboration(
            target_batch_size=100_000, batch_size_per_step=32, matchmaking_time=2.0, averaging_timeout=10.0
        ),
    )


def stored(value: object) -> bytes:
    """As hivemind packs whatever it stores."""
    return msgspec.msgpack.encode(value)


def published(signed: SignedManifest, run_id: str = "sums", organiser: str | None = None) -> Record:
    """The record that holds a signed manifest; under that organiser's name, if it is to lie."""
    return Record(RUNS_KEY, stored(signed.to_bytes()), f"{organiser or signed.organiser}/{run_id}")


def sign_bytes(encoded: bytes, identity: Identity) -> SignedManifest:
    """A true signature of anything at all."""
    return SignedManifest(identity.peer_id, encoded, identity.sign(b"workerbee run manifest 1:" + encoded))


class PlainPeer:
    """A hivemind peer of somebody else; a context. ``clock`` is how many seconds its clock is ahead."""

    def __init__(self, log: Path, peers: Sequence[str] = (), clock: float = 0.0) -> None:
        with log.open("ab") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.support.peers.hivemind_peer", str(clock), *peers],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=worker_environment(),
                text=True,
                start_new_session=True,
            )
        self.address = self._answer()
        assert self.address.startswith("/ip4/127.0.0.1/"), f"no plain peer: see {log}"

    @property
    def peer_id(self) -> str:
        """Who it is."""
        return self.address.rpartition("/")[2]

    def hold(self, *records: Record) -> None:
        """Keep them, and offer them to every peer that it knows."""
        self._wish(ParsedCommand(records=records))

    def forget(self) -> None:
        """All that it holds."""
        self._wish(ParsedCommand(forget=True))

    def _wish(self, wish: ParsedCommand) -> None:
        assert self._process.stdin is not None
        print(pickle.dumps(wish).hex(), file=self._process.stdin, flush=True)
        assert self._answer() == "ok"

    def _answer(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()
        self._process.wait(LIMIT_SECONDS)


class Worker:
    """A real worker that lives in that folder; a context, after which nothing of its family lives."""

    def __init__(self, home: Path, command: AnyCommand) -> None:
        self._peer, self._place = Peer(home), 0
        self.send(command)

    @property
    def pid(self) -> int:
        """Its own, and its group's."""
        return self._peer.process.pid

    @property
    def heard(self) -> list[AnyEvent]:
        """All that it has said."""
        return self._peer.said

    def send(self, command: AnyCommand) -> None:
        """Give it a command."""
        self._peer.send(command)

    def wait_for(self, kind: type[_Event], is_meant: Callable[[_Event], bool] = lambda event: True) -> _Event:
        """The next event of that kind; an unexpected failure or end is an error that shows the log."""

        def is_it(event: object) -> bool:
            return isinstance(event, kind) and is_meant(event)

        said = self._peer.until(lambda event: is_it(event) or isinstance(event, Failed), self._place)
        self._place += 1 + next(n for n, each in enumerate(self.heard[self._place :]) if each is said)
        assert is_it(said), f"no {kind.__name__} came, only {self.heard}"
        return cast(_Event, said)

    def failure(self) -> Failed:
        """How it gives up."""
        return self.wait_for(Failed)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self._peer.end()


def volunteer(home: Path, *addresses: str, run_id: str | None = None) -> Worker:
    """A volunteer who has pasted those addresses."""
    return Worker(home, Join(addresses=tuple(map(Multiaddr, addresses)), home=str(home), run_id=run_id))


def organiser(home: Path, run: RunManifest | None = None, **changes: Any) -> Worker:
    """A keeper of that run, on loopback."""
    listen = ("/ip4/127.0.0.1/tcp/0",)
    fields = {"listen": listen, "train": False, **changes}
    return Worker(home, Publish(manifest=run or manifest(), home=str(home), **fields))
