"""Linux inside Windows, by stand-in: files of `/proc`, `/dev` and `/run` that tell it, and a `wslinfo`.

What Microsoft's kernels write into `/proc/version` is as their users have posted it. No test has run in a real WSL.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.availability.observation import Observation
from core.availability.rule_views import rule_views
from core.availability.rules import AvailabilityRules
from core.availability.unobserved_rules import unobserved_rules
from core.cli.commands.diagnostics import wsl
from core.errors import ErrorKind, UserError
from core.service.platform import service_manager
from core.texts.settings.rule_views import sees
from core.texts.settings.unobserved_rules import unobserved_words
from core.wsl import MIRRORED_COMMAND, RESTART_COMMAND, SYSTEMD_COMMAND, Wsl, detect_wsl, firewall_command, is_wsl
from tests.support.computer.fake_wsl import WSL_2, linux

WSL_1 = "Linux version 4.4.0-19041-Microsoft (Microsoft@Microsoft.com) (gcc version 5.4.0 (GCC) ) #2311-Microsoft"
DEBIAN = "Linux version 6.1.0-18-amd64 (debian-kernel@lists.debian.org) (gcc-12 (Debian 12.2.0-14) 12.2.0)"


@pytest.fixture
def networking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of programs, in which a test may put a `wslinfo`."""
    programs = tmp_path / "programs"
    programs.mkdir()
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    return programs


def wslinfo(programs: Path, said: str) -> None:
    """Stands for the program that tells the networking mode in force."""
    file = programs / "wslinfo"
    file.write_text(f'#!/bin/sh\n[ "$1" = --networking-mode ] && echo {said}\n')
    file.chmod(0o755)


def test_a_linux_of_its_own_is_no_wsl(tmp_path: Path) -> None:
    assert detect_wsl(linux(tmp_path, DEBIAN, "dev/dxg")) is None
    assert not is_wsl(tmp_path / "nowhere") and list(wsl(None)) == []


def test_all_of_it_is_there_but_what_only_windows_can_see(tmp_path: Path, networking: Path) -> None:
    wslinfo(networking, "mirrored")
    found = detect_wsl(linux(tmp_path, WSL_2, "dev/dxg", "run/systemd/system/units"))
    assert found == Wsl(version=2, has_gpu=True, networking="mirrored", has_systemd=True)
    good, firewall = wsl(found)
    assert (good.state, good.text) == ("good", "version 2, network mirrored")
    assert firewall.state == "doubtful" and firewall.advice.endswith(firewall_command(31337))
    assert "-VMCreatorId '{40E0AC32-46A5-438A-A0B2-2B479E8F2E90}' -Protocol TCP -LocalPorts 31337" in firewall.advice


def test_what_is_missing_is_named_with_its_command(tmp_path: Path, networking: Path) -> None:
    wslinfo(networking, "nat")
    found = detect_wsl(linux(tmp_path, WSL_2))
    assert found is not None and tuple(found.lacks()) == ("gpu", "mirrored network", "systemd")
    advice = {each.text: each.advice for each in wsl(found) if each.state == "doubtful"}
    assert len(advice) == 3 and all(RESTART_COMMAND in each for each in advice.values())
    said = " ".join(advice.values())
    assert MIRRORED_COMMAND in said and SYSTEMD_COMMAND in said and "driver in Windows, none inside WSL" in said


@pytest.mark.parametrize("said", ["none", "virtioproxy", None])
def test_only_a_mirrored_network_is_one_that_others_reach(tmp_path: Path, networking: Path, said: str | None) -> None:
    if said:
        wslinfo(networking, said)
    found = detect_wsl(linux(tmp_path, WSL_2, "dev/dxg"))
    assert found is not None and found.networking == (said or "") and "mirrored network" in found.lacks()


def test_version_1_has_to_become_version_2_first(tmp_path: Path) -> None:
    (only,) = wsl(detect_wsl(linux(tmp_path, WSL_1)))
    assert only.state == "bad" and "--set-version" in only.advice
    assert detect_wsl(linux(tmp_path / "own kernel", WSL_1.replace("4.4.0", "6.6.0"), "run/WSL/1_interop")) is not None


def test_a_service_without_systemd_is_answered_with_the_same_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(UserError) as caught:
        service_manager(linux(tmp_path, WSL_2))
    assert caught.value.problem is ErrorKind.NO_SERVICE_MANAGER
    assert SYSTEMD_COMMAND in str(caught.value.detail) and RESTART_COMMAND in str(caught.value.detail)


def test_the_rule_about_other_programs_on_the_gpu_says_that_it_cannot_see_there() -> None:
    """What GPUs' observers answer in WSL is in `tests/core/observers/test_gpu_uses.py`."""
    rules = AvailabilityRules(gpu_share=0.2)
    seen = Observation(at=datetime(2026, 1, 5, 12, tzinfo=UTC), monotonic=0.0, gpu_uses=None)
    (view,) = (each for each in rule_views(rules, seen) if each.rule == "gpu")
    assert sees(view, rules) == "cannot see"
    assert "gpu" in unobserved_rules(rules, seen)
    assert "NVIDIA's driver, but not in WSL 2" in unobserved_words("gpu")
