"""The run that this person contributes to, kept on the disk, so that it goes on after the program was ended."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from core.client.session import Session
from core.errors import ErrorKind, UserError
from core.files.atomic import delete_file, storage_problem
from core.files.folders import Folders
from core.files.json_file import JsonFile
from core.hardware.device import Device
from core.hardware.discovery import choose_device
from core.localizable import localized
from core.protocol.client_events import Pause, RunContinued
from core.protocol.codec import read_multiaddr
from core.protocol.commands import Join, Multiaddrs, Start
from core.protocol.events import RunFound
from core.records.consents import Consents
from core.records.settings import Settings
from core.run.address import JoinAddress
from core.run.manifest import RunManifest
from core.schema import MicroBatch, StrictStruct

_log = logging.getLogger(__name__)
RETRY_SECONDS = 30.0  # after which a disk is asked again that has refused what is kept
_AUTO = "auto"
_KEPT_PAUSES = ("person", "epoch_finished")  # the owner's own: whatever else has paused it decides anew


class FurtherDevice(StrictStruct, kw_only=True, frozen=True):
    """Another device that trains in the same run, by its label, and how a person has paused it, if one has."""

    device: Annotated[str, Meta(max_length=80)]
    pause: Literal["person", "epoch_finished"] | None = None
    until: Annotated[float, Meta(ge=0, le=1e12)] | None = None

    @property
    def pause_of_owner(self) -> Pause | None:
        """How it is paused when the run goes on."""
        return None if self.pause is None else Pause(self.pause, self.until)


class UnfinishedRun(StrictStruct, kw_only=True, frozen=True):
    """One run: where it is joined, on which device it is trained, and how a person has paused it, if one has.

    ``manifest`` is the run file of one's own that it was joined with; ``until`` is in seconds since 1970, ``None`` for
    "until I resume". ``further_devices`` train in it beside ``device``, each with a worker of its own.
    """

    addresses: Multiaddrs
    run_id: Annotated[str, Meta(min_length=1, max_length=64)]
    organiser: Annotated[str, Meta(max_length=200)]
    vouched: bool
    device: Annotated[str, Meta(max_length=80)]
    micro_batch: MicroBatch | None = None
    manifest: RunManifest | None = None
    pause: Literal["person", "epoch_finished"] | None = None
    until: Annotated[float, Meta(ge=0, le=1e12)] | None = None
    further_devices: Annotated[tuple[FurtherDevice, ...], Meta(max_length=64)] = ()

    @property
    def address(self) -> JoinAddress:
        """The address at which the run is joined again."""
        return JoinAddress(peers=self.addresses, run_id=self.run_id)


class UnfinishedRunFile:
    """The file of the unfinished run; one that is damaged is quarantined and counts as none."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._path, self._clock = path, clock
        self._file: JsonFile[UnfinishedRun] = JsonFile(path, UnfinishedRun, dec_hook=read_multiaddr)
        self._written: UnfinishedRun | None = None
        self._refused: UnfinishedRun | None = None
        self._retry_at = 0.0

    def load(self) -> UnfinishedRun | None:
        """The run that was being contributed to when the program ended, unless the owner has left it."""
        return self._file.load()

    def follow(self, session: Session, further_devices: tuple[FurtherDevice, ...] = ()) -> bool:
        """Keep the run of a session while it goes on, and forget it when the organiser has finished it.

        False where the disk refuses it, which is asked again at once for what has changed, else by a call after
        ``RETRY_SECONDS``.
        """
        if session.problem is ErrorKind.BLOCKED or is_finished(session):
            self.forget()
            return True
        run = _unfinished_run(session)
        if run is not None and further_devices:
            run = msgspec.structs.replace(run, further_devices=further_devices)
        if run is None or run == self._written:
            return True
        if run == self._refused and self._clock() < self._retry_at:
            return False
        is_kept = self._file.save(run)
        if is_kept:
            self._written, self._refused = run, None
        else:
            self._refused, self._retry_at = run, self._clock() + RETRY_SECONDS
        return is_kept

    def keep(self, run: UnfinishedRun) -> None:
        """Keep that run, whatever was kept before; raises UserError for a disk that refuses."""
        try:
            self._file.write(run)
        except OSError as error:
            raise storage_problem(error, self._path) from error
        self._written = run

    def forget(self) -> None:
        """Keep no run: the owner has left it."""
        self._written = None
        try:
            delete_file(self._path)
        except OSError as error:
            _log.warning("%s cannot be deleted: %r", self._path, error)


def is_finished(session: Session) -> bool:
    """Whether the organiser has finished the run of the session, which has ended for that reason."""
    chosen = session.chosen
    is_over = session.problem is ErrorKind.RUN_NOT_OPEN or (session.phase == "ended" and session.problem is None)
    return is_over and chosen is not None and chosen.manifest.run.state == "finished"


def continuation(
    run: UnfinishedRun, consents: Consents, settings: Settings, devices: tuple[Device, ...], folders: Folders
) -> RunContinued | None:
    """How the run goes on, unasked; ``None`` where what was agreed to is not known any more, so that a person is asked.

    Raises UserError where the device is not there: a run that a GPU has trained does not go on with the CPU unasked.
    """
    consent = consents.of_run(run.run_id, run.organiser)
    shown = consent.shown if consent is not None else None
    if consent is None or shown is None:
        return None
    device = choose_device(devices, _device_wish(run, settings))
    if settings.device == _AUTO and device.kind == "cpu" and run.device != device.label:
        raise UserError(ErrorKind.NO_SUCH_DEVICE, localized("%1 trained this run before.", run.device))
    start = _start(run, consent.digest, device, settings)
    opening = Join(
        addresses=run.addresses,
        home=str(folders.data),
        run_id=run.run_id,
        network=settings.network,
        port=settings.port,
        manifest=run.manifest,
    )
    agreed = RunFound(manifest=shown, organiser=run.organiser, vouched=run.vouched)
    return RunContinued(opening, start, agreed, Pause(run.pause, run.until) if run.pause is not None else None)


def _start(run: UnfinishedRun, digest: str, device: Device, settings: Settings) -> Start:
    return Start(
        run_id=run.run_id,
        organiser=run.organiser,
        digest=digest,
        device=device.label,
        threads=settings.threads,
        public_name=settings.public_name or "",
        disclosure=settings.disclosure,
        disk_limit_bytes=settings.disk_limit_bytes,
        memory_limit_bytes=settings.memory_limit_bytes,
        micro_batch=run.micro_batch if run.device == device.label else None,
        role=settings.expert_role,
        hosted_experts=settings.hosted_experts,
    )


def _device_wish(run: UnfinishedRun, settings: Settings) -> str:
    """With several devices the run goes on with those that were chosen for it, whichever has most free memory now."""
    return run.device if run.further_devices and settings.device == _AUTO else settings.device


def _unfinished_run(session: Session) -> UnfinishedRun | None:
    """The run of a session that a person has started and not left; ``None`` for any other session."""
    opening, consent, agreed, pause = session.opening, session.consent, session.agreed, session.pause
    is_leaving = session.phase == "leaving" and pause is None
    if not isinstance(opening, Join) or consent is None or agreed is None:
        return None
    if is_leaving or session.phase in ("idle", "ended"):
        return None
    is_owners = pause is not None and pause.reason in _KEPT_PAUSES
    run = UnfinishedRun(
        addresses=opening.addresses,
        run_id=consent.run_id,
        organiser=consent.organiser,
        vouched=agreed.vouched,
        device=consent.device,
        micro_batch=consent.micro_batch,
        manifest=opening.manifest,
    )
    if pause is None or not is_owners:
        return run
    return msgspec.structs.replace(run, pause=pause.reason, until=pause.until)
