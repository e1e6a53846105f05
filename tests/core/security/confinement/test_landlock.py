"""Landlock on this computer's kernel, also as if it were an older one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from core.security.confinement.landlock import abi_version, gaps_of
from tests.core.security.confinement.confined_child import run_confined

pytestmark = pytest.mark.skipif(sys.platform != "linux" or abi_version() < 1, reason="this kernel has no Landlock")

RESTRICT = """
from core.security.confinement.landlock import refuse_new_privileges, restrict_files
own, others, abi = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
refuse_new_privileges()
restrict_files([*system_grants(), Grant(own, "write"), Grant(others, "list"), Grant(Path("/not/there"), "read")], abi)
"""
TRY = """
say(tried((own / "new").touch), tried((own / "new").read_bytes), tried((own / "new").unlink))
(own / "a").mkdir(); (own / "b").mkdir(); (own / "a" / "file").touch()
say(tried(lambda: (own / "a" / "file").rename(own / "b" / "file")))
say(tried(lambda: list(others.iterdir())), tried((others / "secret").read_bytes), tried((others / "new").touch))
say(tried(lambda: os.truncate(others / "secret", 0)))
say(tried(lambda: os.kill(os.getppid(), 0)))
say(tried(lambda: Path("/proc/self/comm").write_text("thread")), tried(lambda: Path("/proc/1/comm").write_text("x")))
"""


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """A folder that is granted, and one with a secret that may only be listed."""
    own, others = tmp_path / "own", tmp_path / "others"
    own.mkdir()
    others.mkdir()
    (others / "secret").write_text("secret")
    return own, others


@pytest.mark.parametrize("abi", [version for version in range(1, 8) if version <= abi_version()])
def test_files_are_closed_by_every_version_and_the_gaps_of_the_older_ones_are_told(
    folders: tuple[Path, Path], abi: int
) -> None:
    own, moved, others, emptied, signalled, named = run_confined(RESTRICT + TRY, *folders, str(abi))
    gaps = set(gaps_of(abi))
    assert own == "possible possible possible"
    assert moved == ("possible" if abi >= 2 else "EXDEV")
    assert others == "possible EACCES EACCES"
    assert emptied == ("possible" if "truncation" in gaps else "EACCES")
    assert signalled == ("possible" if "signals" in gaps else "EPERM")
    assert named == "possible EACCES", "CUDA names its threads, and nobody else's"


COMPILE = """
say(subprocess.run([sys.argv[4]]).returncode, tried(lambda: subprocess.run([sys.argv[5]])))
"""


@pytest.mark.parametrize("is_named", [True, False], ids=["named by CC", "found by the PATH"])
def test_a_compiler_anywhere_can_be_run_with_its_libraries_and_no_other_program(
    folders: tuple[Path, Path], tmp_path: Path, *, is_named: bool
) -> None:
    """As torch.compile does. A wrapper calls the program beside it, as a compiler calls its parts."""
    own, others = folders
    wrapper, real, other = tmp_path / "chain/bin/gcc", tmp_path / "chain/lib/cc1", tmp_path / "other/bin/tool"
    for program, text in ((wrapper, f"exec {real}"), (real, "exit 7"), (other, "exit 0")):
        program.parent.mkdir(parents=True)
        program.write_text(f"#!/bin/sh\n{text}\n")
        program.chmod(0o755)
    where = {"CC": f"{wrapper} -O2"} if is_named else {"PATH": f"{wrapper.parent}:/usr/bin:/bin"}
    said = run_confined(RESTRICT + COMPILE, own, others, str(abi_version()), wrapper, other, **where)
    assert said == ["7 EACCES"]


@pytest.mark.parametrize("is_linked", [False, True], ids=["a folder", "a link to a folder"])
def test_a_compiler_in_a_hidden_folder_of_the_home_opens_none_of_it(tmp_path: Path, *, is_linked: bool) -> None:
    compiler, home = tmp_path / "person/.local/bin/gcc", tmp_path / ("home" if is_linked else "person")
    compiler.parent.mkdir(parents=True)
    compiler.symlink_to("/bin/true")
    if is_linked:
        home.symlink_to(tmp_path / "person")
    script = "say([grant.path for grant in system_grants() if '.local' in str(grant.path)])"
    assert run_confined(script, HOME=str(home), CC=str(compiler)) == ["[]"]


def test_without_landlock_all_of_it_is_a_gap() -> None:
    assert set(gaps_of(0)) == {"files", "network", "signals"}


def test_what_is_written_cannot_be_run(folders: tuple[Path, Path]) -> None:
    script = """
program = own / "program"
program.write_text("#!/bin/sh\\n")
program.chmod(0o700)
say(tried(lambda: subprocess.run([program])), tried(lambda: subprocess.run(["/bin/true"], check=True)))
"""
    assert run_confined(RESTRICT + script, *folders, str(abi_version())) == ["EACCES possible"]
