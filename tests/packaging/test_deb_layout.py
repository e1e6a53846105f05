"""Workerbee as an installer lays it out: without an engine it says so, and how to get one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from core.engine.builds import BuildName
from core.engine.install.index_lookup import WHEELS_VARIABLE
from core.engine.install.uv import find_uv
from core.engine.installed import EngineMetadata
from core.engine.pythons import this_python
from core.security.identity import Identity
from core.updates.notice import SignedNotice, UpdateNotice
from tests.support.checkout import ROOT
from tests.support.cli_process import ADDRESS
from tests.support.environment.fake_nvml import FakeNvml
from tests.support.environment.update_server import serving_notices

LIMIT_SECONDS = 120


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What lies in /usr/lib/workerbee, without the libraries."""
    folder = tmp_path_factory.mktemp("workerbee")
    for part in ("app", "core", "resources"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "bin").mkdir()
    uv = find_uv()
    assert uv is not None
    (folder / "bin" / "uv").symlink_to(uv)
    return folder


_PCI_BUS_OF_A_TEST = """
import sys
from pathlib import Path
from core.hardware import unused_gpus
find, root = unused_gpus.find_pci_gpus, Path(sys.argv.pop(1))
unused_gpus.find_pci_gpus = lambda _root: find(root)
from core.cli.__main__ import main
sys.exit(main())
"""


def say(program: Path, home: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """A command, and what came of it; its index is not there, and Linux tells of no GPU that has no driver."""
    environment = os.environ | {
        "PYTHONPATH": str(program),
        "WORKERBEE_HOME": str(home),
        WHEELS_VARIABLE: "http://127.0.0.1:9/simple/",
        "UV_HTTP_RETRIES": "0",
        **variables,
    }
    command = [sys.executable, "-P", "-c", _PCI_BUS_OF_A_TEST, str(home / "no-gpus"), *words]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=LIMIT_SECONDS, cwd=home.parent
    )


def make_engine(data: Path, build: BuildName) -> None:
    """One that has this environment's libraries."""
    engine = data / "engines" / "made"
    (engine / "bin").mkdir(parents=True)
    python = engine / "bin" / "python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    stamp = EngineMetadata(build=build, python=this_python(), fingerprint="0" * 16)
    (engine / "engine.json").write_bytes(msgspec.json.encode(stamp))
    (data / "engines" / "current").write_text("made")


def test_the_engine_that_could_be_made_is_described(program: Path, tmp_path: Path) -> None:
    said = say(program, tmp_path / "home", "engine")
    assert said.returncode == 0, said.stderr
    assert "has not been made yet. `workerbee engine make` makes it." in said.stdout
    assert "Download:" in said.stdout and " needed, " in said.stdout and "Folder:" in said.stdout


@pytest.mark.parametrize(
    ("nvidia", "amd", "said"),
    [
        (
            "echo 580.95.05",
            "exit 1",
            "for NVIDIA GPUs (CUDA 13). The NVIDIA driver is 580.95.05.",
        ),
        (
            "echo 570.133.20",
            "exit 1",
            "for NVIDIA GPUs with older drivers (CUDA 12.8). The NVIDIA driver is 570.133.20.",
        ),
        (
            "case $1 in *compute_cap*) echo 3.5;; *) echo 525.60.13;; esac",
            "exit 1",
            "The NVIDIA GPU is too old for any build, so the CPU computes: its compute capability is 3.5, and 5.0 is",
        ),
        (
            "echo 470.1",
            "exit 1",
            "The NVIDIA driver 470.1 is too old for any build: update it to 580 or newer",
        ),
        ("exit 9", "echo gfx1100", "for the CPU. There is an AMD GPU, but no engine for it yet"),
        ("exit 9", "exit 1", "for the CPU. No GPU with a driver was found."),
    ],
)
def test_the_engine_that_suits_is_named_and_so_is_a_gpu_that_stays_idle(
    program: Path, tmp_path: Path, nvidia: str, amd: str, said: str
) -> None:
    for name, script in (("nvidia-smi", nvidia), ("rocm_agent_enumerator", amd)):
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    described = say(program, tmp_path / "home", "engine", PATH=f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert described.returncode == 0, described.stderr
    assert said in described.stdout


@pytest.mark.parametrize(
    ("build", "devices"), [("cpu", "cpu"), ("rocm", "cpu"), ("cuda13", "cuda cpu"), (None, "cuda cpu")]
)
def test_an_engine_is_lent_no_gpu_that_it_cannot_compute_on(
    program: Path, tmp_path: Path, build: BuildName | None, devices: str
) -> None:
    if build:
        make_engine(tmp_path / "home" / "data", build)
    nvml = FakeNvml(tmp_path / "nvml")
    nvml.says("gpu GPU-aaaa 8192 6144 51 NVIDIA GeForce RTX 3070")
    code = """
from app.controllers.thread_bridge import Bridge
from app.controllers.engine_controller import EngineController
from core.cli.runner.context import CommandContext
from core.hardware.monitor import DevicesSeen
from core.hardware.discovery import find_devices
from core.files.folders import Folders
folders = Folders.default()
controller = EngineController(folders, Bridge())
print(*(each.kind for each in CommandContext(folders, None, None).devices()))
seen = controller.usable_devices(DevicesSeen(find_devices(), True, 0.0))
print(*(each.kind for each in seen.devices))
print(*(each.name for each in seen.idle))
"""
    environment = nvml.environment | {"PYTHONPATH": str(program), "WORKERBEE_HOME": str(tmp_path / "home")}
    command = [sys.executable, "-P", "-c", code]
    seen = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=program.parent)
    idle = "NVIDIA GeForce RTX 3070" if build in ("cpu", "rocm") else ""
    assert seen.stdout.splitlines() == [devices, devices, idle], seen.stderr


def test_nothing_trains_without_an_engine_and_it_is_said_what_to_do(program: Path, tmp_path: Path) -> None:
    said = say(program, tmp_path / "home", "join", ADDRESS, "--yes")
    assert said.returncode == 7
    assert "The training engine has not been made yet." in said.stderr
    assert "workerbee engine make" in said.stderr


def test_an_index_out_of_reach_is_a_failure_in_words(program: Path, tmp_path: Path) -> None:
    said = say(program, tmp_path / "home", "engine", "make")
    assert said.returncode == 4, said.stdout + said.stderr
    assert "The download was cut off." in said.stderr
    assert "Traceback" not in said.stderr


def test_a_build_that_is_not_offered_is_refused_in_words(program: Path, tmp_path: Path) -> None:
    said = say(program, tmp_path / "home", "engine", "make", "--build", "rocm")
    assert said.returncode == 7
    assert "It has none for AMD GPUs (ROCm)." in said.stderr


def test_what_is_not_there_can_be_removed(program: Path, tmp_path: Path) -> None:
    said = say(program, tmp_path / "home", "engine", "remove")
    assert said.returncode == 0, said.stderr
    assert said.stdout.startswith("Removed: ")


def test_a_checkout_says_that_it_is_one(tmp_path: Path) -> None:
    said = say(ROOT, tmp_path / "home", "engine")
    assert said.returncode == 0 and "This is a checkout" in said.stdout
    assert say(ROOT, tmp_path / "home", "engine", "make").returncode == 2


def test_the_window_offers_to_make_an_engine_anew_that_does_not_fit(program: Path) -> None:
    code = """
from app.presentation.error_actions import button_of, remedy_of
from core.errors import ErrorKind
broken = ErrorKind.ENGINE_MISSING
print(remedy_of(ErrorKind.PROTOCOL_MISMATCH), remedy_of(broken), button_of(broken))
"""
    environment = os.environ | {"PYTHONPATH": str(program)}
    command = [sys.executable, "-P", "-c", code]
    said = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=program.parent)
    assert said.stdout.split(maxsplit=2) == ["engine", "engine", "Make the engine anew\n"], said.stderr


def test_the_engines_python_asks_for_newer_versions_and_without_an_engine_nobody_does(
    program: Path, tmp_path: Path
) -> None:
    publisher, data = Identity.create(), tmp_path / "home" / "data"
    newer = UpdateNotice(version="999.0", page="https://example.org/")
    code = """
import sys, queue
from pathlib import Path
from core.errors import UserError
from core.updates.checker_process import UpdateCheck
from core.updates.publisher import Source
answers = queue.SimpleQueue()
try:
    UpdateCheck(Source(*sys.argv[2:]), Path(sys.argv[1]), answers.put).start()
except UserError as error:
    sys.exit(error.problem.key)
print(answers.get().version)
"""
    environment = os.environ | {"PYTHONPATH": str(program)}
    with serving_notices() as server:
        server.body = SignedNotice.sign(newer, publisher).to_bytes()
        command = [sys.executable, "-P", "-c", code, str(data), server.address, publisher.peer_id]
        without = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=program.parent)
        assert without.stderr.strip() == "engine_not_made" and server.asked == []
        make_engine(data, "cpu")
        said = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=program.parent)
    assert said.stdout.strip() == "999.0", said.stderr
