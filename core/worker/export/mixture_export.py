"""Export of a model with experts: trunk, routers and all experts in one file, and a short program that rebuilds it."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from core.errors import ErrorKind, UserError
from core.files.resources import RESOURCES
from core.localizable import Detail, joined, localized
from core.run.spec.data import HubDataset, TextFiles
from core.run.spec.recipe import MoeLM
from core.worker.experts.block import ExpertId, ExpertShape, build_expert
from core.worker.experts.calls import EchoCalls
from core.worker.experts.collected import CollectedExperts, by_nearness, nearest
from core.worker.export.parameters import put_parameters
from core.worker.export.tokenizer_files import open_tokenizer, write_tokenizer
from core.worker.export.trunk_weights import trunk_numbers, trunk_weights
from core.worker.fetch.file_store import FetchContext
from core.worker.recipes.mixture_model import experts_in, remote_model
from core.worker.training.checkpoint_file import CheckpointContent

PROGRAM = RESOURCES / "export" / "mixture_model.py"
"""What rebuilds the model, with nothing but torch and safetensors; a copy is in every export."""
MOST_NAMED = 12  # experts, in a sentence


class MixtureExport:
    """The trunk, into which a checkpoint is put, and the experts that were ``collected`` for it."""

    def __init__(
        self, spec: MoeLM, data: TextFiles | HubDataset, collected: CollectedExperts, context: FetchContext
    ) -> None:
        self._spec, self._data, self._collected, self._context = spec, data, collected, context
        self._trunk: Any = remote_model(spec, EchoCalls(spec.experts.experts)).model
        self._experts: dict[ExpertId, nn.Module] = {}
        self._epoch, self._lacks = 0, list[Detail]()

    @property
    def model(self) -> nn.Module:
        """Trunk, routers and experts, whose parameters are written."""
        return nn.ModuleList([self._trunk, *self._experts.values()])

    @property
    def notes(self) -> tuple[str, ...]:
        """What the model card says of the experts."""
        numbers, layers = self._spec.experts, len(self._spec.expert_layers)
        return (
            f"Experts: {len(self._experts)} in {layers} layers, as their hosts had them at epoch {self._epoch}; "
            f"a token is sent to {numbers.top_k} of {numbers.experts}",
            *map(str, self._lacks),
        )

    def use(self, content: CheckpointContent) -> None:
        """Put the trained parameters in place, and the states of the experts that suit them best.

        Raises DamagedCheckpointError where the parameters are not this model's, UserError where no expert of a layer
        is here. Says which ones are missing, or older than the others.
        """
        put_parameters(self._trunk, content)
        known = self._collected.epochs()
        found = {expert: self._read(expert, known.get(expert, ()), content.epoch) for expert in experts_in(self._spec)}
        used = {expert: epoch for expert, epoch in found.items() if epoch is not None}
        for layer in self._spec.expert_layers:
            if not any(expert.layer == layer for expert in used):
                raise UserError(
                    ErrorKind.EXPERTS_LACKING,
                    localized("No expert of layer %1 was ever collected: nobody hosted one meanwhile.", layer),
                )
        self._epoch = nearest(set(used.values()), content.epoch)
        self._lacks = list(self._lacking([expert for expert in found if expert not in used], used))
        for each in self._lacks:
            self._context.listener.warn(ErrorKind.EXPERTS_LACKING, each)

    def write(self, folder: Path, dtype: torch.dtype, *, merge: bool) -> None:
        """Write weights, numbers, program and tokenizer into that folder; there is nothing to merge. Raises OSError."""
        numbers = trunk_numbers(self._spec.config, self._trunk.config)
        weights = trunk_weights(numbers, self._trunk.state_dict()) | self._expert_weights()
        ready = {name: value.detach().to(dtype).contiguous().clone() for name, value in weights.items()}
        save_file(ready, folder / "model.safetensors", metadata={"format": "pt"})
        shape = numbers | {"experts": self._expert_numbers()}
        (folder / "config.json").write_bytes(msgspec.json.format(msgspec.json.encode(shape)))
        shutil.copyfile(PROGRAM, folder / "model.py")
        write_tokenizer(open_tokenizer(self._data.tokenizer, self._spec.sequence_length, self._context), folder)

    def _read(self, expert: ExpertId, known: Collection[int], epoch: int) -> int | None:
        """Put the state that suits that epoch best in place; its epoch, or ``None`` where there is none."""
        for each in by_nearness(known, epoch):
            try:
                state = self._collected.read(expert, each)
            except ValueError as error:
                about = localized("layer %1, expert %2 (epoch %3)", *expert, each)
                self._context.listener.warn(ErrorKind.EXPERTS_LACKING, localized("%1: %2.", about, error))
                continue
            block = build_expert(expert, ExpertShape.of(self._spec.experts, self._spec.config.hidden_size))
            block.load_state_dict(state)
            self._experts[expert] = block
            return each
        return None

    def _lacking(self, missing: Sequence[ExpertId], used: Mapping[ExpertId, int]) -> Iterator[Detail]:
        """Which experts are missing, and which are older or newer than the others, in words."""
        if missing:
            names = [localized("layer %1, expert %2", *expert) for expert in missing]
            yield localized("Nobody has hosted these yet, and tokens go to the others of their layer: %1.", _all(names))
        if old := {expert: epoch for expert, epoch in used.items() if epoch != self._epoch}:
            names = [localized("layer %1, expert %2 (epoch %3)", *expert, epoch) for expert, epoch in old.items()]
            yield localized(
                "No host of these answered at epoch %1; their last known states are used: %2.", self._epoch, _all(names)
            )

    def _expert_weights(self) -> dict[str, Tensor]:
        return {
            f"layers.{expert.layer}.feed_forward.experts.{expert.number}.{name}": value
            for expert, block in self._experts.items()
            for name, value in block.state_dict().items()
        }

    def _expert_numbers(self) -> dict[str, Any]:
        numbers = self._spec.experts
        present: dict[str, list[int]] = {str(layer): [] for layer in self._spec.expert_layers}
        for expert in sorted(self._experts):
            present[str(expert.layer)].append(expert.number)
        return {
            "of": numbers.experts,
            "expansion": numbers.expansion,
            "top_k": numbers.top_k,
            "capacity_factor": numbers.capacity_factor,
            "layers": present,
        }


def _all(names: Sequence[Detail]) -> Detail:
    """Their names in one row, of many the first."""
    row = joined(names[:MOST_NAMED], localized("%1; %2"))
    more = len(names) - MOST_NAMED
    return localized("%1; and %2 more", row, more) if more > 0 else row
