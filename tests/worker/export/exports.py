"""Runs of every recipe, trained for some steps and exported, and a program of somebody else's that loads them."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from core.protocol.commands import Evaluation, Export
from core.run.manifest import RunInfo, RunManifest
from core.run.spec.collaboration import Collaboration
from core.run.spec.data import DataSpec, FileAt, HubImages, TextFiles, Tokenizer
from core.run.spec.recipe import RecipeSpec
from core.worker.export.exporter import export_checkpoint
from core.worker.fetch.file_store import FetchContext, FileStore
from core.worker.training.checkpoint import save_checkpoint
from tests.support.recorders import RecordingListener

PROGRAM = Path(__file__).with_name("foreign_program.py")
RUN = "exported"
LIMIT_SECONDS = 300


def texts(tokenizer: Tokenizer = "bytes") -> TextFiles:
    """Some text, which an export does not need."""
    file = FileAt(url="https://data.example/a.txt", sha256="0" * 64, size_bytes=1)
    return TextFiles(files=(file,), format="text", tokenizer=tokenizer)


def pictures() -> HubImages:
    """Some images, which an export does not need."""
    return HubImages(repository="somebody/pictures", revision="0" * 40, class_names=("red", "green", "blue"))


def manifest(recipe: RecipeSpec, data: DataSpec, **info: Any) -> RunManifest:
    """A run that trains that."""
    return RunManifest(
        run=RunInfo(id=RUN, name="An exported run", **info),
        recipe=recipe,
        data=data,
        collaboration=Collaboration(target_batch_size=1000),
    )


def trained(recipe: Any, checkpoint: Path, steps: int = 3, samples: int = 8, epoch: int = 7) -> torch.nn.Module:
    """The recipe's model after some steps, whose checkpoint is saved as an organiser saves it."""
    weights = [each for each in recipe.model.parameters() if each.requires_grad]
    optimizer = torch.optim.AdamW(weights, lr=3e-3)
    for _ in range(steps):
        assert recipe.backward(recipe.loss(recipe.draw(samples)))
        optimizer.step()
        optimizer.zero_grad()
    checkpoint.parent.mkdir(parents=True, exist_ok=True)
    save_checkpoint(checkpoint, RUN, epoch, optimizer, loss=1.25)
    model: torch.nn.Module = recipe.model.eval()
    return model


def exported(
    run: RunManifest, checkpoint: Path, folder: Path, listener: RecordingListener | None = None, **wishes: Any
) -> Path:
    """The export of that run's checkpoint."""
    folder.mkdir(parents=True)
    context = FetchContext(FileStore(checkpoint.parent / "data"), listener or RecordingListener())
    told = {"evaluations": (Evaluation(epoch=5, loss=2.5), Evaluation(epoch=7, loss=1.25))} | wishes
    home = str(checkpoint.parent / "data")
    export_checkpoint(Export(manifest=run, home=home, checkpoint=str(checkpoint), folder=str(folder), **told), context)
    return folder


@dataclass
class Foreign:
    """Somebody else's program and its jobs; it is started once for all of them."""

    folder: Path
    jobs: list[dict[str, Any]] = field(default_factory=list)

    def wants(self, export: Path, auto: str | None, inputs: Tensor, **job: Any) -> int:
        """Load that export and compute the logits of these inputs; the job's number."""
        place = self.folder / f"inputs-{len(self.jobs)}"
        save_file({"inputs": inputs.contiguous()}, place)
        told = {"base": None, "revision": None, "text": "the bees", "pairs": []} | job
        self.jobs.append({"folder": str(export), "auto": auto, "inputs": str(place), **told})
        return len(self.jobs) - 1

    def run(self) -> list[dict[str, Any]]:
        """What it says of each job."""
        jobs = self.folder / "jobs.json"
        jobs.write_text(json.dumps(self.jobs))
        words: Sequence[str] = [sys.executable, "-I", "-S", str(PROGRAM), sysconfig.get_path("purelib"), str(jobs)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False)
        assert done.returncode == 0, done.stderr[-4000:]
        said: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
        return said

    def logits(self, number: int) -> Tensor:
        """What it has computed."""
        return load_file(f"{self.jobs[number]['inputs']}.logits")["logits"]
