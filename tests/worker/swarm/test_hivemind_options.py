"""What is sent is as small as a run says, and still good enough to learn from."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest
import torch
from hivemind.compression import deserialize_torch_tensor
from hivemind.compression.base import CompressionInfo, TensorRole

from core.protocol.events import RoundFinished
from core.run.requirements import estimate_requirements
from core.run.spec.collaboration import Collaboration, Compression, StateCompression
from core.worker.swarm.averaging.hivemind_options import compression, download_compression, optimizer_options
from core.worker.swarm.averaging.timeouts import exchange_seconds
from tests.support.real_peers import PeerGroup, averaged, tiny

NUMBERS = 2**17
EVERY: tuple[Compression, ...] = get_args(Compression)


@pytest.mark.parametrize("name", EVERY)
def test_a_gradient_arrives_as_small_as_it_is_said_to_be_and_points_the_same_way(name: Compression) -> None:
    gradient = torch.randn(NUMBERS) / 100
    sent = compression(name).compress(gradient, CompressionInfo.from_tensor(gradient))
    needs = estimate_requirements(tiny(grad_compression=name, average_state_every=1000))
    assert len(sent.buffer) / NUMBERS == pytest.approx(needs.traffic_bytes / needs.parameters / 2, rel=0.02)
    arrived = deserialize_torch_tensor(sent)
    assert torch.nn.functional.cosine_similarity(arrived, gradient, dim=0) > 0.99


@pytest.mark.parametrize("name", get_args(StateCompression))
def test_the_optimizers_own_state_is_downloaded_exactly(name: StateCompression) -> None:
    moments = torch.rand(NUMBERS) * 1e-9
    info = CompressionInfo.from_tensor(moments, role=TensorRole.OPTIMIZER)
    sent = download_compression(name).compress(moments, info)
    assert torch.equal(deserialize_torch_tensor(sent), moments)


def test_squares_are_averaged_exactly_because_rounding_makes_some_of_them_negative() -> None:
    random = torch.Generator().manual_seed(0)
    mine, theirs = (torch.randn(20_000, generator=random).mul(3).exp() for _ in range(2))  # of many magnitudes
    difference = (mine + theirs) / 2 - mine
    sent = compression("scaled_float16").compress(difference, CompressionInfo.from_tensor(difference))
    assert bool((mine + deserialize_torch_tensor(sent) < 0).any())
    with pytest.raises(ValueError, match="negative"):
        tiny(average_opt_statistics=("exp_avg_sq",), state_averaging_compression="scaled_float16")


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_peers_that_send_little_average_with_each_other(group: PeerGroup) -> None:
    run = tiny(
        grad_compression="uniform_8bit",
        state_averaging_compression="scaled_float16",
        load_state_compression="scaled_float16",
        average_opt_statistics=("exp_avg",),
    )
    organiser = group.organiser(manifest=run)
    volunteer = group.volunteer(organiser.posted, "volunteer")
    volunteer.wait_for(RoundFinished, lambda event: averaged(event) and event.kind == "gradients")
    volunteer.wait_for(RoundFinished, lambda event: averaged(event) and event.kind == "state")


def test_an_exchange_is_waited_for_as_long_as_the_run_gives_it_or_a_slow_line_needs() -> None:
    """hivemind's time limit is one for search and exchange together, and for an exchange that goes on after it, too."""
    run = Collaboration(target_batch_size=64, batch_size_per_step=8, averaging_timeout=60.0, allreduce_timeout=600.0)
    told = [run, msgspec.structs.replace(run, allreduce_timeout=None)]
    limits = [optimizer_options(each, 10**8)["averaging_timeout"] for each in told]
    assert limits == [660.0, 60.0 + exchange_seconds(10**8)]
