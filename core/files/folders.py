"""Where settings, data, caches and logs lie: the one place that knows the layout of these folders."""

from __future__ import annotations

import os
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote

from core.errors import ErrorKind, UserError
from core.files.atomic import storage_problem
from core.localizable import localized

HOME_VARIABLE = "WORKERBEE_HOME"


@dataclass(frozen=True)
class DataFolder:
    """The layout of the folder that holds engines, keys, published runs, downloads and history.

    ``path`` is ``Folders.data`` of the client; it crosses the pipe to the worker as ``home``.
    """

    path: Path

    @property
    def engines(self) -> Path:
        """The training engines, each in a folder of its own."""
        return self.path / "engines"

    @property
    def peers(self) -> Path:
        """One folder for each worker that runs at the same time, with its keys: ``1``, ``2``, …"""
        return self.path / "peers"

    @property
    def organiser(self) -> Path:
        """One folder for each run that was published from here, with its keys and checkpoints."""
        return self.path / "organiser"

    @property
    def fetched(self) -> Path:
        """Models and data sets that runs have downloaded."""
        return self.path / "fetched"

    @property
    def memory(self) -> Path:
        """The small files by which workers remember runs, peers and networks; they may write here, and all together."""
        return self.path / "memory"

    @property
    def caches(self) -> Path:
        """A confined worker's home folder: what libraries keep between starts, such as compiled kernels."""
        return self.path / "caches"

    @property
    def history_file(self) -> Path:
        """The curves of the runs, and what was contributed to them."""
        return self.path / "history.sqlite"

    @property
    def receipts_file(self) -> Path:
        """What organisers and keepers have signed of what this computer has given."""
        return self.path / "receipts.json"

    @property
    def pauses_file(self) -> Path:
        """When this computer was free for training, and why it was not."""
        return self.path / "pauses.jsonl"

    @property
    def traffic_file(self) -> Path:
        """How many bytes were sent and received, day by day."""
        return self.path / "traffic.jsonl"

    @property
    def prices(self) -> Path:
        """What was fetched from the owner's address of prices."""
        return self.path / "prices"

    @property
    def recent_runs_file(self) -> Path:
        """The runs that this person has looked at or helped."""
        return self.path / "recent_runs.json"

    @property
    def consents_file(self) -> Path:
        """What this person has agreed to, run by run."""
        return self.path / "consents.json"

    @property
    def unfinished_run_file(self) -> Path:
        """The run that the window contributes to, until its owner leaves it."""
        return self.path / "unfinished_run.json"

    @property
    def service_run_file(self) -> Path:
        """The run that the service contributes to."""
        return self.path / "service_run.json"

    @property
    def run_order_file(self) -> Path:
        """In which order the window helps several runs."""
        return self.path / "run_order.json"

    @property
    def service_order_file(self) -> Path:
        """In which order the service helps several runs, where there are several."""
        return self.path / "service_order.json"

    @property
    def service_lock(self) -> Path:
        """The folder that is locked while the service runs."""
        return self.path / "service"

    @property
    def known_organisers_file(self) -> Path:
        """Which organiser signed each run that this person has joined."""
        return self.memory / "known_runs.json"

    @property
    def invitations_file(self) -> Path:
        """The tickets and invitations to closed runs that this person was given; nobody else may read it."""
        return self.memory / "invitations.json"

    @property
    def reachability_file(self) -> Path:
        """In which networks other computers could reach this one."""
        return self.memory / "networks.json"

    @property
    def uploads_file(self) -> Path:
        """How fast the line uploaded in which network."""
        return self.memory / "uploads.json"

    @property
    def downloads_file(self) -> Path:
        """How fast the line downloaded in which network."""
        return self.memory / "downloads.json"

    @property
    def peer_cache_file(self) -> Path:
        """Addresses of peers that have answered, run by run, to find back into a run."""
        return self.memory / "acquaintances.json"

    @property
    def updates_file(self) -> Path:
        """What is known of newer versions of Workerbee."""
        return self.path / "updates.json"

    @property
    def catalogues(self) -> Path:
        """The catalogues that this person has added, each in a file of its own."""
        return self.path / "catalogues"

    @property
    def catalogue_key_file(self) -> Path:
        """The key with which this person signs catalogues of runs."""
        return self.path / "catalogue.key"

    def organiser_of(self, run_id: str) -> Path:
        """The folder of one published run; whatever its id contains, it lies directly in ``organiser``."""
        return self.organiser / quote(run_id, safe="").replace(".", "%2E")

    def published_runs(self) -> list[str]:
        """The ids of the runs that have such a folder, in alphabetical order."""
        folders = self.organiser.iterdir() if self.organiser.is_dir() else ()
        return sorted(unquote(each.name) for each in folders if each.is_dir())


@dataclass(frozen=True)
class Folders:
    """The four folders of one person; nothing lies anywhere else but ``autostart_file`` and ``service_unit_file``."""

    settings: Path
    data: Path
    cache: Path
    logs: Path

    @classmethod
    def default(cls) -> Folders:
        """The folders that this system has for such things; all below ``WORKERBEE_HOME`` if that is set."""
        home = os.environ.get(HOME_VARIABLE)
        if home:
            return cls.below(Path(home).expanduser().absolute())
        from platformdirs import PlatformDirs

        system = PlatformDirs("workerbee", appauthor=False)
        return cls(system.user_config_path, system.user_data_path, system.user_cache_path, system.user_log_path)

    @classmethod
    def below(cls, home: Path) -> Folders:
        """Four folders within one home folder."""
        return cls(home / "settings", home / "data", home / "cache", home / "logs")

    @property
    def contents(self) -> DataFolder:
        """The layout of the data folder."""
        return DataFolder(self.data)

    @property
    def settings_file(self) -> Path:
        """The file of the volunteer's settings."""
        return self.settings / "settings.toml"

    @property
    def hub_token_file(self) -> Path:
        """The organiser's token for the hub, which nobody else may read."""
        return self.settings / "hub_token"

    @property
    def window_file(self) -> Path:
        """The file of the window's size and position."""
        return self.settings / "window.place"

    def prepare(self) -> None:
        """Make the four folders, for their owner only.

        Raises UserError with the path of one that cannot be written, or that other users may change.
        """
        for folder in (self.settings, self.data, self.cache, self.logs):
            try:
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                _refuse_shared(folder)
                with tempfile.TemporaryFile(dir=folder):
                    pass
            except OSError as error:
                raise storage_problem(error, folder) from error


def _refuse_shared(folder: Path) -> None:
    """Raise UserError where another user owns the folder or may write in it: keys and downloads could be exchanged.

    Folders above it are not looked at: a container's volume is often writable for everybody, and has one user.
    """
    if os.name != "posix":
        return
    found = folder.stat()
    if found.st_uid != os.geteuid():
        raise UserError(ErrorKind.FOLDER_SHARED, localized("%1 belongs to another user.", folder))
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise UserError(ErrorKind.FOLDER_SHARED, localized("%1 may be written by other users.", folder))


def autostart_file() -> Path:
    """The desktop entry that starts Workerbee at login, whether it exists or not."""
    return _config_folder() / "autostart" / "workerbee.desktop"


def service_unit_file() -> Path:
    """The unit of this person's systemd that trains without a desktop, whether it exists or not."""
    return _config_folder() / "systemd" / "user" / "workerbee.service"


def _config_folder() -> Path:
    return Path(os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config"))
