"""One target's inputs, kept in an archive, and its fuzzing in a process of its own."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tests.support.checkout import ROOT

CORPUS = Path(__file__).parent / "corpus"
MAX_INPUT_BYTES = 8192
MOST_KEPT = 300
MEMORY_MB = 3000  # torch and hivemind are some hundred of them
GRACE_SECONDS = 300.0  # to import torch on a busy computer, beyond the time of the fuzzing itself
_DONE = re.compile(rb"Done (\d+) runs? in (\d+) second")


@dataclass(frozen=True)
class Fuzzed:
    """How many inputs a target was fed with; ``defect`` is what libFuzzer said last, empty where there is none."""

    inputs: int
    defect: str


def kept_inputs(name: str, folder: Path = CORPUS) -> list[bytes]:
    """Those that reach different code of that target, from earlier fuzzing."""
    path = folder / f"{name}.zip"
    if not path.exists():
        return []
    with zipfile.ZipFile(path) as archive:
        return [archive.read(each) for each in archive.namelist()]


def keep_inputs(name: str, inputs: Iterable[bytes], folder: Path = CORPUS) -> None:
    """In that target's archive, in place of those that were there; equal inputs make an equal archive."""
    folder.mkdir(exist_ok=True)
    with zipfile.ZipFile(folder / f"{name}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for data in sorted(inputs):
            archive.writestr(zipfile.ZipInfo(hashlib.sha256(data).hexdigest()[:16]), data)


def fuzz(name: str, inputs: Iterable[bytes], folder: Path, *, seconds: float, most: int, hang_seconds: int) -> Fuzzed:
    """Feed a target for so long, or with so many inputs; what it has found grows in ``folder / "corpus"``.

    An input that takes a second of a core, or ``hang_seconds`` by the clock, is a defect, as is every exception and all
    memory gone.
    """
    corpus = folder / "corpus"
    corpus.mkdir(parents=True)
    for data in inputs:
        (corpus / hashlib.sha256(data).hexdigest()).write_bytes(data)
    options: dict[str, int | str] = {
        "max_total_time": round(seconds),
        "runs": most,
        "timeout": hang_seconds,
        "max_len": MAX_INPUT_BYTES,
        "rss_limit_mb": MEMORY_MB,
        "artifact_prefix": f"{folder}/",
    }
    code, said = _run(name, corpus, options, seconds + GRACE_SECONDS)
    done = _DONE.search(said)
    is_defect = code != 0 or done is None
    return Fuzzed(int(done[1]) if done else 0, said.decode(errors="replace")[-3000:] if is_defect else "")


def found_inputs(folder: Path) -> list[bytes]:
    """Those in ``folder / "corpus"``, each of which reached code that no smaller one before it had; the smallest."""
    everything = [path.read_bytes() for path in (folder / "corpus").iterdir()]
    return sorted(everything, key=len)[:MOST_KEPT]


def _run(name: str, corpus: Path, options: dict[str, int | str], limit_seconds: float) -> tuple[int, bytes]:
    words = [sys.executable, "-m", "tests.fuzz.one_target", name, str(corpus)]
    words += [f"-{option}={value}" for option, value in options.items()]
    done = subprocess.run(
        words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=limit_seconds, check=False
    )
    return done.returncode, done.stdout
