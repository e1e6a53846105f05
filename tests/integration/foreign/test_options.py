"""Whatever a run file sets arrives: the documents' table of hivemind's options, our own, and the learning rate."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest

from core.files.documents import FOLDER
from core.run.manifest import RunManifest, SchedulerSpec
from core.run.spec.collaboration import LOCAL_SGD_OPTIONS, Collaboration
from core.run.spec.optimizer import AdamW
from tests.integration.foreign.option_probe import MEASURED, RATE_EPOCHS
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
    "aggregation": "centered-clip",
    "weight_cap": 2.5,
}
LOCAL_NUMBERS: dict[str, Any] = {
    "mode": "local-sgd",
    "max_round_seconds": 99.0,
    "inner_steps_min": 3,
    "inner_steps_max": 12,
    "outer_lr": 0.5,
    "outer_momentum": 0.25,
    "delta_codec": "int4",
    "overlap": "delayed",
    "max_stale_rounds": 1,
    "aggregation": "mean",
    "weight_cap": 3.5,
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

RATE = 0.4
NOT_BUILT_WITH = ("mode", "mirror")  # the class, and what its reader is given


def scheduled(run: RunManifest, **schedule: Any) -> RunManifest:
    """The run with that schedule of its learning rate."""
    return msgspec.structs.replace(run, optimizer=AdamW(learning_rate=RATE), scheduler=SchedulerSpec(**schedule))


RUNS = (
    scheduled(tiny(**NUMBERS), kind="cosine", total_epochs=10),
    scheduled(tiny(**ALL_AT_ONCE, reuse_grad_buffers=True, powersgd_rank=2), kind="exponential", gamma=0.5),
    scheduled(tiny(**ALL_AT_ONCE, use_local_updates=True), kind="linear", warmup_epochs=3, total_epochs=7),
    scheduled(tiny(**LOCAL_NUMBERS), kind="linear", total_epochs=10),
    scheduled(tiny(mode="local-sgd", delta_codec="topk"), warmup_epochs=3),
)
# the shares of the full rate in epochs 0, 1, 2, 5 and 9
SHARES = (
    [1.0, 0.97553, 0.90451, 0.5, 0.02447],
    [1.0, 0.5, 0.25, 0.5**5, 0.5**9],
    [0.25, 0.5, 0.75, 0.5, 0.0],
    [1.0, 0.9, 0.8, 0.5, 0.1],
    [0.25, 0.5, 0.75, 1.0, 1.0],
)


@pytest.fixture(scope="module")
def arrived(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Collaboration, dict[str, Any]]]:
    """What each run says, and what a process that builds its optimizer sees there."""
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


def options() -> list[str]:
    """Every option with which an optimizer is built."""
    return [name for name in Collaboration.__struct_fields__ if name not in NOT_BUILT_WITH]


@pytest.mark.parametrize("name", options())
def test_what_is_set_arrives(arrived: list[tuple[Collaboration, dict[str, Any]]], name: str) -> None:
    field = next(field for field in msgspec.structs.fields(Collaboration) if field.name == name)
    told = [(getattr(shared, name), seen.get(name)) for shared, seen in arrived]
    changed = [(value, seen) for value, seen in told if value != field.default]
    assert changed
    for value, seen in changed:
        assert seen == CLASSES.get(value, list(value) if isinstance(value, tuple) else value)


def test_the_model_is_stepped_with_the_learning_rate_of_the_epoch(
    arrived: list[tuple[Collaboration, dict[str, Any]]],
) -> None:
    for (_, seen), shares in zip(arrived, SHARES, strict=True):
        assert len(shares) == len(RATE_EPOCHS)
        assert seen["learning_rates"] == pytest.approx([RATE * share for share in shares], rel=1e-3)
