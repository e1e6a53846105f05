"""What the runs of an experiment have in common: the tables of their run file, and what these point to."""

from __future__ import annotations

import hashlib
import inspect
import pydoc
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from pydoc_data import topics
from typing import Any

import msgspec
import torch

from core.run.run_file import template
from core.run.spec.data import FileAt, TextFiles
from core.run.spec.language_models import GPT2
from core.run.spec.recipe import CausalLM, Pretrained
from core.worker.recipes.initialization import model_from_scratch
from tests.support.environment.fake_hub import Hub, local_hub

Tables = dict[str, Any]
Ground = Callable[[], AbstractContextManager[Tables]]

LENGTH = 64
PRETRAINING_STEPS, PRETRAINING_BATCH = 600, 32
SMALL = GPT2(vocab_size=258, hidden_size=96, num_hidden_layers=3, num_attention_heads=4, max_position_embeddings=LENGTH)


@contextmanager
def sums() -> Iterator[Tables]:
    """The run that `workerbee run new` writes."""
    yield tomllib.loads(template())


@contextmanager
def fine_tuning() -> Iterator[Tables]:
    """A small model that has read Python's manual learns Python's programs; a hub on loopback has both."""
    recipe = CausalLM(config=SMALL, sequence_length=LENGTH)
    with local_hub() as hub, tempfile.TemporaryDirectory(prefix="workerbee-model-") as made:
        recipe = msgspec.structs.replace(recipe, pretrained=_who_has_read_the_manual(recipe, hub, Path(made)))
        yield tomllib.loads(template()) | {
            "recipe": _table(recipe),
            "data": _table(_programs(hub)),
            "optimizer": {"name": "adamw", "learning_rate": 1e-3, "max_grad_norm": 1.0},
        }


def _who_has_read_the_manual(recipe: CausalLM, hub: Hub, folder: Path) -> Pretrained:
    torch.manual_seed(1)
    model = model_from_scratch(recipe)
    text = torch.tensor(list("\n".join(topics.topics.values()).encode()))
    optimizer = torch.optim.AdamW(model.parameters(), 2e-3)
    for _ in range(PRETRAINING_STEPS):
        places = torch.randint(len(text) - LENGTH, (PRETRAINING_BATCH, 1))
        blocks = text[places + torch.arange(LENGTH)]
        model(input_ids=blocks, labels=blocks).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    model.save_pretrained(folder)
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    published = hub.publish("model", "somebody/manual-reader", files)
    return Pretrained(repository=published.name, revision=published.revision)


def _programs(hub: Hub) -> TextFiles:
    text = "\n\n".join(inspect.getsource(module) for module in (inspect, pydoc, tempfile)).encode()
    where = hub.publish("dataset", "somebody/programs", {"programs.txt": text}).url("programs.txt")
    file = FileAt(url=where, sha256=hashlib.sha256(text).hexdigest(), size_bytes=len(text))
    return TextFiles(files=(file,), format="text", held_out_one_in=16)


def _table(section: Any) -> Tables:
    """As it stands in a run file, which is silent where nothing is said."""
    table: Tables = msgspec.to_builtins(section)
    return {name: _table(each) if isinstance(each, dict) else each for name, each in table.items() if each is not None}
