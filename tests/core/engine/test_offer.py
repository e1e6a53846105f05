"""What engine is offered in place of the one in use, and on which GPUs that computes."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from core.engine import python
from core.engine.build_selection import Suited
from core.engine.builds import BuildName
from core.engine.file_lists import load_files
from core.engine.install import offer
from core.engine.installed import Engine, EngineDirectory


def installed(data: Path, build: BuildName) -> None:
    """Put an engine of former files into use."""
    files = load_files(build)
    assert files is not None
    former = msgspec.structs.replace(files, files=files.files[1:])
    place = EngineDirectory(data)
    folder = place.folder / "former"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").touch()
    place.activate(Engine(folder, place.write_metadata(folder, former)))


@pytest.mark.parametrize(
    ("build", "suited", "is_newer"),
    [
        ("cuda13", Suited("cuda13", "driver", "580.95.05"), True),
        ("cpu", Suited("cuda13", "driver", "580.95.05"), True),
        ("cpu", Suited("cpu", "no_gpu"), True),
        ("cuda13", Suited("cpu", "unused_gpu"), False),
        ("cuda128", Suited("cpu", "no_gpu"), False),
    ],
)
def test_an_engine_for_a_gpu_is_not_replaced_unasked_while_its_driver_does_not_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, build: BuildName, suited: Suited, is_newer: bool
) -> None:
    installed(tmp_path, build)
    monkeypatch.setattr(offer, "suited_build", lambda: suited)
    found = offer.offer_for(tmp_path)
    assert found.choice is not None and found.choice.files.build == suited.build, "which whoever asks for it gets"
    assert found.is_newer is is_newer


@pytest.mark.parametrize(("build", "least"), [("cuda13", (7, 5)), ("cuda128", (7, 0)), ("cpu", (0, 0))])
def test_the_least_capable_gpu_that_the_engine_in_use_has_code_for_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, build: BuildName, least: tuple[int, int]
) -> None:
    installed(tmp_path, build)
    assert python.supported_gpus(tmp_path).least_capability == (0, 0), "a checkout does not use it"
    monkeypatch.setattr(python, "is_packaged", lambda: True)
    assert python.supported_gpus(tmp_path).least_capability == least
    assert python.supported_gpus(tmp_path / "nowhere").least_capability == (0, 0)
