"""The documents' table of hivemind's options: whatever a run file sets arrives in hivemind."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest

from core.files.documents import FOLDER
from core.run.spec.collaboration import LOCAL_SGD_OPTIONS, Collaboration
from tests.integration.foreign.option_probe import MEASURED
from tests.support.real_peers import peer_group, tiny

pytestmark = [pytest.mark.real, pytest.mark.timeout(300)]

ROW = re.compile(r"^\|.*\| `(\w+)` \|$", re.MULTILINE)

NUMBERS: dict[str, Any] = {
    "target_batch_size": 640,
    "batch_size_per_step": 3,
    "matchmaking_time": 4.5,
    "averaging_timeout": 50.0,
    "allreduce_timeout": 33.0,
    "next_chunk_timeout": 44.0,
    "load_state_timeout": 555.0,
    "average_state_every": 3,
    "grad_compression": "uniform_8bit",
    "state_averaging_compression": "scaled_float16",
    "load_state_compression": "float16",
    "average_opt_statistics": ("exp_avg",),
    "bandwidth": 7.0,
    "min_refresh_period": 0.75,
    "default_refresh_period": 2.0,
    "max_refresh_period": 9.0,
    "expected_drift_peers": 5.0,
    "expected_drift_rate": 0.5,
    "performance_ema_alpha": 0.25,
    "metadata_expiration": 45.0,
}
ALL_AT_ONCE: dict[str, Any] = {
    "delay_grad_averaging": False,
    "delay_optimizer_step": False,
    "delay_state_averaging": False,
    "offload_optimizer": False,
}
CLASSES = {
    "uniform_8bit": "Uniform8BitQuantization",
    "scaled_float16": "ScaledFloat16Compression",
    "float16": "Float16Compression",
}

RUNS = (
    tiny(**NUMBERS),
    tiny(**ALL_AT_ONCE, reuse_grad_buffers=True, powersgd_rank=2),
    tiny(**ALL_AT_ONCE, use_local_updates=True),
)


@pytest.fixture(scope="module")
def arrived(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Collaboration, dict[str, Any]]]:
    """What each run says, and what a process that builds hivemind's optimizer for it sees there."""
    folder = tmp_path_factory.mktemp("options")
    for number, run in enumerate(RUNS):
        (folder / f"{number}.json").write_bytes(msgspec.json.encode(run))
    with peer_group(folder) as group:
        probe = group.cold.script("probe", "tests.integration.foreign.option_probe", str(folder))
        assert probe.ended() == 0
    return list(zip((run.collaboration for run in RUNS), probe.said, strict=True))


def rows() -> list[str]:
    """The run file's name of every option in the table."""
    return ROW.findall((FOLDER / "migrating.md").read_text("utf-8"))


def test_the_table_has_every_option_of_plain_hivemind() -> None:
    ours = {"mode", "aggregation", "weight_cap", *LOCAL_SGD_OPTIONS}
    assert set(rows()) == set(Collaboration.__struct_fields__) - ours


def test_a_measured_upload_is_the_bandwidth_unless_the_run_names_one(
    arrived: list[tuple[Collaboration, dict[str, Any]]],
) -> None:
    measured = [seen["bandwidth_once_measured"] for _, seen in arrived]
    assert measured == [shared.bandwidth or MEASURED / 1e6 for shared, _ in arrived]
    assert {MEASURED / 1e6, NUMBERS["bandwidth"]} == set(measured)


@pytest.mark.parametrize("name", rows())
def test_what_is_set_arrives(arrived: list[tuple[Collaboration, dict[str, Any]]], name: str) -> None:
    field = next(field for field in msgspec.structs.fields(Collaboration) if field.name == name)
    told = [(getattr(shared, name), seen[name]) for shared, seen in arrived]
    changed = [(value, seen) for value, seen in told if value != field.default]
    assert changed
    for value, seen in changed:
        assert seen == CLASSES.get(value, list(value) if isinstance(value, tuple) else value)
