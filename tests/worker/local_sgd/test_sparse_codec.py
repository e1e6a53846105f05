"""The codec of sparse changes, and the error feedback that makes them sparse."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.run.requirements import received_share
from core.worker.swarm.local_sgd.codecs.error_feedback import BLOCK, KEPT, ErrorFeedback, in_blocks, largest
from core.worker.swarm.local_sgd.codecs.sparse import MAX_KEPT, SparseCodec
from core.worker.swarm.local_sgd.codecs.wire import codec
from tests.support.real_peers import tiny
from tests.worker.local_sgd.test_codecs import blake2, exact_numbers

CODEC = SparseCodec()
HASHES = "3306d9b9ae5ade04", "c1029a3d91c47089"
"""Of an encoding, and of what it decodes to: peers of all versions must have these bits."""


def sparse(count: int, seed: int = 1) -> torch.Tensor:
    """Numbers of which one peer would send as many as are not zero."""
    return largest(torch.randn(count, generator=torch.Generator().manual_seed(seed)))


def test_the_bits_of_the_codec_are_for_ever() -> None:
    numbers = exact_numbers() * (torch.arange(700_001) % 61 == 0)
    encoded = codec("topk").encode(numbers)
    assert (blake2(encoded), blake2(CODEC.decode(encoded, 700_001))) == HASHES


@given(count=st.integers(1, 3 * BLOCK), seed=st.integers(0, 2**31))
def test_a_vector_of_any_length_keeps_its_zeros_and_has_a_small_error(count: int, seed: int) -> None:
    numbers = sparse(count, seed)
    decoded = CODEC.decode(CODEC.encode(numbers), count)
    assert decoded.shape == numbers.shape
    assert not decoded[numbers == 0].any()
    assert float((decoded - numbers).norm()) <= 0.01 * float(numbers.norm())


def test_so_many_bytes_are_sent() -> None:
    numbers = sparse(25 * BLOCK)
    assert len(CODEC.encode(numbers)) == pytest.approx(CODEC.size(len(numbers)), rel=0.01)
    assert CODEC.size(len(numbers)) <= 0.0321 * len(numbers)


@given(count=st.integers(1, 3 * BLOCK), kept=st.integers(0, BLOCK), seed=st.integers(0, 2**31))
def test_numbers_wherever_they_stand_have_room(count: int, kept: int, seed: int) -> None:
    """At the end of each block, the gaps are as long as they can be."""
    random = torch.Generator().manual_seed(seed)
    for numbers in (torch.arange(count) % BLOCK >= BLOCK - kept, torch.randperm(count, generator=random) < kept):
        encoded = CODEC.encode(numbers.float())
        assert len(encoded) <= CODEC.room(count)
        found = CODEC.decode(encoded, count) != 0
        assert not found[~numbers].any()
        assert torch.equal(in_blocks(found).sum(dim=1), in_blocks(numbers).sum(dim=1).clamp(max=MAX_KEPT))


def test_an_average_of_too_many_keeps_the_largest_of_each_block() -> None:
    numbers = torch.randn(2 * BLOCK)
    encoded = CODEC.encode(numbers)
    assert len(encoded) < 0.38 * len(numbers)
    decoded = CODEC.decode(encoded, len(numbers)).view(2, BLOCK)
    for kept, block in zip(decoded, numbers.view(2, BLOCK), strict=True):
        assert set(kept.nonzero().view(-1).tolist()) <= set(block.abs().topk(MAX_KEPT).indices.tolist())


def test_what_is_no_encoding_of_so_many_numbers_is_refused() -> None:
    count = 2 * BLOCK + 100
    encoded = CODEC.encode(sparse(count))
    many, negative, beyond, unended, wrong_scale = (encoded.clone() for _ in range(5))
    many[2] = 1
    negative[3] = 0x80
    wrong_scale[4:10] = 0xFF
    beyond[-3 * KEPT - 1] += 100  # the last gap; the block has 100 numbers
    unended[-3 * KEPT - 1] = 255
    nothing_but_zeros = torch.cat([torch.zeros(10, dtype=torch.uint8), torch.full((10_000,), 255, dtype=torch.uint8)])
    wrong_lengths = encoded[:-1], encoded[:5], nothing_but_zeros
    for wrong in (*wrong_lengths, encoded.float(), encoded[None], many, negative, unended):
        with pytest.raises(ValueError, match="no encoding of"):
            CODEC.decode(wrong, count)
    with pytest.raises(ValueError, match="behind the end"):
        CODEC.decode(beyond, count)
    with pytest.raises(ValueError, match="not finite"):
        CODEC.decode(wrong_scale, count)


@given(encoded=st.binary(max_size=400), count=st.integers(1, 2 * BLOCK))
def test_any_bytes_are_decoded_to_so_many_numbers_or_refused(encoded: bytes, count: int) -> None:
    try:
        decoded = CODEC.decode(torch.frombuffer(bytearray(encoded or b"0"), dtype=torch.uint8), count)
    except ValueError:
        return
    assert decoded.shape == (count,) and bool(decoded.isfinite().all())


def test_what_is_left_out_is_sent_later() -> None:
    feedback, change = ErrorFeedback(), torch.randn(BLOCK)
    sent = torch.zeros(BLOCK)
    for _ in range(100):
        delta = change.clone()
        feedback.begin()
        feedback.select(delta)
        assert int((delta != 0).sum()) <= KEPT
        feedback.commit()
        sent += delta
    cosine = torch.nn.functional.cosine_similarity(sent, change, dim=0)
    assert float(cosine) > 0.8
    assert float(torch.nn.functional.cosine_similarity(largest(change), change, dim=0)) < 0.4


def test_a_round_that_fails_changes_nothing_of_what_is_left_out() -> None:
    once, twice = ErrorFeedback(), ErrorFeedback()
    for feedback, tries in ((once, 1), (twice, 3)):
        first = torch.arange(float(BLOCK))
        feedback.begin()
        feedback.select(first)
        feedback.commit()
        for _ in range(tries):
            second = torch.ones(BLOCK)
            feedback.begin()
            feedback.select(second)
        feedback.commit()
    third, again = torch.zeros(BLOCK), torch.zeros(BLOCK)
    once.begin()
    once.select(third)
    twice.begin()
    twice.select(again)
    assert torch.equal(third, again)
    assert third.any()


@pytest.mark.parametrize("senders", [1, 3, 12, 20])
def test_what_is_received_of_so_many_senders_is_what_a_run_is_said_to_receive(senders: int) -> None:
    one, every = 8 * BLOCK, senders * KEPT
    order = torch.stack([torch.randperm(BLOCK, generator=torch.Generator().manual_seed(block)) for block in range(8)])
    average = torch.zeros(8, BLOCK).scatter_(1, order[:, :every], 1.0)  # no two have sent the same places
    share = len(CODEC.encode(average.view(-1))) / CODEC.size(one)
    assert share == pytest.approx(
        received_share(tiny(mode="local-sgd", delta_codec="topk").collaboration, senders), rel=0.03
    )
