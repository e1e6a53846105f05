"""An expert on its host's disk, as safetensors: its weights and AdamW's statistics, so that a crash costs little."""

from __future__ import annotations

import logging
from pathlib import Path

from safetensors import SafetensorError, safe_open
from safetensors.torch import save

from core.files.atomic import quarantine, write_atomically
from core.worker.experts.block import ExpertId
from core.worker.experts.hosted_expert import HostedExpert

log = logging.getLogger(__name__)


class ExpertFiles:
    """The files of a host's experts of one run, in a folder that is made when the first one is written."""

    def __init__(self, folder: Path, run_id: str) -> None:
        self._folder, self._run_id = folder, run_id
        self._written: dict[ExpertId, int] = {}  # the steps of each that are on disk

    def read(self, expert: HostedExpert) -> None:
        """Have the expert go on where its file ends; one that is damaged or another's is moved aside."""
        path = self._path(expert.id)
        if not path.exists():
            return
        try:
            with safe_open(path, framework="pt") as file:
                metadata = file.metadata() or {}
                state = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - no mapping
            if metadata.get("run_id") != self._run_id:
                raise ValueError("it belongs to another run")
            expert.restore(state, int(metadata["steps"]))
        except (SafetensorError, OSError, KeyError, ValueError) as error:
            log.warning("the file of expert %s is moved aside: %s", expert.id, error)
            quarantine(path)
        else:
            self._written[expert.id] = expert.steps

    def write(self, expert: HostedExpert) -> None:
        """Write it, if it has learned anything since. A disk that takes nothing is logged, and tried again."""
        if self._written.get(expert.id, 0) == expert.steps:
            return
        metadata = {"run_id": self._run_id, "steps": str(expert.steps)}
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            write_atomically(self._path(expert.id), save(expert.whole_state(), metadata))
        except OSError as error:
            log.warning("expert %s cannot be saved: %s", expert.id, error)
        else:
            self._written[expert.id] = expert.steps

    def _path(self, expert: ExpertId) -> Path:
        return self._folder / f"expert-{expert.layer}-{expert.number}.safetensors"
