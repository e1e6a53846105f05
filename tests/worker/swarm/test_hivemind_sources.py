"""Every remedy for hivemind is marked, described, and written for the very source that is installed."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest

from tests.support.checkout import ROOT
from tests.worker.swarm.hivemind_sources import overridden, table

PAGE = (ROOT / "resources/docs/hivemind.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"^\| (H\d+) \|.*\| `(core/\S+\.py)` \|", PAGE, re.MULTILINE))
DIFFS = re.findall(r"^```diff\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
RECORDED = [(remedy, name, recorded) for remedy, names in table().items() for name, recorded in names.items()]


def markers() -> set[tuple[str, str]]:
    """Every marker in the worker with the file that it stands in; a marker without an id has an empty one."""
    sources = {path: path.read_text(encoding="utf-8") for path in (ROOT / "core/worker").rglob("*.py")}
    return {
        (found.group(1) or "", path.relative_to(ROOT).as_posix())
        for path, source in sources.items()
        for found in re.finditer(r"WORKAROUND(?: (H\d+))?:", source)
    }


@pytest.fixture(scope="module")
def installed() -> dict[str, dict[str, str]]:
    """The hashes of what is installed, from a new process: a test of the same one may have applied the remedies."""
    program = "import json; from tests.worker.swarm.hivemind_sources import installed; print(json.dumps(installed()))"
    printed = subprocess.run([sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
    hashes: dict[str, dict[str, str]] = json.loads(printed)
    return hashes


@pytest.mark.parametrize(("remedy", "name", "recorded"), RECORDED, ids=[name for _, name, _ in RECORDED])
def test_hivemind_is_as_it_was_when_its_remedy_was_written(
    installed: dict[str, dict[str, str]], remedy: str, name: str, recorded: str
) -> None:
    assert installed[remedy][name] == recorded, f"{name} has changed: look at {remedy} in {FILES[remedy]}"


def test_whatever_we_override_has_its_hash() -> None:
    assert overridden() <= {name for _, name, _ in RECORDED}


def test_every_remedy_has_a_row_and_every_row_a_remedy_in_that_file() -> None:
    assert markers() == set(FILES.items())
    assert table().keys() <= FILES.keys()


def test_every_file_that_the_page_names_is_there() -> None:
    named = re.findall(r"`((?:core|tests)/[\w/.]+)`", PAGE)
    assert named and [name for name in named if not (ROOT / name).exists()] == []


CHECKS = """
import re, struct, time
from hivemind.dht.crypto import RSASignatureValidator
from hivemind.utils import MSGPackSerializer
from hivemind.utils.crypto import RSAPrivateKey
from hivemind.utils.timed_storage import TimedStorage
import msgpack
tower = msgpack.packb(b"")
for _ in range(300):
    tower = msgpack.packb([msgpack.ExtType(0x40, tower)])
try:
    MSGPackSerializer.loads(tower)
except ValueError:
    pass
else:
    raise SystemExit("H3")
started = time.monotonic()
RSASignatureValidator._PUBLIC_KEY_RE.findall(b"[owner:" * 6000)
assert time.monotonic() - started < 1, "H29"
key = RSAPrivateKey()
assert RSAPrivateKey.from_bytes(key.to_bytes()).get_public_key().to_bytes() == key.get_public_key().to_bytes(), "H38"
stored = TimedStorage()
stored.store("a", 1, time.time() + 60)
assert not stored.store("a", 2, time.time() + 0.05)
time.sleep(0.1)
assert stored.get("a") is not None, "H85"
"""


def test_the_patches_for_upstream_apply_and_do_what_they_say(tmp_path: Path) -> None:
    installed = Path(str(distribution("hivemind").locate_file("hivemind")))
    shutil.copytree(installed, tmp_path / "hivemind", ignore=shutil.ignore_patterns("__pycache__", "p2pd"))
    (tmp_path / "all.diff").write_text("".join(DIFFS), encoding="utf-8")
    git = ["git", "apply", "--whitespace=nowarn", "all.diff"]
    applied = subprocess.run(git, cwd=tmp_path, capture_output=True, text=True, env={"GIT_CEILING_DIRECTORIES": "/"})
    assert (applied.returncode, applied.stderr) == (0, "")
    run = [sys.executable, "-W", "ignore", "-m"]
    assert subprocess.run([*run, "compileall", "-q", "hivemind"], cwd=tmp_path, check=False).returncode == 0
    checked = subprocess.run([sys.executable, "-c", CHECKS], cwd=tmp_path, capture_output=True, text=True)
    assert (checked.returncode, checked.stderr) == (0, "")
