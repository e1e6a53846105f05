"""The states of a run's experts in its organiser's folder, each as it was at some epochs: an export is made of them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator
from pathlib import Path

from safetensors.torch import save
from torch import Tensor

from core.files.atomic import link_or_copy, write_atomically
from core.run.spec.experts import ExpertsSpec
from core.run.spec.recipe import MoeLM
from core.worker.experts.block import ExpertId
from core.worker.experts.expert_file import metadata_in, restore, tensors_of
from core.worker.experts.hosted_expert import HostedExpert

_NAME = re.compile(r"(\d+)-(\d+)-(\d+)\.safetensors")


class CollectedExperts:
    """Weights as safetensors, without AdamW's statistics: a file for each expert and each epoch that is kept.

    A file's epoch is that at which some host answered for the expert in this state. The ``folder`` is made when the
    first file is written. Tokens are ``hidden_size`` wide.
    """

    def __init__(self, folder: Path, run_id: str, hidden_size: int, spec: ExpertsSpec) -> None:
        self.folder, self._run_id = folder, run_id
        self._hidden_size, self._spec = hidden_size, spec

    @classmethod
    def of(cls, recipe: MoeLM, folder: Path, run_id: str) -> CollectedExperts:
        """Those of a run that trains this."""
        return cls(folder, run_id, recipe.config.hidden_size, recipe.experts)

    def put(self, expert: ExpertId, epoch: int, data: bytes) -> int:
        """Keep the weights in these bytes, which are an expert's file; its steps.

        Raises ValueError for what is no state of that expert, and OSError.
        """
        checked = HostedExpert(expert, self._hidden_size, self._spec)
        restore(checked, data, self._run_id)
        self.folder.mkdir(parents=True, exist_ok=True)
        about = {"run_id": self._run_id, "steps": str(checked.steps)}
        write_atomically(self._path(expert, epoch), save(checked.state(), about))
        return checked.steps

    def keep_on(self, expert: ExpertId, since: int, epoch: int) -> bool:
        """The state of an epoch is still that of another one; false where it is no longer here. Raises OSError."""
        there, path = self._path(expert, since), self._path(expert, epoch)
        if there == path or not there.exists():
            return there.exists()
        link_or_copy(there, path)
        return True

    def epochs(self) -> dict[ExpertId, list[int]]:
        """The epochs of which there is a state, for each expert that has any, rising."""
        found: dict[ExpertId, list[int]] = {}
        for expert, epoch, _path in self._files():
            found.setdefault(expert, []).append(epoch)
        return {expert: sorted(epochs) for expert, epochs in found.items()}

    def read(self, expert: ExpertId, epoch: int) -> dict[str, Tensor]:
        """The weights by their names; raises ValueError where the file is damaged, or none of this run's expert."""
        try:
            data = self._path(expert, epoch).read_bytes()
            if metadata_in(data).get("run_id") != self._run_id:
                raise ValueError("it belongs to another run")
            checked = HostedExpert(expert, self._hidden_size, self._spec)
            checked.restore(tensors_of(data), 0)
        except OSError as error:
            raise ValueError(str(error)) from error
        return checked.state()

    def forget_all_but(self, epochs: Collection[int]) -> None:
        """Remove the states that no checkpoint of these epochs needs, and what an interrupted write has left.

        A checkpoint needs of each expert the newest state that is no newer than itself; the newest of all stay.
        """
        needed = {
            (expert, epoch)
            for expert, known in self.epochs().items()
            for epoch in itertools.chain(known[-1:], (nearest(known, each) for each in epochs))
        }
        for expert, epoch, path in list(self._files()):
            if (expert, epoch) not in needed:
                path.unlink(missing_ok=True)
        for path in self.folder.glob(".*.tmp"):
            path.unlink(missing_ok=True)

    def _files(self) -> Iterator[tuple[ExpertId, int, Path]]:
        for path in self.folder.iterdir() if self.folder.is_dir() else ():
            if (named := _NAME.fullmatch(path.name)) is not None:
                layer, number, epoch = map(int, named.groups())
                yield ExpertId(layer, number), epoch, path

    def _path(self, expert: ExpertId, epoch: int) -> Path:
        return self.folder / f"{expert.layer}-{expert.number}-{epoch}.safetensors"


def nearest(known: Collection[int], epoch: int) -> int:
    """Of the ``known`` epochs, of which there is one, the last that is not after that one; else the first."""
    return max((each for each in known if each <= epoch), default=min(known))


def by_nearness(known: Collection[int], epoch: int) -> list[int]:
    """All ``known`` epochs in the order in which they suit that one, as `nearest` chooses."""
    left, order = set(known), []
    while left:
        order.append(nearest(left, epoch))
        left.remove(order[-1])
    return order
