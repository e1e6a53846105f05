"""The export of one checkpoint into an empty folder, which somebody else puts in its place."""

from __future__ import annotations

import os
from pathlib import Path

import torch
from safetensors import SafetensorError

from core.errors import ErrorKind, UserError
from core.files.atomic import storage_problem
from core.files.disk_space import disk_usage, free_space
from core.files.locks import PeerFiles
from core.localizable import localized
from core.protocol.commands import Export
from core.protocol.events import Exported
from core.run.manifest import RunManifest
from core.run.spec.data import HubDataset, HubImages, ImageFiles, SumsData, TextFiles
from core.run.spec.recipe import ArithmeticGPT, CausalLM, ImageClassification, MaskedLM, MoeLM
from core.run.steering.edit import samples_before, signed_until
from core.worker.experts.collected import CollectedExperts
from core.worker.export.arithmetic_model import ArithmeticExport
from core.worker.export.checkpoint_choice import choose_checkpoint
from core.worker.export.mixture_export import MixtureExport
from core.worker.export.model_card import contributor_words, data_notes, model_card
from core.worker.export.transformers_model import TransformersExport
from core.worker.fetch.file_store import FetchContext

_DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
_SPARE_BYTES = 20_000_000  # tokenizer, config, card
_FULL = ("os error 28", "os error 122")  # ENOSPC and EDQUOT, as safetensors' Rust tells them


def export_checkpoint(command: Export, context: FetchContext) -> Exported:
    """Write the export into ``command.folder``, which is empty; raises UserError."""
    manifest, folder = command.manifest, Path(command.folder)
    newest, run_id, warn = Path(command.checkpoint), manifest.run.id, context.listener.warn
    export = _export_of(manifest, PeerFiles(newest.parent), context)
    content = choose_checkpoint(newest, run_id, command.epoch, export.use, warn)
    dtype = _DTYPES[command.dtype]
    has_adapters = _trains_adapters(manifest) and not command.merge
    _require_room(folder, _written(manifest, export.model, has_adapters=has_adapters), dtype)
    try:
        export.write(folder, dtype, merge=command.merge)
        evaluations = [(each.epoch, each.loss) for each in command.evaluations]
        notes = [*data_notes(signed_until(command.data_changes, content.epoch))]
        notes += export.notes if isinstance(export, MixtureExport) else ()
        samples = samples_before(manifest, command.edits, content.epoch)
        named = contributor_words(command.contributors, command.further_contributors)
        card = model_card(manifest, content, samples, evaluations, notes, named, has_adapters=has_adapters)
        (folder / "README.md").write_text(card, encoding="utf-8")
        _sync(folder)
    except OSError as error:
        raise storage_problem(error, folder) from error
    except SafetensorError as error:
        if any(words in str(error) for words in _FULL):
            raise UserError(ErrorKind.DISK_FULL, f"{folder.parent}.") from error
        raise
    return Exported(
        epoch=content.epoch,
        loss=content.loss,
        parameters=sum(parameter.numel() for parameter in export.model.parameters()),
        size_bytes=disk_usage(folder),
    )


def _export_of(
    manifest: RunManifest, files: PeerFiles, context: FetchContext
) -> ArithmeticExport | TransformersExport | MixtureExport:
    match manifest.recipe, manifest.data:
        case ArithmeticGPT() as numbers, SumsData() as sums:
            return ArithmeticExport(numbers, sums)
        case (CausalLM() | MaskedLM()) as language, (TextFiles() | HubDataset()) as text:
            return TransformersExport(language, text, context)
        case ImageClassification() as vision, (ImageFiles() | HubImages()) as images:
            return TransformersExport(vision, images, context)
        case MoeLM() as mixture, (TextFiles() | HubDataset()) as text:
            collected = CollectedExperts.of(mixture, files.collected_experts_folder, manifest.run.id)
            return MixtureExport(mixture, text, collected, context)
        case _:
            raise UserError(ErrorKind.MANIFEST_REFUSED, localized("Its recipe cannot learn from its data."))


def _trains_adapters(manifest: RunManifest) -> bool:
    return getattr(manifest.recipe, "lora", None) is not None


def _written(manifest: RunManifest, model: torch.nn.Module, *, has_adapters: bool) -> list[torch.nn.Parameter]:
    """What is written of the model: beside a base model that its hub has, the adapters."""
    is_base_published = getattr(manifest.recipe, "pretrained", None) is not None
    parameters = list(model.parameters())
    return [each for each in parameters if each.requires_grad] if has_adapters and is_base_published else parameters


def _require_room(folder: Path, written: list[torch.nn.Parameter], dtype: torch.dtype) -> None:
    """Raise UserError before anything is written where the disk has no room for it."""
    needed = sum(parameter.numel() for parameter in written) * dtype.itemsize + _SPARE_BYTES
    free = free_space(folder, None).free_bytes
    if free is not None and free < needed:
        raise UserError(
            ErrorKind.DISK_FULL,
            localized("The export needs %1 MB, and %2 MB are free.", f"{needed / 1e6:,.0f}", f"{free / 1e6:,.0f}"),
        )


def _sync(folder: Path) -> None:
    """Have every file on the disk before the folder gets its name."""
    for place, _, names in os.walk(folder):
        for name in names:
            handle = os.open(Path(place, name), os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)
