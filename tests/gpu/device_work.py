"""What the process on the device computes, each a function of a question; torch is loaded here and in workers only."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import torch

from core.localizable import localized
from core.run.manifest import RunManifest
from core.run.requirements import estimate_requirements
from core.run.spec.recipe import CausalLM
from core.worker.compute.bitsandbytes import require_bitsandbytes
from core.worker.compute.device import torch_device
from core.worker.compute.memory_errors import named_out_of_memory
from core.worker.compute.memory_meter import memory_meter_for
from core.worker.compute.optimizers import make_optimizer, parameters_of
from core.worker.recipes import Recipe, build_synthetic
from core.worker.recipes.initialization import model_from_scratch
from core.worker.recipes.synthetic_data import SyntheticBlocks
from core.worker.recipes.transformers_factory import build_language_model
from core.worker.swarm.local_sgd.codecs.encoded_tensors import PART_NUMBERS, EncodedTensors, changes_of
from core.worker.swarm.local_sgd.codecs.wire import codec

if TYPE_CHECKING:
    from tests.gpu.device_process import Question

_WARM_UP_STEPS = 3
_FEW_TOKENS = 8000  # so that embeddings, which stay as they are, are a small share


def open_device(name: str) -> torch.device:
    """The device of that name; a toy computes in one thread, so that others' work slows it down and no more."""
    if name == "cpu":
        torch.set_num_threads(1)
    return torch_device(name)


def _about(device: torch.device, _question: Question) -> dict[str, Any]:
    """Versions, and the GPUs as CUDA numbers them."""
    gpus = [torch.cuda.get_device_properties(index) for index in range(torch.cuda.device_count())]
    return {
        "torch": str(torch.__version__),
        "cuda": torch.version.cuda or "",
        "names": [gpu.name for gpu in gpus],
        "uuids": [f"GPU-{gpu.uuid}" if hasattr(gpu, "uuid") else "" for gpu in gpus],
        "capability": ".".join(map(str, torch.cuda.get_device_capability(device))) if device.type == "cuda" else "",
    }


def _plain(device: torch.device, question: Question) -> dict[str, Any]:
    """Samples a second of a plain loop: forward, backward, and every so many micro-batches a step."""
    manifest, batch = _manifest(question), int(question.numbers["micro_batch"])
    recipe = build_synthetic(manifest, device)
    optimizer = make_optimizer(manifest.optimizer, device)(recipe.model.parameters())
    meter, step_every = memory_meter_for(device), int(question.numbers["step_every"])
    samples, steps, began = 0, 0, 0.0
    while steps <= _WARM_UP_STEPS or time.monotonic() - began < question.numbers["seconds"]:
        if steps == _WARM_UP_STEPS:
            meter.synchronize()
            samples, began = 0, time.monotonic()
        recipe.backward(recipe.loss(recipe.draw(batch)))
        if steps % step_every == 0:
            optimizer.step()
            optimizer.zero_grad()
        samples, steps = samples + batch, steps + 1
    meter.synchronize()
    return {"samples_per_second": samples / (time.monotonic() - began)}


def _adapters(device: torch.device, question: Question) -> dict[str, Any]:
    """Train the adapters of a larger model on one batch, which it must learn a little of."""
    manifest, meter = _manifest(question), memory_meter_for(device)
    recipe = build_synthetic(manifest, device)
    losses, seconds = _train(recipe, manifest, device, question)
    return {
        "parameters": sum(each.numel() for each in recipe.model.parameters()),
        "samples_per_second": question.numbers["micro_batch"] / seconds,
        "first_loss": losses[0],
        "last_loss": losses[-1],
        "bytes": meter.taken_bytes(),
        "estimated_bytes": estimate_requirements(manifest).device_memory_bytes,
    }


def _train(
    recipe: Recipe, manifest: RunManifest, device: torch.device, question: Question
) -> tuple[list[float], float]:
    """The losses of one batch, computed again and again, and the seconds of the quickest step."""
    trained = [each for each in recipe.model.parameters() if each.requires_grad]
    optimizer = make_optimizer(manifest.optimizer, device)(trained)
    batch, losses, seconds = recipe.draw(int(question.numbers["micro_batch"])), list[float](), list[float]()
    for _ in range(int(question.numbers["steps"])):
        began = time.monotonic()
        loss = recipe.loss(batch)
        if recipe.backward(loss):
            optimizer.step()
        optimizer.zero_grad()
        losses.append(float(loss.detach()))
        seconds.append(time.monotonic() - began)
    return losses, min(seconds)


def _optimizer_in_8_bits(device: torch.device, question: Question) -> dict[str, Any]:
    """Train with statistics in 8 bits; the bytes that are kept for each parameter."""
    manifest = _manifest(question)
    require_bitsandbytes(localized("An optimizer in 8 bits"), device)
    recipe = build_synthetic(manifest, device)
    optimizer = make_optimizer(manifest.optimizer, device)(recipe.model.parameters())
    batch, losses = recipe.draw(int(question.numbers["micro_batch"])), list[float]()
    for _ in range(int(question.numbers["steps"])):
        loss = recipe.loss(batch)
        recipe.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        losses.append(float(loss.detach()))
    kept = [each for state in optimizer.state.values() for each in state.values() if isinstance(each, torch.Tensor)]
    numbers = sum(each.numel() for each in parameters_of(optimizer))
    kept_bytes = sum(each.numel() * each.element_size() for each in kept)
    return {"first_loss": losses[0], "last_loss": losses[-1], "bytes_a_parameter": kept_bytes / numbers}


def _checkpointing(device: torch.device, question: Question) -> dict[str, Any]:
    """The loss, the gradient's norm and the peak of memory of the same batch, with activations kept and recomputed."""
    figures: dict[str, Any] = {}
    manifest, batch = _manifest(question), None
    assert isinstance(manifest.recipe, CausalLM)
    for name, is_on in (("kept", False), ("recomputed", True)):
        spec = msgspec.structs.replace(manifest.recipe, gradient_checkpointing=is_on)
        recipe, meter = (
            build_synthetic(msgspec.structs.replace(manifest, recipe=spec), device),
            memory_meter_for(device),
        )
        batch = batch or recipe.draw(int(question.numbers["micro_batch"]))
        meter.reset()
        loss = recipe.loss(batch)
        recipe.backward(loss)
        norm = torch.nn.utils.get_total_norm([each.grad for each in recipe.model.parameters() if each.grad is not None])
        figures |= {
            f"{name}_loss": float(loss.detach()),
            f"{name}_norm": float(norm),
            f"{name}_bytes": meter.taken_bytes(),
        }
        del recipe, loss, norm
    return figures


def _few_bits(device: torch.device, question: Question) -> dict[str, Any]:
    """Frozen weights in few bits beside the same in 16: bytes a frozen parameter, and both losses."""
    manifest, folder = _manifest(question), Path(question.folder)
    assert isinstance(manifest.recipe, CausalLM) and manifest.recipe.quantization is not None
    require_bitsandbytes(localized("A model in few bits (%1)", manifest.recipe.quantization.kind), device)
    config = msgspec.structs.replace(manifest.recipe.config, num_hidden_layers=4, vocab_size=_FEW_TOKENS)
    spec = msgspec.structs.replace(manifest.recipe, config=config)
    if not folder.exists():
        model_from_scratch(spec).to(torch.bfloat16).save_pretrained(folder)
    batch, figures = None, dict[str, Any]()
    for name, asked in (("whole", msgspec.structs.replace(spec, quantization=None)), ("few", spec)):
        recipe = build_language_model(asked, SyntheticBlocks(asked), seed=1, device=device, folder=folder)
        batch = batch or recipe.draw(2)
        loss = recipe.loss(batch)
        assert recipe.backward(loss), "its gradient is not finite"
        frozen = [each for each in recipe.model.parameters() if not each.requires_grad]
        figures[f"{name}_bytes"] = sum(each.numel() * each.element_size() for each in frozen)
        figures[f"{name}_loss"] = float(loss.detach())
        del recipe, loss, frozen
    return figures


def _delta_codec(device: torch.device, question: Question) -> dict[str, Any]:
    """Encode what has changed of weights on the device: the seconds; raises where the bytes are not a CPU's."""
    numbers = int(question.numbers["numbers"])
    base = torch.randn(numbers)
    weights = (base + 1e-3 * torch.randn(numbers)).to(device)
    seconds = {}
    for name in ("int8", "int4"):
        there, here = (EncodedTensors([base.shape], codec(name)) for _ in range(2))
        began = time.monotonic()
        for number, change in enumerate(changes_of(base, weights)):
            there.encode_part(number, change)
        seconds[f"{name}_seconds"] = time.monotonic() - began
        few = min(numbers, 4 * PART_NUMBERS)
        for number, change in enumerate(changes_of(base[:few], weights[:few].cpu())):
            here.encode_part(number, change)
            assert torch.equal(here.part(number), there.part(number)), f"{name}: part {number} has other bytes"
    return seconds


def _largest(device: torch.device, question: Question) -> dict[str, Any]:
    """The largest power of two that is really computed within the limit; on a CPU only whether ``found`` is."""
    manifest, found = _manifest(question), int(question.numbers["found"])
    if device.type == "cuda":
        torch_device(str(device), int(question.numbers["limit_bytes"]))
    recipe = build_synthetic(manifest, device)
    size, largest = (1, 0) if device.type == "cuda" else (found, 0)
    while size <= (question.numbers["most"] if device.type == "cuda" else found):
        try:
            with named_out_of_memory():
                recipe.backward(recipe.loss(recipe.draw(size)))
        except torch.OutOfMemoryError:
            break
        finally:
            recipe.model.zero_grad()
        largest, size = size, 2 * size
    if device.type == "cuda":
        torch.cuda.set_per_process_memory_fraction(1.0, device)
    return {"largest": largest}


def _manifest(question: Question) -> RunManifest:
    """The question's; its model is given back before the next question, whatever became of this one."""
    assert question.manifest is not None
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    return question.manifest


WORK: dict[str, Callable[[torch.device, Question], dict[str, Any]]] = {
    "about": _about,
    "plain": _plain,
    "adapters": _adapters,
    "adamw8bit": _optimizer_in_8_bits,
    "checkpointing": _checkpointing,
    "few_bits": _few_bits,
    "codec": _delta_codec,
    "largest": _largest,
}
