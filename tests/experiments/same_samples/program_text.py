"""Program text that every computer has: some modules of the running Python's own library, as bytes."""

from __future__ import annotations

import sysconfig
from pathlib import Path

import torch
from torch import Tensor

LENGTH = 64  # bytes of a sample
HELD_OUT_SAMPLES = 512
TRAINED_ON = (
    "_pydecimal", "_pyio", "argparse", "ast", "bdb", "calendar", "codecs", "configparser", "contextlib", "dataclasses",
    "difflib", "dis", "doctest", "enum", "fractions", "ftplib", "functools", "gzip", "heapq", "imaplib", "inspect",
    "ipaddress", "locale", "mailbox", "ntpath", "optparse", "os", "pdb", "pickle", "pickletools", "platform", "pstats",
    "pydoc", "random", "shutil", "smtplib", "socket", "ssl", "statistics", "subprocess", "tarfile", "tempfile",
    "threading", "trace", "turtle", "typing", "uuid",
)  # fmt: skip
HELD_OUT = ("datetime", "plistlib", "socketserver", "tokenize", "traceback", "weakref", "webbrowser")


def text_of(modules: tuple[str, ...]) -> Tensor:
    """The sources of those modules, one after the other, as a vector of bytes in int64."""
    folder = Path(sysconfig.get_paths()["stdlib"])
    return torch.tensor(list(b"\n".join((folder / f"{name}.py").read_bytes() for name in modules)))


class ProgramText:
    """Samples of `LENGTH` bytes at places that depend on the seed alone; none of the modules ``held_out`` is of.

    ``held_out`` are `HELD_OUT_SAMPLES` samples, the same for every seed.
    """

    def __init__(self, seed: int) -> None:
        self._text = text_of(TRAINED_ON)
        self._generator = torch.Generator().manual_seed(seed)
        self.held_out = _samples(text_of(HELD_OUT), HELD_OUT_SAMPLES, torch.Generator().manual_seed(0))

    def draw(self, samples: int) -> Tensor:
        """So many samples to train on, int64 (samples, LENGTH)."""
        return _samples(self._text, samples, self._generator)


def _samples(text: Tensor, samples: int, generator: torch.Generator) -> Tensor:
    places = torch.randint(len(text) - LENGTH, (samples, 1), generator=generator)
    drawn: Tensor = text[places + torch.arange(LENGTH)]
    return drawn
