"""How many numbers a codec of local SGD encodes and decodes in a second, on one thread."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import get_args

from core.run.spec.collaboration import DeltaCodec
from tests.bench.setup import NotMeasured
from tests.support.checkout import ROOT

CODECS: tuple[DeltaCodec, ...] = get_args(DeltaCodec)
NUMBERS = 520_000  # about as many as hivemind puts into a part of int8
LONG_NUMBERS = 4_000_000
TIMES = 40
LIMIT_SECONDS = 300.0


@dataclass(frozen=True)
class CodecSpeed:
    """In millions of float32 a second, of parts of ``NUMBERS`` and of those of ``LONG_NUMBERS``."""

    encode: float
    decode: float
    long_encode: float
    long_decode: float


def measure_codecs() -> dict[str, CodecSpeed]:
    """The speed of each, in a process of its own: only there torch is loaded."""
    command = [sys.executable, "-m", "tests.bench.local_sgd.codec_speed"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=LIMIT_SECONDS, check=False)
    if ended.returncode:
        raise NotMeasured(" ".join(ended.stderr.decode(errors="replace").split())[-300:])
    return {name: CodecSpeed(*figures) for name, figures in json.loads(ended.stdout).items()}


def best_rate(deed: Callable[[], object], numbers: int, times: int = TIMES) -> float:
    """Millions of numbers a second in the quickest of so many calls: what else runs only makes them slower."""
    seconds = []
    for _ in range(times):
        began = perf_counter()
        deed()
        seconds.append(perf_counter() - began)
    return numbers / min(seconds) / 1e6


def main() -> None:
    """Print the figures of all codecs, in turn, as JSON."""
    from core.worker.process import process_tree

    process_tree.setup_fork_handling()  # before hivemind is imported
    import torch

    from core.worker.swarm.local_sgd.codecs.error_feedback import largest
    from core.worker.swarm.local_sgd.codecs.wire import codec

    torch.set_num_threads(1)
    figures: dict[str, list[float]] = {name: [] for name in CODECS}
    for numbers in (NUMBERS, LONG_NUMBERS):
        part = 1e-3 * torch.randn(numbers)
        for name in CODECS:
            each, sent = codec(name), largest(part) if name == "topk" else part
            encoded = each.encode(sent)
            deeds = partial(each.encode, sent), partial(each.decode, encoded, numbers)
            figures[name] += [best_rate(deed, numbers) for deed in deeds]
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
