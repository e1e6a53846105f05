"""`workerbee service` with a stand-in for systemctl and a fake engine: consent, the rules, and what has changed."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from core.availability.presets import with_preset
from core.availability.rules import AvailabilityRules
from core.errors import ErrorKind
from core.files.folders import Folders
from core.records.recent_runs import RecentRun, RecentRuns
from core.records.settings import Settings, save_settings
from core.run.address import JoinAddress
from tests.core.cli.test_changed_run import AGREED, WIDER, starts
from tests.core.cli.test_run_order import FIRST, SECOND, be, started
from tests.support.cli_process import ADDRESS, LIMIT_SECONDS, Result, argv, environment, fake, workerbee
from tests.support.computer.named_program import NAME, running_program
from tests.support.environment.x11_desktop import wait_for
from tests.support.peers import fake_worker

_SYSTEMCTL = """#!/bin/sh
# Stands for systemctl and loginctl where there is no systemd: it notes what it is asked, and says that all is well,
# unless it REFUSES that.
echo "$@" >> "$WORKERBEE_HOME/../asked"
case "$2" in "$REFUSES") echo "Failed to $2 unit: Access denied" >&2; exit 1;; esac
case "$*" in *ActiveState*) echo active;; *Linger*) echo no;; esac
"""


@pytest.fixture(autouse=True)
def _computer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The owner's rules name a program; on the PATH there is a systemctl that does nothing."""
    rules = msgspec.structs.replace(with_preset(AvailabilityRules(), "always"), programs=(NAME,))
    save_settings(Folders.below(tmp_path / "home").settings_file, Settings(device="cpu", availability=rules))
    for name in ("systemctl", "loginctl"):
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(_SYSTEMCTL)
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def install(folder: Path, *words: str, part: str = "good") -> Result:
    """`workerbee service install`."""
    return workerbee(folder, "service", "install", *words, worker=fake(folder, part))


def unit(folder: Path) -> Path:
    """The unit of the service."""
    return folder / "config" / "systemd" / "user" / "workerbee.service"


def test_nothing_is_installed_before_somebody_has_agreed(tmp_path: Path) -> None:
    refused = install(tmp_path, ADDRESS)
    assert refused.code == ErrorKind.USAGE.exit_code and "--yes" in refused.err
    assert not unit(tmp_path).exists()
    agreed = install(tmp_path, ADDRESS, "--yes")
    assert agreed.code == 0, agreed.err
    assert "Sums" in agreed.out and "loginctl enable-linger" in agreed.out
    assert f"WORKERBEE_HOME={tmp_path / 'home'}" in unit(tmp_path).read_text()
    asked = (tmp_path / "asked").read_text()
    assert "enable workerbee.service" in asked and "enable-linger" not in asked
    assert starts(tmp_path) == [], "it is the service that trains"


def test_its_state_is_told_and_it_is_removed(tmp_path: Path) -> None:
    install(tmp_path, ADDRESS, "--yes")
    told = json.loads(workerbee(tmp_path, "service", "status", "--json").out)
    assert told == {
        "event": "service",
        "installed": True,
        "state": "running",
        "run": "sums",
        "boot": False,
        "unobserved": [],
    }
    assert workerbee(tmp_path, "service", "remove").code == 0
    assert not unit(tmp_path).exists()
    assert "not installed" in workerbee(tmp_path, "service").out


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        (("install", ADDRESS, "--yes"), "daemon-reload"),
        (("install", ADDRESS, "--yes"), "enable workerbee.service"),
        (("install", ADDRESS, "--yes"), "restart workerbee.service"),
        (("remove",), "disable --now workerbee.service"),
    ],
)
def test_a_service_manager_that_refuses_is_told_in_its_words_with_what_to_do(
    tmp_path: Path, words: tuple[str, ...], asked: str
) -> None:
    assert install(tmp_path, ADDRESS, "--yes").code == 0
    verb = asked.split()[0]
    refused = workerbee(tmp_path, "service", *words, worker=fake(tmp_path, "good"), REFUSES=verb)
    assert refused.code == ErrorKind.SERVICE_REFUSED.exit_code
    assert refused.err.splitlines()[-3:] == [
        "workerbee: The service manager has refused.",
        f"  `systemctl --user {asked}`: Failed to {verb} unit: Access denied",
        "What it says is named above; `systemctl --user status workerbee` may tell more.",
    ]
    assert unit(tmp_path).exists(), "a service that may still run can be removed again"


def test_without_an_address_the_run_of_last_time_is_meant(tmp_path: Path) -> None:
    nothing = install(tmp_path, "--yes")
    assert nothing.code == ErrorKind.USAGE.exit_code and "No run was helped" in nothing.err
    recent = RecentRun(
        run_id="sums", name="Sums", organiser=fake_worker.ORGANISER, address=ADDRESS, last_state="trained", at=1.0
    )
    RecentRuns(Folders.below(tmp_path / "home").contents.recent_runs_file).remember(recent)
    assert install(tmp_path, "--yes").code == 0


def test_the_invitation_to_a_closed_run_is_kept_for_the_service(tmp_path: Path) -> None:
    """In the link that was pasted, or in a file, which other users of the computer cannot read."""
    pasted, kept = "P" * 60, "K" * 60
    link = dataclasses.replace(JoinAddress.parse(ADDRESS), invitation=pasted).secret_link
    assert install(tmp_path, link, "--yes").code == 0
    (tmp_path / "invitation").write_text(kept)
    assert install(tmp_path, ADDRESS, "--invitation", str(tmp_path / "invitation"), "--yes").code == 0
    known = Folders.below(tmp_path / "home").contents.invitations_file
    assert pasted in known.read_text() and kept in known.read_text()


@contextlib.contextmanager
def service_that_runs(folder: Path, part: str = "good") -> Iterator[None]:
    """`workerbee service run`, which has said something; in the end it is told to end, and does."""
    log = folder / "service.log"
    with log.open("w") as written:
        words = argv(["service", "run"], fake(folder, part))
        service = subprocess.Popen(words, env=environment(folder), stdout=written, stderr=written)
    try:
        wait_for(lambda: log.read_text(), "its first words", LIMIT_SECONDS)
        yield
        service.send_signal(signal.SIGTERM)
        assert service.wait(LIMIT_SECONDS) == 0, log.read_text()
    finally:
        service.kill()
        service.wait()


def test_it_heeds_the_owners_rules_from_the_beginning_on(tmp_path: Path) -> None:
    install(tmp_path, ADDRESS, "--yes")
    here = (tmp_path / "journal").read_text().count(fake_worker.BIRTH)
    with running_program(tmp_path), service_that_runs(tmp_path):
        wait_for(lambda: NAME in (tmp_path / "service.log").read_text(), "the reason", LIMIT_SECONDS)
    assert (tmp_path / "journal").read_text().count(fake_worker.BIRTH) == here, "no worker was started"


def test_rules_that_are_changed_while_it_runs_hold_at_once(tmp_path: Path) -> None:
    install(tmp_path, ADDRESS, "--yes")
    never = msgspec.structs.replace(with_preset(AvailabilityRules(), "always"), hours=("." * 24,) * 7)
    with service_that_runs(tmp_path):
        wait_for(lambda: starts(tmp_path) == [AGREED], "a start", LIMIT_SECONDS)
        save_settings(Folders.below(tmp_path / "home").settings_file, Settings(device="cpu", availability=never))
        wait_for(lambda: "outside your hours" in (tmp_path / "service.log").read_text(), "a pause", LIMIT_SECONDS)


def test_it_trains_without_being_asked_and_says_goodbye_when_it_is_told_to_end(tmp_path: Path) -> None:
    install(tmp_path, ADDRESS, "--yes")
    with service_that_runs(tmp_path):
        wait_for(lambda: starts(tmp_path) == [AGREED], "a start", LIMIT_SECONDS)
        beside = workerbee(tmp_path, "service", "run")
        assert beside.code == ErrorKind.STILL_RUNNING.exit_code, "never two of them"
    assert (tmp_path / "journal").read_text().count('"leave"') == 2, "that of the search, and that of the service"


def test_what_it_gives_is_counted_with_what_the_window_gives(tmp_path: Path) -> None:
    install(tmp_path, ADDRESS, "--yes")
    with service_that_runs(tmp_path):
        wait_for(lambda: starts(tmp_path) == [AGREED], "a start", LIMIT_SECONDS)
        wait_for(lambda: "epoch" in (tmp_path / "service.log").read_text(), "progress", LIMIT_SECONDS)
    [given] = json.loads(workerbee(tmp_path, "contributions", "--by", "run", "--json").out)["rows"]
    assert given["name"] == "Sums" and given["samples"] > 0


def test_a_run_that_has_changed_is_not_trained_and_systemd_does_not_try_again(tmp_path: Path) -> None:
    install(tmp_path, ADDRESS, "--yes")
    changed = workerbee(tmp_path, "service", "run", worker=fake(tmp_path, "be_widened"))
    assert changed.code == ErrorKind.RUN_CHANGED.exit_code
    assert WIDER in changed.err and "service install" in changed.err
    assert starts(tmp_path) == []
    prevented = next(line for line in unit(tmp_path).read_text().splitlines() if "RestartPreventExitStatus" in line)
    assert str(changed.code) in prevented


def test_what_was_never_agreed_to_is_not_trained(tmp_path: Path) -> None:
    install(tmp_path, ADDRESS, "--yes")
    Folders.below(tmp_path / "home").contents.consents_file.unlink()
    assert workerbee(tmp_path, "service", "run").code == ErrorKind.RUN_CHANGED.exit_code
    assert starts(tmp_path) == []


def test_several_runs_are_helped_in_their_order_and_each_change_is_told_with_its_reason(tmp_path: Path) -> None:
    be(tmp_path)
    installed = install(tmp_path, FIRST, "--then", SECOND, "--return-after", "2h", "--yes", part="follow_world")
    assert installed.code == 0, installed.err
    with service_that_runs(tmp_path, "follow_world"):
        wait_for(lambda: started(tmp_path) == ["alpha"], "the first", LIMIT_SECONDS)
        be(tmp_path, alpha="finished")
        wait_for(lambda: started(tmp_path) == ["alpha", "beta"], "the second", LIMIT_SECONDS)
    told = workerbee(tmp_path, "service", "status").out
    assert "1. Alpha" in told and "2. Beta" in told
    assert "Helping “Beta”: “Alpha” has ended" in told
    assert install(tmp_path, SECOND, "--yes", part="follow_world").code == 0
    assert "Its run is “beta”." in workerbee(tmp_path, "service", "status").out, "one run has no order"
