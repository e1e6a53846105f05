"""Small runs of each recipe, whose data a hub on loopback serves: two peers learn something of them in seconds."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from core.run.manifest import RunManifest
from core.run.spec.data import FileAt, HubImages, TextFiles
from core.run.spec.image_models import ViT
from core.run.spec.language_models import GPT2, Bert
from core.run.spec.optimizer import AdamW
from core.run.spec.recipe import CausalLM, ImageClassification, MaskedLM, RecipeSpec
from tests.support.environment.fake_hub import Hub
from tests.support.sample_images import NAMES, in_parquet, squares

TEXT = "\n\n".join(f"{name} keeps the {thing}." for name in ("Ada", "Bo") for thing in ("bees", "honey", "wax") * 40)
IMAGES = 300
_SMALL: dict[str, Any] = {
    "vocab_size": 258,
    "hidden_size": 32,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "max_position_embeddings": 32,
}


def language_model(run: RunManifest, hub: Hub, learning_rate: float, **options: Any) -> RunManifest:
    """That run with a tiny GPT-2, with these options of its recipe, and some sentences to learn."""
    recipe = CausalLM(config=GPT2(**_SMALL), sequence_length=16, **options)
    return _with(run, recipe, _sentences(hub), learning_rate)


def masked_model(run: RunManifest, hub: Hub, learning_rate: float) -> RunManifest:
    """That run with a tiny BERT, and the same sentences."""
    recipe = MaskedLM(config=Bert(**_SMALL), sequence_length=16)
    return _with(run, recipe, _sentences(hub), learning_rate)


def image_model(run: RunManifest, hub: Hub, learning_rate: float) -> RunManifest:
    """That run with a tiny vision transformer, and squares of three colours."""
    numbers: dict[str, Any] = {"num_labels": 3, "hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    recipe = ImageClassification(config=ViT(image_size=16, patch_size=4, **numbers))
    files = {"data/train-00000-of-00001.parquet": in_parquet(squares(IMAGES), [each % 3 for each in range(IMAGES)])}
    published = hub.publish("dataset", "somebody/squares", files)
    data = HubImages(repository=published.name, revision=published.revision, class_names=NAMES)
    return _with(run, recipe, data, learning_rate)


def _sentences(hub: Hub) -> TextFiles:
    text = TEXT.encode()
    where = hub.publish("dataset", "somebody/texts", {"bees.txt": text}).url("bees.txt")
    file = FileAt(url=where, sha256=hashlib.sha256(text).hexdigest(), size_bytes=len(text))
    return TextFiles(files=(file,), format="text", held_out_one_in=8)


def _with(run: RunManifest, recipe: RecipeSpec, data: TextFiles | HubImages, learning_rate: float) -> RunManifest:
    return msgspec.structs.replace(run, recipe=recipe, data=data, optimizer=AdamW(learning_rate=learning_rate))
