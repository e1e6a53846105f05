"""The volunteer's settings, and the readable TOML file that keeps them."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta

from core.availability.rules import LIMITS, AvailabilityRules
from core.countries import COUNTRIES
from core.files.atomic import quarantine, storage_problem, write_atomically
from core.files.json_file import read_bounded
from core.protocol.types import Disclosure
from core.run.spec.experts import ExpertRole, HostedExperts
from core.schema import StrictStruct, fields_of
from core.security.bounded_toml import read_toml
from core.security.sanitize import MAX_NAME_CHARACTERS

_log = logging.getLogger(__name__)
_MAX_FILE_BYTES = 64 * 1024
_HEADER = "# Workerbee's settings; a line that is not here has its default.\n"
_NAME = rf"^[^\x00-\x1f\x7f-\x9f\ud800-\udfff]{{1,{MAX_NAME_CHARACTERS}}}\Z"
_COUNTRY = rf"^({'|'.join(sorted(COUNTRIES))})\Z"
_FOLDER = r"^/[^\x00-\x1f\ud800-\udfff]{0,4000}\Z"
_Curve = Annotated[str, Meta(pattern=r"^[a-z_]{1,32}\Z")]
UPDATE_ADDRESS = r"^(https://[!-~]{1,2000}|http://(127\.0\.0\.1|localhost)(:[0-9]{1,5})?(/[!-~]{0,1000})?)\Z"
UPDATE_PUBLISHER = r"^12D3KooW[1-9A-HJ-NP-Za-km-z]{44}\Z"
_LANGUAGE = r"^(system|[a-z]{2,3}(_[A-Za-z]{2,4})?)\Z"
_CURRENCY = r"^[^\x00-\x20\x7f-\xa0\ud800-\udfff]{1,8}\Z"
_Struct = TypeVar("_Struct", bound=StrictStruct)
_DEVICE = r"^(auto|cpu|(cuda|xpu):[0-9]{1,2}|(GPU|MIG)-[0-9A-Za-z/-]{1,80})\Z"


class Settings(StrictStruct, omit_defaults=True, kw_only=True, frozen=True):
    """The settings of a volunteer; ``None`` leaves the choice to Workerbee.

    ``device`` is ``auto``, ``cpu``, ``cuda:N``, ``xpu:N`` or a GPU's uuid; ``port`` is the one to listen on, if any;
    ``public_name`` is what others in a swarm may call this computer, and with ``may_be_named`` model cards, too;
    ``country`` is told to others in the swarm; ``memory_limit_bytes`` is what training may take of the device's memory;
    in runs with experts it has that ``expert_role``, and answers for
    ``hosted_experts`` at the most; ``upload_mbits`` and ``download_mbits`` are the speed of the internet
    connection in Mbit/s, from which what it leaves of the computing is estimated; ``availability`` says when the
    computer is free for training; ``price_per_kwh`` in ``currency`` is what its electricity costs, and
    ``assumed_watts`` what a device draws that does not tell. The rest is about the window alone. Its ``language`` is
    ``system``, or a code such as ``de`` or ``pt_BR``. It chooses the curves of its graphs itself where there are no
    ``graph_curves``, and where there is no ``update_address`` or ``update_publisher`` takes the package's own.
    """

    device: Annotated[str, Meta(pattern=_DEVICE)] = "auto"
    threads: Annotated[int, Meta(ge=1, le=1024)] | None = None
    network: Literal["auto", "direct", "client"] = "auto"
    port: Annotated[int, Meta(ge=1, le=65535)] | None = None
    public_name: Annotated[str, Meta(pattern=_NAME)] | None = None
    may_be_named: bool = False
    country: Annotated[str, Meta(pattern=_COUNTRY)] | None = None
    data_folder: Annotated[str, Meta(pattern=_FOLDER)] | None = None
    disk_limit_bytes: Annotated[int, Meta(ge=100_000_000, le=10**15)] | None = None
    memory_limit_bytes: Annotated[int, Meta(ge=100_000_000, le=10**15)] | None = None
    expert_role: ExpertRole = "train"
    hosted_experts: HostedExperts | None = None
    upload_mbits: Annotated[float, Meta(gt=0, le=1_000_000)] | None = None
    download_mbits: Annotated[float, Meta(gt=0, le=1_000_000)] | None = None
    price_per_kwh: Annotated[float, Meta(ge=0, le=1_000_000)] | None = None
    currency: Annotated[str, Meta(pattern=_CURRENCY)] = "EUR"
    assumed_watts: Annotated[float, Meta(gt=0, le=10_000)] | None = None
    start_at_login: bool = False
    start_minimised: bool = False
    close_to_tray: bool = True
    is_tray_explained: bool = False
    notifications: bool = True
    update_check: bool = True
    update_address: Annotated[str, Meta(pattern=UPDATE_ADDRESS)] | None = None
    update_publisher: Annotated[str, Meta(pattern=UPDATE_PUBLISHER)] | None = None
    theme: Literal["system", "light", "dark"] = "system"
    language: Annotated[str, Meta(pattern=_LANGUAGE)] = "system"
    graph_period: Literal["5min", "30min", "6h", "24h", "all"] = "30min"
    graph_curves: Annotated[tuple[_Curve, ...], Meta(max_length=32)] = ()
    availability: AvailabilityRules = AvailabilityRules()

    @property
    def disclosure(self) -> Disclosure:
        """What others are told besides name and device; without a name nobody can be named."""
        return Disclosure(may_be_named=self.may_be_named and bool(self.public_name), country=self.country or "")


def load_settings(path: Path) -> tuple[Settings, Path | None]:
    """The settings in that file, or the defaults; and where a file that could not be read was set aside.

    Raises UserError only if a broken file cannot even be renamed.
    """
    try:
        return _decode(read_bounded(path, _MAX_FILE_BYTES)), None
    except FileNotFoundError:
        return Settings(), None
    except (ValueError, OSError):
        return Settings(), _set_aside(path)


class LatestSettings:
    """The settings as a file has them at each call, which reads it again only after it has changed; on any thread.

    While the file cannot be read, those of before hold, and it stays where it is: whoever starts next sets it aside.
    """

    def __init__(self, path: Path, settings: Settings) -> None:
        """``settings`` are those that the file had, or the defaults that were taken instead."""
        self._path = path
        self._known: tuple[tuple[int, ...] | None, Settings] = None, settings  # replaced as one: threads share it

    def __call__(self) -> Settings:
        """Return them; never raises."""
        known, settings = self._known
        try:
            found = self._path.stat()
            seen = (found.st_ino, found.st_size, found.st_mtime_ns)
            if seen == known:
                return settings
            settings = _decode(read_bounded(self._path, _MAX_FILE_BYTES))
        except OSError:
            return settings
        except ValueError as error:
            _log.warning("%s has changed and cannot be read: %r", self._path, error)
        self._known = seen, settings
        return settings


def merged(own: _Struct, base: _Struct, others: _Struct) -> _Struct:
    """The struct ``own``, with what ``others`` have made of ``base`` in fields that are there as they were.

    A field that both have changed is as in ``own``.
    """
    fields: dict[str, Any] = {}
    for field in fields_of(type(own)):
        mine, before, latest = (getattr(each, field.name) for each in (own, base, others))
        is_struct = isinstance(mine, StrictStruct)
        fields[field.name] = merged(mine, before, latest) if is_struct else latest if mine == before else mine
    return msgspec.structs.replace(own, **fields)


def save_settings(path: Path, settings: Settings) -> None:
    """Write the settings, or leave the old file whole.

    Raises msgspec.ValidationError for a value out of bounds, UserError for a disk that refuses.
    """
    import tomli_w

    msgspec.convert(msgspec.to_builtins(settings), Settings)
    text = _HEADER + tomli_w.dumps(_chosen(settings))
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomically(path, text.encode())
    except OSError as error:
        raise storage_problem(error, path) from error


def _chosen(struct: StrictStruct) -> dict[str, Any]:
    """What is not as by default; a limit that was taken away is ``false``, because TOML has no word for nothing."""
    chosen: dict[str, Any] = {}
    for field in fields_of(type(struct)):
        value = getattr(struct, field.name)
        if value != field.default:
            plain = _chosen(value) if isinstance(value, StrictStruct) else msgspec.to_builtins(value)
            chosen[field.name] = False if plain is None else plain
    return chosen


def _decode(encoded: bytes) -> Settings:
    table = read_toml(encoded.decode())
    rules = table.get("availability")
    if isinstance(rules, dict):
        table["availability"] = {
            name: None if value is False and name in LIMITS else value for name, value in rules.items()
        }
    return msgspec.convert(table, Settings)


def _set_aside(path: Path) -> Path:
    try:
        return quarantine(path)
    except OSError as error:
        raise storage_problem(error, path) from error
