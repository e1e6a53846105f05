"""A language model that begins with somebody's weights: safetensors of the shape that the run describes."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from safetensors import SafetensorError

from core.problems import ClientError, Problem
from core.recipe_spec import LanguageModelSpec
from core.worker.recipes.families import dropouts_of, model_type, numbers_of
from core.worker.recipes.quantization import quantized
from core.worker.recipes.scratch import ATTENTION, auto_class, same_on_every_peer

if TYPE_CHECKING:
    from transformers import PreTrainedConfig, PreTrainedModel

log = logging.getLogger(__name__)


def model_from_hub(
    spec: LanguageModelSpec, folder: Path, dtype: torch.dtype, device: torch.device
) -> PreTrainedModel:
    """The model whose files are in that folder, on the CPU unless it is quantized; raises ClientError.

    What its weights do not say, such as an output that nobody has trained yet, is the same on every peer.
    """
    few_bits = {} if spec.quantization is None else quantized(spec.quantization, dtype, device)
    try:
        config = _config(spec, folder)
        with same_on_every_peer():
            model, told = auto_class(spec).from_pretrained(
                folder,
                config=config,
                dtype=torch.float32 if spec.lora is None else dtype,
                attn_implementation=ATTENTION,
                use_safetensors=True,
                local_files_only=True,
                trust_remote_code=False,
                output_loading_info=True,
                **few_bits,
            )
    except (OSError, ValueError, RuntimeError, SafetensorError) as error:
        raise ClientError(Problem.FILES_REFUSED, f"{_name(spec)}: {_first_line(error)}") from error
    if missing := sorted(told["missing_keys"]):
        log.warning("these weights begin with nothing: %s", ", ".join(missing))
    loaded: PreTrainedModel = model
    return loaded


def _config(spec: LanguageModelSpec, folder: Path) -> PreTrainedConfig:
    """The repository's own, if it is of the shape that the run describes; raises ValueError."""
    from transformers import AutoConfig

    if (folder / "adapter_config.json").exists():
        raise ValueError("it holds adapters of another model")
    config: Any = AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    if config.model_type != model_type(spec.config):
        raise ValueError(
            f"it is of the family {config.model_type}, and the run says {model_type(spec.config)}"
        )
    if getattr(config, "quantization_config", None):
        raise ValueError("its weights are quantized already")
    for name, wanted in numbers_of(spec.config).items():
        found = getattr(config, name)
        if found != wanted and not (found is None and name == "n_inner"):
            raise ValueError(f"its {name} is {found}, and the run says {wanted}")
    for name, share in dropouts_of(spec.config).items():
        setattr(config, name, share)
    config.use_cache = False
    checked: PreTrainedConfig = config
    return checked


def _name(spec: LanguageModelSpec) -> str:
    return spec.pretrained.repository if spec.pretrained else ""


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
