"""The runs of the proof: random weights and words made up here, which a server on loopback offers."""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec

from core.run.manifest import RunInfo, RunManifest
from core.run.spec.collaboration import Collaboration, Mode
from core.run.spec.data import FileAt, TextFiles
from core.run.spec.language_models import GPT2, Llama
from core.run.spec.optimizer import AdamW, AdamW8bit
from core.run.spec.recipe import CausalLM, Lora, Precision, Pretrained, Quantization
from tests.support.environment.folder_server import FolderServer

_TEXT = "words.txt"
_GPT2_SMALL = GPT2(
    vocab_size=50_257, hidden_size=768, num_hidden_layers=12, num_attention_heads=12, max_position_embeddings=1024
)
_TOY: dict[str, Any] = {"vocab_size": 258, "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}
_LARGER = Llama(
    vocab_size=32_000, hidden_size=2048, intermediate_size=5632, num_hidden_layers=22, num_attention_heads=32,
    num_key_value_heads=4, max_position_embeddings=2048,
)  # fmt: skip
_NOWHERE = Pretrained(repository="nobody/nothing", revision="0" * 40)  # few bits need it; the weights are random


@dataclass(frozen=True)
class Epochs:
    """About how long an epoch takes, and how many are measured."""

    seconds: float
    measured: int


@dataclass(frozen=True)
class Size:
    """How large the proof's models are, and how long it looks; sequences in tokens, micro-batches in samples."""

    config: GPT2
    sequence_length: int
    larger: Llama
    larger_sequence_length: int
    micro_batch: int
    text_bytes: int
    epochs: dict[Mode, Epochs]
    matchmaking_seconds: float
    plain_seconds: float
    adapter_steps: int
    codec_numbers: int


def full_size(memory_bytes: int) -> Size:
    """GPT-2 small of 124 million parameters, with as many samples at a time as such a GPU has room for.

    An epoch of gradients is longer than the rounds of its 124 million gradients and of the three times as many numbers
    of the optimizer's state take between two peers of one computer (24 s on 16 cores): they would be waited for.
    """
    micro_batch = 2 if memory_bytes < 7e9 else 4 if memory_bytes < 15e9 else 8
    epochs: dict[Mode, Epochs] = {"gradients": Epochs(30.0, 1), "local-sgd": Epochs(10.0, 3)}
    return Size(_GPT2_SMALL, 1024, _LARGER, 512, micro_batch, 4_000_000, epochs, 3.0, 6.0, 10, 124_000_000)


def toy_size() -> Size:
    """For a CPU: so small that every row takes seconds."""
    config, larger = GPT2(max_position_embeddings=32, **_TOY), Llama(max_position_embeddings=32, **_TOY)
    epochs: dict[Mode, Epochs] = {"gradients": Epochs(2.0, 1), "local-sgd": Epochs(2.0, 1)}
    return Size(config, 32, larger, 32, 10, 100_000, epochs, 1.0, 0.3, 3, 1_000_000)


def write_words(folder: Path, size: Size) -> None:
    """A text of made-up words, always the same."""
    draw = random.Random(0)
    words = ["".join(draw.choices("abcdefghiklmnoprstuvwy", k=draw.randint(2, 9))) for _ in range(2000)]
    text, length = [], 0
    while length < size.text_bytes:
        text.append(" ".join(draw.choices(words, k=80)))
        length += len(text[-1]) + 2
    (folder / _TEXT).write_text("\n\n".join(text))


class Runs:
    """Manifests whose text that server has."""

    def __init__(self, size: Size, server: FolderServer) -> None:
        self._size = size
        text = (server.folder / _TEXT).read_bytes()
        file = FileAt(url=f"{server.address}{_TEXT}", sha256=hashlib.sha256(text).hexdigest(), size_bytes=len(text))
        self._data = TextFiles(files=(file,), format="text", held_out_one_in=16)

    def small(self, target: int, mode: Mode = "gradients", precision: Precision = "auto", **recipe: Any) -> RunManifest:
        """GPT-2 small; ``target`` is the number of samples of an epoch. Each peer finds its own micro-batch."""
        model = CausalLM(
            config=self._size.config, sequence_length=self._size.sequence_length, precision=precision, **recipe
        )
        return self._run(f"gpu-proof-{mode}", model, target, mode)

    def larger(self, quantization: Literal["8bit", "nf4"] | None = None, **recipe: Any) -> RunManifest:
        """A Llama of 1.1 billion parameters, of which only adapters are trained."""
        model = CausalLM(
            config=self._size.larger,
            sequence_length=self._size.larger_sequence_length,
            lora=Lora(rank=8),
            pretrained=None if quantization is None else _NOWHERE,
            quantization=None if quantization is None else Quantization(kind=quantization),
            **recipe,
        )
        return self._run("gpu-proof-lora", model, 64, "gradients")

    def _run(self, run_id: str, model: CausalLM, target: int, mode: Mode) -> RunManifest:
        options: dict[str, Any] = {"matchmaking_time": self._size.matchmaking_seconds, "averaging_timeout": 60.0}
        if mode == "local-sgd":
            options |= {"overlap": "delayed"}
        else:
            options |= {"grad_compression": "float16", "state_averaging_compression": "float16"}
        return RunManifest(
            run=RunInfo(id=run_id, name="The proof on a GPU"),
            recipe=model,
            data=self._data,
            optimizer=AdamW(learning_rate=1e-4),
            collaboration=Collaboration(mode=mode, target_batch_size=target, **options),
        )


def with_micro_batch(manifest: RunManifest, samples: int) -> RunManifest:
    """The same run, which names the largest micro-batch itself."""
    together = msgspec.structs.replace(manifest.collaboration, batch_size_per_step=samples)
    return msgspec.structs.replace(manifest, collaboration=together)


def in_8_bits(manifest: RunManifest) -> RunManifest:
    """The same run, whose optimizer keeps its statistics in 8 bits, where the model is."""
    at_once = {"offload_optimizer": False, "delay_optimizer_step": False, "delay_grad_averaging": False}
    together = msgspec.structs.replace(manifest.collaboration, **at_once)
    return msgspec.structs.replace(manifest, optimizer=AdamW8bit(learning_rate=1e-4), collaboration=together)
