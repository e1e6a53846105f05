"""What every command is given: the folders, the main thread's event loop, the request to stop, the settings."""

from __future__ import annotations

import queue
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import msgspec

from core.availability.rules import AvailabilityRules
from core.cli.parser.arguments import InspectSwarm, JoinRun
from core.cli.runner.cancellation import Stop
from core.engine.python import supported_gpus
from core.errors import ErrorKind, UserError
from core.files.folders import Folders
from core.hardware.device import Device
from core.hardware.discovery import find_devices, usable_devices
from core.records.settings import LatestSettings, Settings, load_settings
from core.texts.errors import advice_of, title_of

TICK_SECONDS = 0.25


class EventLoop:
    """A queue of callbacks; the thread that runs it sleeps while there are none."""

    def __init__(self) -> None:
        # a SimpleQueue, because its put may be called by a signal handler that interrupts its get
        self._callbacks: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()

    def post(self, callback: Callable[[], None]) -> None:
        """Have the callback called on the thread that runs the loop; may be called from any thread."""
        self._callbacks.put(callback)

    def run_until(self, is_done: Callable[[], bool], on_tick: Callable[[], None]) -> None:
        """Call what is posted until ``is_done``; ``on_tick`` follows every callback, and every idle tick."""
        while not is_done():
            try:
                callback = self._callbacks.get(timeout=TICK_SECONDS)
            except queue.Empty:
                pass
            else:
                callback()
            on_tick()


@dataclass(frozen=True)
class CommandContext:
    """The surroundings of a command; ``worker_command`` starts a worker, ``None`` means the installed engine's."""

    folders: Folders
    loop: EventLoop
    stop: Stop
    worker_command: Sequence[str] | None = None

    def devices(self) -> tuple[Device, ...]:
        """Return the devices of this computer that its engine can compute on."""
        return self.usable(find_devices())

    def known_devices(self) -> tuple[Device, ...]:
        """Return these, and NVIDIA's GPUs if the engine cannot compute on them."""
        found = find_devices()
        return tuple(dict.fromkeys((*self.usable(found), *found)))

    def usable(self, devices: tuple[Device, ...]) -> tuple[Device, ...]:
        """Return those of this computer's devices, as they were found, that its engine can compute on."""
        return usable_devices(devices, *supported_gpus(self.folders.data))


def kept_settings(folders: Folders) -> Settings:
    """Return the settings; a damaged file of them is named on stderr, and the defaults are used."""
    settings, quarantined = load_settings(folders.settings_file)
    if quarantined is not None:
        kind = ErrorKind.SETTINGS_DAMAGED
        print(f"{title_of(kind)} {advice_of(kind)} It is {quarantined}.", file=sys.stderr)
    return settings


def effective_settings(command: JoinRun | InspectSwarm, folders: Folders) -> Settings:
    """Return the settings, overridden by the options of the command; raises UserError where these say nothing."""
    return _with_options(command, kept_settings(folders))


class CurrentSettings:
    """The settings as the file has them at each call, overridden by the options of the command; on any thread.

    Those of before hold while the file cannot be read; where it says what does not go with an option, all of those but
    the owner's rules. The device stays the one that was chosen at the beginning.
    """

    def __init__(self, command: JoinRun, folders: Folders) -> None:
        """Raises UserError where the options say nothing."""
        kept = kept_settings(folders)
        self._latest, self._in_force = LatestSettings(folders.settings_file, kept), _with_options(command, kept)
        self._command = replace(command, device=self._in_force.device)

    def __call__(self) -> Settings:
        """Return them; never raises."""
        latest = self._latest()
        try:
            self._in_force = _with_options(self._command, latest)
        except UserError:
            rules = _rules(self._command, latest)
            self._in_force = msgspec.structs.replace(self._in_force, availability=rules)
        return self._in_force


def _with_options(command: JoinRun | InspectSwarm, settings: Settings) -> Settings:
    if isinstance(command, JoinRun):
        settings = msgspec.structs.replace(settings, availability=_rules(command, settings))
    options = {
        "device": command.device,
        "network": command.network,
        "threads": command.threads,
        "memory_limit_bytes": command.memory_limit_bytes,
        "upload_mbits": command.line.upload / 1e6 if command.line else None,
        "download_mbits": command.line.sure_download / 1e6 if command.line else None,
        "public_name": command.public_name if isinstance(command, JoinRun) else None,
        "may_be_named": command.may_be_named if isinstance(command, JoinRun) else None,
        "country": command.country if isinstance(command, JoinRun) else None,
        "expert_role": command.role if isinstance(command, JoinRun) else None,
        "hosted_experts": command.hosted_experts if isinstance(command, JoinRun) else None,
    }
    chosen = msgspec.structs.replace(settings, **{name: value for name, value in options.items() if value is not None})
    if options["hosted_experts"] is not None and chosen.expert_role == "train":
        raise UserError(ErrorKind.USAGE, "--experts says how many to host: add --role host or --role both.")
    if options["may_be_named"] and not chosen.public_name:
        raise UserError(ErrorKind.USAGE, "--credit needs the name that model cards call you by: add --name NAME.")
    return chosen


def _rules(command: JoinRun, settings: Settings) -> AvailabilityRules:
    """The owner's rules, with the limits of the line that the command has."""
    rates = _rates("upload_rate", command.upload_rate) | _rates("download_rate", command.download_rate)
    return msgspec.structs.replace(settings.availability, **rates)


def _rates(name: str, rate: int | None) -> dict[str, int]:
    """The rules of that limit, whoever is at the computer; none where the command has none."""
    return {} if rate is None else {name: rate, f"attended_{name}": rate}
