"""A report names nobody: no person, computer, address, run or key is in it, and its reader still sees who is who."""

from __future__ import annotations

import getpass
import re
import socket
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from core.availability.decision import Decision
from core.files.folders import Folders
from core.hardware.discovery import find_devices
from core.problem_report.contents import report_text
from core.problem_report.redaction import Redaction
from core.records.pauses import PauseLog
from core.records.recent_runs import RecentRun, RecentRuns
from core.records.settings import Settings, save_settings
from core.security.sanitize import short_id

ONE = "12D3KooWDpJ7As7BWAwRMfu1VU2WCqNjvq387JEYKDBj4kx6nXTN"
OTHER = "12D3KooWHhq5bWbSRQEvZwTfGJzjcAGuVeyYvHRBvPp4gVzq5q6b"
SECRETS = (
    ONE,
    OTHER,
    short_id(ONE),
    "QmcgpsyWgH8Y8ajJz1Cu72KnS5uo2Aa2LpzU7kinSupNKC",
    "203.0.113.77",
    "2a00:1450:4001:82a::200e",
    "fe80::1ff:fe23:4567:890a",
    "52:54:00:ab:cd:ef",
    "ada.lovelace@example.org",
    "hf_AbCdEfGhIjKlMnOp",
    "0f" * 32,
    "c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0",
    "/home/ada",
    "ada-laptop",
    "/media/usb/My Bills/prices.csv",
    "/srv/family-miller/bees",
    "/mnt/secret/wb",
    "C:\\Users\\Ada\\My Bills\\prices.csv",
    "\\\\miller-nas\\bees",
    "//miller-nas/bees",
    "~ada/prices.csv",
    "file:///media/usb/prices.csv",
    "miller.lan",
    "bees.fritz.box",
    "nas.local",
    "Ada's Laptop._ssh._tcp.local",
    "miller.ddns.net",
    "ada@miller",
    "Ada's bees",
    "secret-run",
)
PATHS_AND_HOSTS = SECRETS[14:28]
NAMES = (("home", "/home/ada"), ("computer", "ada-laptop"), ("run", "Ada's bees"), ("run", "secret-run"))


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize(
    "line",
    ["{}", "reached {}", "({})", "'{}'", "at {}, again", "x={}\n{}", '{{"of": "{}"}}', "<libp2p.peer.id.ID ({})>"],
)
def test_nothing_that_names_somebody_is_left(secret: str, line: str) -> None:
    redacted = Redaction(NAMES).redacted(line.replace("{}", secret))
    assert secret not in redacted
    assert re.search(r"<[a-z]+ 1>", redacted), redacted


def test_hosts_in_addresses_are_gone() -> None:
    text = (
        f"/ip4/203.0.113.77/tcp/31337/p2p/{ONE} and /dns4/ada.example.org/tcp/1 and https://ada.example.org/x?token=1"
    )
    redacted = Redaction(()).redacted(text)
    assert "ada" not in redacted and "203" not in redacted and "token" not in redacted and ONE not in redacted
    assert "/tcp/31337/" in redacted


def test_the_same_peer_has_the_same_number_and_another_one_another() -> None:
    assert Redaction(()).redacted(f"{ONE} {OTHER} {ONE}") == "<peer 1> <peer 2> <peer 1>"


@pytest.mark.parametrize(
    "line",
    [
        "2026-11-25 10:02:03,123 INFO 4711 core.worker.swarm: epoch 12: loss 2.345 after 1,024 samples",
        "listening on 127.0.0.1 and ::1",
        'File "core/worker/swarm/averaging/averager_process.py", line 120, in _aggregate_with_group',
        "torch 2.13.0+cpu, hivemind 1.1.12, Python 3.11.7",
        "tensor of shape (128, 64): 8,192 numbers",
        "/usr/lib/python3/dist-packages/x.py:12: UserWarning: /dev/shm is small, see /etc/os-release.",
        "org.freedesktop.UPower tells 3 / 4, at 12 MB/s",
    ],
)
def test_what_names_nobody_stays_as_it_is(line: str) -> None:
    assert Redaction(NAMES).redacted(line) == line


@given(some.text(max_size=300))
def test_any_text_can_be_redacted_twice_and_is_then_the_same(text: str) -> None:
    once = Redaction(NAMES).redacted(text)
    assert Redaction(NAMES).redacted(once) == once


def test_the_whole_report_of_this_computer_names_neither_it_nor_its_person(tmp_path: Path) -> None:
    folders = Folders.below(tmp_path)
    folders.prepare()
    save_settings(folders.settings_file, Settings(public_name="Ada's bees", country="LI", threads=3))
    run = RecentRun(run_id="secret-run", name="A secret run", organiser=ONE, address=ONE, last_state="trained", at=1.0)
    RecentRuns(folders.contents.recent_runs_file).remember(run)
    host, user, home = socket.gethostname(), getpass.getuser(), str(Path.home())
    PauseLog(folders.contents.pauses_file).note(
        Decision(), datetime.now().astimezone() - timedelta(minutes=3), "cuda:0"
    )
    told = "\n".join(
        (
            *SECRETS[:12],
            *PATHS_AND_HOSTS,
            f"{user} on {host} in {home}/x",
            "joined secret-run, A secret run, as Ada's bees",
        )
    )
    (folders.logs / "client.log").write_text(told)
    (folders.logs / "worker.log").write_text("x" * 300_000 + f"\nmet {ONE}\n")
    text = report_text(folders, [f"good folders {home}/.local can be written"], find_devices())
    for secret in (*SECRETS[:12], *PATHS_AND_HOSTS, "secret-run", "A secret run", "Ada's bees"):
        assert secret not in text
    for name in (host, user, home):
        assert not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text), name
    assert "free for training" in text, "the last pauses"
    assert "threads = 3" in text and "public_name = (set)" in text and "country = (set)" in text and "met <peer" in text
    assert len(text) < 250_000
