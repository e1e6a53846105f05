"""The runs that were published from here, as their folders tell; nothing of them is changed."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass
from pathlib import Path

from core.errors import ErrorKind, UserError
from core.files.atomic import storage_problem
from core.files.folders import DataFolder
from core.files.json_file import JsonFile, read_bounded
from core.files.locks import PeerFiles, try_lock_own
from core.localizable import localized
from core.protocol.commands import Contributor
from core.records.published.checkpoint_header import KeptCheckpoint
from core.records.published.checkpoint_history import CheckpointHistory
from core.records.published.contributors import ContributorFile
from core.run.address import JoinAddress
from core.run.block_list import BlockList
from core.run.manifest import RunManifest
from core.run.signed_scores import MAX_SCORES_BYTES, Score, scores_in
from core.run.steering.control_value import ControlValue
from core.run.steering.kept_control import asked_control
from core.security.identity import Identity
from core.security.sanitize import sanitize_line

_MAX_LINK_BYTES = 64 * 1024


@dataclass(frozen=True)
class PublishedRun:
    """A run's folder, and the manifest that was published last from it."""

    files: PeerFiles
    manifest: RunManifest

    @property
    def link(self) -> str:
        """Its address as one link, as it was when it was published last; empty where that is not known."""
        with contextlib.suppress(OSError, ValueError):
            return read_bounded(self.files.link_file, _MAX_LINK_BYTES).decode("utf-8").strip()
        return ""

    @property
    def organiser(self) -> str:
        """The peer id of its organiser, from the key in its folder or else from its link; empty where not known."""
        with contextlib.suppress(UserError):
            if self.files.identity_path.exists():
                return Identity.load_or_create(self.files.identity_path).peer_id
            return JoinAddress.parse(self.link).peers[0].peer_id or ""
        return ""

    @property
    def control(self) -> ControlValue:
        """What was asked of its peers last, by `steer`, `run edit` and `run rollback`."""
        with contextlib.suppress(OSError):
            return asked_control(self.files, self.organiser, self.manifest.run.id)
        return ControlValue(run_id=self.manifest.run.id)

    @property
    def scores(self) -> tuple[Score, ...]:
        """The evaluations that its organiser has signed, by rising epoch; none where they cannot be read.

        Those of epochs that were given up in a rollback are none.
        """
        with contextlib.suppress(OSError, ValueError):
            encoded = read_bounded(self.files.scores_file, MAX_SCORES_BYTES)
            history = scores_in(encoded, self.organiser, self.manifest.run.id)
            rollback = self.control.rollback
            if history is not None and rollback is not None:
                history = history.gone_back_to(rollback.epoch, rollback.at)
            return history.scores if history else ()
        return ()

    @property
    def contributors(self) -> list[Contributor]:
        """Who has agreed to be named in its models' cards, those with the most samples first; nobody who is blocked."""
        blocks = JsonFile[BlockList](self.files.block_list_file, BlockList).load()
        blocked = blocks.at(time.time()) if blocks is not None else frozenset[str]()
        return ContributorFile(self.files.contributors_file).contributors(blocked)

    @property
    def epoch(self) -> int:
        """The last one of which anything is kept that was not given up in a rollback."""
        kept, scores, rollback = self.checkpoints, self.scores, self.control.rollback
        if rollback is not None and all(each.rollback != rollback.number for each in kept):
            kept = [each for each in kept if each.epoch == rollback.epoch]  # none has been saved since
        return max([0, *(each.epoch for each in kept[:1]), *(each.epoch for each in scores[-1:])])

    @property
    def is_published_now(self) -> bool:
        """Whether a living process holds the run's folder."""
        try:
            lock = try_lock_own(self.files.path)
        except OSError:  # no process has ever locked it here
            return False
        if lock is None:
            return True
        lock.release()
        return False

    @property
    def checkpoints(self) -> list[KeptCheckpoint]:
        """Those that are kept and whole, the newest first."""
        return CheckpointHistory(self.files.checkpoint_file).all()


def published_runs(data: DataFolder) -> list[PublishedRun]:
    """All of them, by their ids; a folder without a description of its run is none."""
    found = [_in_folder(data.organiser_of(run_id)) for run_id in data.published_runs()]
    return [each for each in found if each is not None]


def find_published_run(asked: str, data: DataFolder) -> PublishedRun:
    """The run of that id or run file, or in that folder, wherever it was copied to; raises UserError."""
    path = Path(asked)
    if path.is_file() and path.suffix == ".toml":
        from core.run.run_file import load_run_file

        asked = load_run_file(path).run.id
    elif path.is_dir():
        if (found := _in_folder(path)) is None:
            raise UserError(ErrorKind.USAGE, localized("No run was published from the folder %1.", path))
        return found
    if asked in data.published_runs() and (found := _in_folder(data.organiser_of(asked))) is not None:
        return found
    names = ", ".join(sanitize_line(each.manifest.run.id) for each in published_runs(data))
    others = localized("These were: %1.", names) if names else localized("No other was, either.")
    raise UserError(ErrorKind.USAGE, localized("No run “%1” was published from here. %2", sanitize_line(asked), others))


def _in_folder(folder: Path) -> PublishedRun | None:
    files = PeerFiles(folder)
    try:
        manifest = JsonFile[RunManifest](files.manifest_file, RunManifest).read()
    except OSError as error:
        raise storage_problem(error, folder) from error
    return None if manifest is None else PublishedRun(files, manifest)
