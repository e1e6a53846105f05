"""Which checkpoint is exported: that of an epoch, or the newest that is whole."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from core.errors import ErrorKind, UserError
from core.localizable import Detail, localized
from core.records.published.checkpoint_history import CheckpointHistory
from core.worker.training.checkpoint_file import (
    PARAMETER,
    CheckpointContent,
    DamagedCheckpointError,
    read_checkpoint,
    refuse_infinite,
)

Warn = Callable[[ErrorKind, Detail], None]


def choose_checkpoint(
    newest: Path, run_id: str, epoch: int | None, use: Callable[[CheckpointContent], None], warn: Warn
) -> CheckpointContent:
    """The trained parameters of that epoch, or the newest that ``use`` takes; files stay as they are.

    ``use`` raises DamagedCheckpointError for what does not fit the run's model. Where no epoch was asked for, ``warn``
    is told of a damaged one, and the one before it is taken. Raises UserError where none is left.
    """
    history = CheckpointHistory(newest)
    files = history.files()
    if epoch is not None:
        files = [each.path for each in history.all() if each.epoch == epoch]
    for path in files:
        try:
            content = read_checkpoint(path, run_id, (PARAMETER,))
            refuse_infinite(content.parameters)
            use(content)
        except DamagedCheckpointError as error:
            damage = localized("%1: %2.", path.name, error)
            if epoch is not None:
                raise UserError(ErrorKind.CHECKPOINT_UNUSABLE, damage) from error
            warn(ErrorKind.CHECKPOINT_UNUSABLE, damage)
        else:
            return content
    raise UserError(ErrorKind.NO_CHECKPOINT, _kept(history, epoch))


def _kept(history: CheckpointHistory, epoch: int | None) -> Detail:
    if epoch is None:
        return ""
    kept = ", ".join(str(each.epoch) for each in history.all())
    return localized("There is none of epoch %1. Those that are kept: %2.", epoch, kept or "-")
