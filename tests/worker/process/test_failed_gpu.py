"""A GPU that fails in the middle of training: told once, in words; another worker goes on with the run's state."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from core.errors import ErrorKind
from core.protocol.codec import decode_event
from core.protocol.events import AnyEvent, Failed, Progress, Restarting, RoundFinished, TrainingStarted
from core.worker.__main__ import _failure
from tests.support.computer import failing_gpu
from tests.support.real_peers import PATIENCE_SECONDS, START_SECONDS, LineProcess, averaged, peer_group

HINT = "CUDA kernel errors might be asynchronously reported at some other API call."


@pytest.mark.parametrize(
    "error",
    [
        torch.AcceleratorError(f"{failing_gpu.WORDS}\n{HINT}"),
        RuntimeError("CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling `cublasSgemm(…)`"),
        RuntimeError("cuDNN error: CUDNN_STATUS_EXECUTION_FAILED"),
    ],
)
def test_it_is_a_crash_after_which_another_worker_is_tried_and_says_the_first_line(error: Exception) -> None:
    failed = _failure(error)
    assert ErrorKind.from_key(failed.problem) is ErrorKind.WORKER_CRASHED
    assert str(error).splitlines()[0] in str(failed.detail) and HINT not in str(failed.detail)


def test_an_error_of_the_program_is_still_one_that_is_to_be_reported() -> None:
    assert ErrorKind.from_key(_failure(RuntimeError("shapes differ")).problem) is ErrorKind.INTERNAL


def test_memory_that_ran_out_is_no_failure_of_the_gpu() -> None:
    assert ErrorKind.from_key(_failure(torch.OutOfMemoryError("CUDA out of memory")).problem) is ErrorKind.OUT_OF_MEMORY


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_run_goes_on_once_the_driver_takes_it_again_and_what_happened_is_told_once(tmp_path: Path) -> None:
    with peer_group(tmp_path) as group:
        organiser = group.organiser()
        options = ["--yes", "--always", "--json", "--device", "cpu", "--threads", "1", "--network", "direct"]
        home = {"WORKERBEE_HOME": str(tmp_path / "home"), failing_gpu.FAILED: str(tmp_path / "failed")}
        command = [*failing_gpu.CLIENT, "join", organiser.posted, *options]
        client = LineProcess[AnyEvent](command, tmp_path / "client.log", decode_event, is_warm=False, **home)
        try:
            failed = client.wait_for(Failed, seconds=START_SECONDS)
            assert ErrorKind.from_key(failed.problem) is ErrorKind.WORKER_CRASHED
            assert failing_gpu.WORDS in str(failed.detail)
            refused = client.wait_for(Failed, lambda event: event != failed, seconds=START_SECONDS)
            assert (ErrorKind.from_key(refused.problem), str(refused.detail)) == (
                ErrorKind.GPU_UNUSABLE,
                failing_gpu.REFUSAL,
            )
            since = len(client.said)
            client.wait_for(TrainingStarted, since=since, seconds=START_SECONDS)
            client.wait_for(Progress, lambda event: event.contributed_samples > 0, since=since)
            client.wait_for(RoundFinished, averaged, since=since, seconds=PATIENCE_SECONDS)
            assert client.all(Failed) == [failed, refused]
            assert [restart.attempt for restart in client.all(Restarting)] == [1, 2]
        finally:
            client.end()
