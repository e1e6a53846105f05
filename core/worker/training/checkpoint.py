"""The run's state on disk, as safetensors: the parameters, the optimizer's state, the epoch and its held-out loss.

With local SGD also the number of outer steps, which hivemind calls an extra tensor: without it the others would take
the weights of an organiser that comes back for those of a run which has just begun.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import torch
from safetensors.torch import save

from core.errors import ErrorKind, UserError
from core.files.atomic import quarantine, storage_problem, write_atomically
from core.localizable import localized
from core.protocol.events import AnyEvent, CheckpointSaved, Warned
from core.records.published.checkpoint_history import CheckpointHistory
from core.run.steering.rollback import Rollback
from core.worker.compute.optimizers import parameters_of
from core.worker.process.supervisor import StartThread
from core.worker.swarm import SwarmOptimizer
from core.worker.training.checkpoint_file import (
    PARAMETER,
    DamagedCheckpointError,
    OtherModelError,
    read_checkpoint,
    refuse_infinite,
)


class Checkpoints:
    """The checkpoints of one run, written in the background; ``emit`` is told how it went.

    Each is ``unfinished`` until it is on the disk: the context of what the end of the process waits for.
    """

    def __init__(
        self,
        path: Path,
        run_id: str,
        optimizer: SwarmOptimizer,
        emit: Callable[[AnyEvent], None],
        start_thread: StartThread,
        unfinished: AbstractContextManager[object] | None = None,
    ) -> None:
        self._path, self._run_id, self._optimizer, self._emit = path, run_id, optimizer, emit
        self._history = CheckpointHistory(path)
        self._start_thread, self._unfinished = start_thread, unfinished or nullcontext()
        self._saving: threading.Thread | None = None
        self._saved_epoch: int | None = None
        self._rollback: Rollback | None = None

    def load(self, rollback: Rollback | None = None) -> int | None:
        """Put the newest saved state since that rollback in place, or the one that it goes back to.

        The epoch of it; ``None`` where nothing is saved. A damaged file is moved aside, and the one before it is taken.
        What an interrupted save has left is removed. Raises UserError where there is nothing to go back to, and where
        what was saved is of another model: that stays as it is.
        """
        for interrupted in self._path.parent.glob(f".*{self._path.stem}*.tmp"):
            interrupted.unlink(missing_ok=True)
        self._rollback = rollback
        if rollback is not None and not self._history.go_back(rollback):
            raise UserError(
                ErrorKind.USAGE,
                localized(
                    "The checkpoint of epoch %1, to which the run is to go back, is gone or another one. "
                    "`workerbee run rollback` takes another epoch's.",
                    rollback.epoch,
                ),
            )
        while self._path.exists():
            if (loaded := self._load()) is not None or not self._take_the_one_before():
                return loaded
        return None

    def _load(self) -> int | None:
        averager = self._optimizer.state_averager
        try:
            epoch = load_checkpoint(
                self._path, self._run_id, averager.optimizer, averager.main_parameters, averager.extra_tensors
            )
        except DamagedCheckpointError as error:
            aside = quarantine(self._path)
            detail = localized("%1: %2; it is now %3.", self._path, error, aside.name)
            self._emit(Warned(problem=ErrorKind.CHECKPOINT_DAMAGED.key, detail=detail))
            return None
        except OtherModelError as error:
            raise UserError(
                ErrorKind.USAGE,
                localized(
                    "%1 was saved with another model, optimizer or mode than the run file describes: its tensors have "
                    "other names or shapes. Give the run another id; or move the checkpoints out of that folder, and "
                    "the run begins anew.",
                    self._path,
                ),
            ) from error
        self._saved_epoch = epoch
        return epoch

    def _take_the_one_before(self) -> bool:
        """Make the newest of the others of the same rollback the newest; whether there is any."""
        before = next((each for each in self._history.all() if each.rollback == self._rollback_number), None)
        if before is None:
            return self._rollback is not None and self._history.go_back(self._rollback)
        self._history.make_newest(before)
        return True

    @property
    def _rollback_number(self) -> int:
        return 0 if self._rollback is None else self._rollback.number

    def save(self, epoch: int, loss: float | None = None) -> None:
        """Start to save, unless that epoch is saved already or an earlier save is still running."""
        if epoch == self._saved_epoch or (self._saving is not None and self._saving.is_alive()):
            return
        self._saving = self._start_thread("checkpoint", lambda: self._save(epoch, loss))

    def save_held(self, epoch: int) -> None:
        """Start to save that epoch, at which the run holds, after whatever is being saved: there is no later one."""
        before = self._saving

        def save() -> None:
            if before is not None:
                before.join()
            if epoch != self._saved_epoch:
                self._save(epoch, None)

        self._saving = self._start_thread("checkpoint", save)

    def save_last(self, epoch: int) -> None:
        """Save that epoch, after whatever is being saved, and wait until it is done."""
        self.wait()
        self.save(epoch)
        self.wait()

    def wait(self) -> None:
        """Wait until no save is running."""
        if self._saving is not None:
            self._saving.join()

    def _save(self, epoch: int, loss: float | None) -> None:
        """Save the weights as they are by now: of that epoch with that loss, or of a later one, whose loss is unknown.

        Averaging waits until they are copied, but not for the disk.
        """
        with contextlib.ExitStack() as until_written:
            reached, content = self._copied(epoch, loss, until_written)
            try:
                with self._history.adding():
                    write_atomically(self._path, content)
            except OSError as error:
                problem = storage_problem(error, self._path)
                self._emit(Warned(problem=problem.problem.key, detail=problem.detail))
            else:
                self._saved_epoch = reached
                self._emit(CheckpointSaved(path=str(self._path), epoch=reached))

    def _copied(self, epoch: int, loss: float | None, until_written: contextlib.ExitStack) -> tuple[int, bytes]:
        """The epoch of the weights as they are now, and what its file contains."""
        averager = self._optimizer.state_averager
        with averager.lock_averaged_tensors:
            until_written.enter_context(self._unfinished)
            reached = max(epoch, self._optimizer.local_epoch)
            known_loss, extra = loss if reached == epoch else None, averager.extra_tensors
            return reached, _packed(self._run_id, reached, averager.optimizer, extra, known_loss, self._rollback_number)


def save_checkpoint(
    path: Path,
    run_id: str,
    epoch: int,
    optimizer: torch.optim.Optimizer,
    extra: Sequence[torch.Tensor] = (),
    loss: float | None = None,
    rollback: int = 0,
) -> None:
    """Write the parameters, the optimizer's tensors and the extra ones as safetensors, in place of the old file.

    ``rollback`` is the number of the last one, 0 for none. Raises OSError, and the old file stays whole.
    """
    write_atomically(path, _packed(run_id, epoch, optimizer, extra, loss, rollback))


def _packed(
    run_id: str,
    epoch: int,
    optimizer: torch.optim.Optimizer,
    extra: Sequence[torch.Tensor],
    loss: float | None,
    rollback: int,
) -> bytes:
    """The content of such a file: a copy of all tensors as they are now."""
    whole = {name: tensor.detach().cpu().contiguous() for name, tensor in _named(optimizer, extra).items()}
    about = {"run_id": run_id, "epoch": str(epoch)} | ({} if loss is None else {"loss": repr(loss)})
    about |= {"rollback": str(rollback)} if rollback else {}
    return save(whole, metadata=about)


def load_checkpoint(
    path: Path,
    run_id: str,
    optimizer: torch.optim.Optimizer,
    mirrors: Sequence[torch.Tensor],
    extra: Sequence[torch.Tensor] = (),
) -> int:
    """Load what `save_checkpoint` has saved in place; the epoch. ``mirrors`` are the model's own parameters.

    They differ from the optimizer's where that is offloaded to the CPU. Everything is read and checked before
    anything is changed. Raises DamagedCheckpointError, and OtherModelError for a whole one of another model.
    """
    content = read_checkpoint(path, run_id)
    _put_in_place(content.tensors, _named(optimizer, extra))
    with torch.no_grad():
        for mirror, parameter in zip(mirrors, parameters_of(optimizer), strict=True):
            mirror.copy_(parameter)
    return content.epoch


def _named(optimizer: torch.optim.Optimizer, extra: Sequence[torch.Tensor]) -> dict[str, torch.Tensor]:
    """All tensors of a checkpoint, by their names in it."""
    named = {f"{PARAMETER}{index}": parameter for index, parameter in enumerate(parameters_of(optimizer))}
    for index, state in optimizer.state_dict()["state"].items():
        named |= {f"state.{index}.{name}": value for name, value in state.items() if torch.is_tensor(value)}
    return named | {f"extra.{index}": tensor for index, tensor in enumerate(extra)}


@torch.no_grad()
def _put_in_place(tensors: Mapping[str, torch.Tensor], places: Mapping[str, torch.Tensor]) -> None:
    if places.keys() != tensors.keys() or any(places[name].shape != tensors[name].shape for name in places):
        raise OtherModelError
    refuse_infinite(list(tensors.values()))
    for name, place in places.items():
        place.copy_(tensors[name])
