"""Exports of `transformers` models: the trained weights in the run's architecture, or its adapters beside the base."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import torch

from core.run.spec.data import ImageData, TextData
from core.run.spec.recipe import CausalLM, ImageClassification, LanguageModelSpec, TransformerSpec
from core.worker.export.parameters import put_parameters
from core.worker.export.tokenizer_files import open_tokenizer, write_tokenizer
from core.worker.fetch.file_store import FetchContext
from core.worker.recipes.lora import lora_config
from core.worker.recipes.transformers_factory import exact_initial_model
from core.worker.training.checkpoint_file import CheckpointContent

if TYPE_CHECKING:
    from peft import PeftModel
    from transformers import PreTrainedModel

BASE = "base"
"""The folder of a base model that nobody has published, within the folder of its adapters."""
_BILINEAR = 2  # of Pillow's filters, the one that training resizes with


class TransformersExport:
    """A run's `transformers` model, into which a checkpoint is put and which is then written."""

    def __init__(self, spec: TransformerSpec, data: TextData | ImageData, context: FetchContext) -> None:
        self._spec, self._data, self._context = spec, data, context
        self._base: PreTrainedModel = exact_initial_model(spec, context)
        self._adapted: PeftModel | None = None
        if not isinstance(spec, ImageClassification) and spec.lora is not None:
            from peft import get_peft_model

            self._adapted = get_peft_model(self._base, lora_config(spec.lora, spec.config))
        self.model: torch.nn.Module = (self._adapted or self._base).eval()

    def use(self, content: CheckpointContent) -> None:
        """Put the trained parameters in place; raises DamagedCheckpointError where they are not this model's."""
        put_parameters(self.model, content)

    def write(self, folder: Path, dtype: torch.dtype, *, merge: bool) -> None:
        """Write weights, config and tokenizer or image processor into that folder; raises OSError."""
        if self._adapted is not None and merge:
            self._base, self._adapted = self._adapted.merge_and_unload(), None
        if isinstance(self._spec, ImageClassification):
            self._write_image_processor(folder)
        else:
            self._write_tokenizer(folder, self._spec)
        if self._adapted is not None:
            self._write_adapters(folder, self._adapted, dtype)
        else:
            _write_model(self._base.to(dtype), folder)

    def _write_adapters(self, folder: Path, adapted: PeftModel, dtype: torch.dtype) -> None:
        """Beside the base model, where no hub has it."""
        config = adapted.peft_config["default"]
        published = self._spec.pretrained
        config.base_model_name_or_path = published.repository if published else BASE
        config.revision = published.revision if published else None
        config.task_type = "CAUSAL_LM" if isinstance(self._spec, CausalLM) else None
        config.inference_mode = True
        for parameter in adapted.parameters():
            if parameter.requires_grad:
                parameter.data = parameter.data.to(dtype)
        adapted.save_pretrained(str(folder), save_embedding_layers=False)
        if published is None:
            _write_model(adapted.unload().to(dtype), folder / BASE)

    def _write_tokenizer(self, folder: Path, spec: LanguageModelSpec) -> None:
        """The model's config is told its tokens, so that a text may end."""
        data: Any = self._data
        tokenizer = open_tokenizer(data.tokenizer, spec.sequence_length, self._context)
        write_tokenizer(tokenizer, folder)
        config, generation = self._base.config, getattr(self._base, "generation_config", None)
        for name in ("eos_token_id", "pad_token_id"):
            for told in (config, generation):
                if told is not None and getattr(told, name, None) is None:
                    setattr(told, name, getattr(tokenizer, name))
        if isinstance(spec, CausalLM):
            config.use_cache = True

    def _write_image_processor(self, folder: Path) -> None:
        spec, data = self._spec, self._data
        assert isinstance(spec, ImageClassification)
        names: tuple[str, ...] = getattr(data, "class_names", ()) or tuple(
            f"class {number}" for number in range(spec.config.num_labels)
        )
        self._base.config.id2label = dict(enumerate(names))
        self._base.config.label2id = {name: number for number, name in enumerate(names)}
        size = spec.config.image_size
        processor = {
            "image_processor_type": "ViTImageProcessor",
            "do_convert_rgb": True,
            "do_resize": True,
            "size": {"height": size, "width": size},
            "resample": _BILINEAR,
            "do_rescale": True,
            "rescale_factor": 1 / 255,
            "do_normalize": True,
            "image_mean": spec.image_mean,
            "image_std": spec.image_std,
        }
        (folder / "preprocessor_config.json").write_bytes(msgspec.json.format(msgspec.json.encode(processor)))


def _write_model(model: PreTrainedModel, folder: Path) -> None:
    """As safetensors, without the path of the folder that it was loaded from."""
    model.config.name_or_path = ""
    model.save_pretrained(folder)
