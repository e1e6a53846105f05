"""Pretrained models: safetensors of the shape that the run describes, loaded without running foreign code."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from safetensors import SafetensorError

from core.errors import ErrorKind, UserError
from core.localizable import Detail, localized, words_of
from core.run.spec.recipe import ImageClassification, TransformerSpec
from core.worker.compute.bitsandbytes import quantization_options
from core.worker.fetch.weights_index import refuse_foreign_weights
from core.worker.recipes.initialization import (
    ATTENTION,
    auto_class,
    dropouts_of,
    model_type,
    numbers_of,
    seeded_initialization,
)

if TYPE_CHECKING:
    from transformers import PreTrainedConfig, PreTrainedModel

log = logging.getLogger(__name__)

_OUTPUT = "classifier."


def model_from_hub(spec: TransformerSpec, folder: Path, dtype: torch.dtype, device: torch.device) -> PreTrainedModel:
    """Load the model whose files are in that folder, on the CPU unless it is quantized; raises UserError.

    Weights that are missing, such as those of an untrained output layer, are drawn the same on every peer; so is an
    output layer for other classes than the run's.
    """
    how = _how(spec, dtype, device)
    try:
        refuse_foreign_weights(folder)
        config = _config(spec, folder)
        with seeded_initialization():
            model, told = auto_class(spec).from_pretrained(
                folder,
                config=config,
                attn_implementation=ATTENTION,
                use_safetensors=True,
                local_files_only=True,
                trust_remote_code=False,
                output_loading_info=True,
                **how,
            )
        _refuse_other_shapes(told["mismatched_keys"])
    except (OSError, ValueError, RuntimeError, SafetensorError) as error:
        raise UserError(ErrorKind.FILES_REFUSED, localized("%1: %2", _name(spec), _first_line(error))) from error
    if missing := sorted(told["missing_keys"]):
        log.warning("these weights begin with nothing: %s", ", ".join(missing))
    loaded: PreTrainedModel = model
    return loaded


def _how(spec: TransformerSpec, dtype: torch.dtype, device: torch.device) -> dict[str, Any]:
    """Arguments of ``from_pretrained`` that depend on the recipe; raises UserError where the device cannot."""
    if isinstance(spec, ImageClassification):
        return {"dtype": torch.float32, "ignore_mismatched_sizes": True}
    quantization = {} if spec.quantization is None else quantization_options(spec.quantization, dtype, device)
    return {"dtype": torch.float32 if spec.lora is None else dtype, **quantization}


def _refuse_other_shapes(mismatched: Iterable[Any]) -> None:
    """Raise ValueError for weights of another shape than the run's, except for the output layer's."""
    names = sorted(str(each[0] if isinstance(each, tuple) else each) for each in mismatched)
    if wrong := [name for name in names if not name.startswith(_OUTPUT)]:
        raise ValueError(localized("its %1 has another shape than the run says", wrong[0]))


def _config(spec: TransformerSpec, folder: Path) -> PreTrainedConfig:
    """The repository's own config, if it has the shape that the run describes; raises ValueError."""
    from transformers import AutoConfig

    if (folder / "adapter_config.json").exists():
        raise ValueError(localized("it holds adapters of another model"))
    config: Any = AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    if config.model_type != model_type(spec.config):
        raise ValueError(
            localized("it is of the family %1, and the run says %2", config.model_type, model_type(spec.config))
        )
    if getattr(config, "transformers_weights", None):
        raise ValueError(localized("its config names a file of weights, which “transformers” would look for anywhere"))
    if getattr(config, "quantization_config", None):
        raise ValueError(localized("its weights are quantized already"))
    numbers = numbers_of(spec.config)
    if "num_labels" in numbers:
        config.num_labels = numbers.pop("num_labels")
    for name, wanted in numbers.items():
        found = getattr(config, name)
        if found != wanted and not (found is None and name == "n_inner"):
            raise ValueError(localized("its %1 is %2, and the run says %3", name, found, wanted))
    for name, share in dropouts_of(spec.config).items():
        setattr(config, name, share)
    if not isinstance(spec, ImageClassification):
        config.use_cache = False
    checked: PreTrainedConfig = config
    return checked


def _name(spec: TransformerSpec) -> str:
    return spec.pretrained.repository if spec.pretrained else ""


def _first_line(error: BaseException) -> Detail:
    words = words_of(error)
    return words if not isinstance(words, str) else (words.strip().splitlines() or [type(error).__name__])[0][:300]
