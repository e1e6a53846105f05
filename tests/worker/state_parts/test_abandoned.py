"""After a rollback nothing of the swarms that were given up takes a volunteer's disk; other runs' files stay."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.run.steering.rollback import Rollback, swarm_id
from core.worker.swarm.state_parts.abandoned import DOWNLOADS_FOLDER, ROUNDS_FOLDER, remove_abandoned

BACK = Rollback(number=7, epoch=20, at=2e9, sha256=64 * "a")
OWN = swarm_id("sums", "local-sgd", None)
NAMES = (OWN, f"{OWN}~5", f"{OWN}~7", "sums-2", "sums-2~5")


def kept(folder: Path, names: tuple[str, ...] = NAMES) -> set[str]:
    """The swarms of which there is something below that folder, which is made for these."""
    for kind in (ROUNDS_FOLDER, DOWNLOADS_FOLDER):
        for name in names:
            (folder / kind / name).mkdir(parents=True, exist_ok=True)
            (folder / kind / name / "half").write_bytes(bytes(9))
    return {path.name for path in folder.glob("*/*")}


@pytest.mark.parametrize(
    ("rollback", "left"),
    [(None, {OWN}), (BACK, {f"{OWN}~7"}), (Rollback(number=9, epoch=1, at=2e9, sha256=64 * "b"), set())],
)
def test_only_what_belongs_to_the_present_swarm_of_a_run_is_kept(
    rollback: Rollback | None, left: set[str], tmp_path: Path
) -> None:
    kept(tmp_path)
    remove_abandoned(tmp_path, "sums", "local-sgd", rollback)
    assert kept(tmp_path, ()) == {"sums-2", "sums-2~5"} | left


def test_a_link_there_leads_nowhere_else_and_a_folder_without_any_is_as_good(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    kept(elsewhere)
    (tmp_path / "peer" / ROUNDS_FOLDER).mkdir(parents=True)
    (tmp_path / "peer" / ROUNDS_FOLDER / f"{OWN}~5").symlink_to(elsewhere)
    remove_abandoned(tmp_path / "peer", "sums", "local-sgd", None)
    remove_abandoned(tmp_path / "nobody", "sums", "local-sgd", None)
    assert kept(elsewhere, ()) == {*NAMES}
