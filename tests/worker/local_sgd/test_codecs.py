"""Codecs of weight changes: their size, their error, and what they refuse."""

from __future__ import annotations

import hashlib
from typing import get_args

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.run.requirements import _traffic_bytes
from core.run.spec.collaboration import DeltaCodec
from core.worker.swarm.local_sgd.codecs.encoded_tensors import PART_NUMBERS, EncodedTensors
from core.worker.swarm.local_sgd.codecs.error_feedback import largest
from core.worker.swarm.local_sgd.codecs.wire import codec
from tests.support.real_peers import tiny

CODECS: tuple[DeltaCodec, ...] = ("fp16", "int8", "int4")
ERRORS = {"fp16": 3e-4, "int8": 0.008, "int4": 0.11}  # of normally distributed numbers, as a share of their norm
BYTES = {"fp16": 2.001, "int8": 1.01, "int4": 0.5626}  # a number, for a long vector
HASHES = {
    "fp16": ("babf28713e15ef20", "e5b4f46768fcc9b6"),
    "int8": ("fb5a13d2dbca0112", "b30b89fe2dd7b776"),
    "int4": ("fc4cf96efa913687", "ec75059bd807437e"),
}
"""Of the encoding of `exact_numbers`, and of what it decodes to: peers of all versions must have these bits."""


def exact_numbers() -> torch.Tensor:
    """700,001 numbers, the same on every processor, some blocks of zeros among them."""
    numbers = (torch.arange(700_001) * 7919 % 8191 - 4095).float() / 2**20
    numbers[1000:3000] = 0.0
    return numbers


def blake2(tensor: torch.Tensor) -> str:
    """The hash of its bytes."""
    return hashlib.blake2b(tensor.numpy().tobytes(), digest_size=8).hexdigest()


@pytest.mark.parametrize("name", CODECS)
def test_the_bits_of_a_codec_are_for_ever(name: DeltaCodec) -> None:
    encoded = codec(name).encode(exact_numbers())
    assert (blake2(encoded), blake2(codec(name).decode(encoded, 700_001))) == HASHES[name]


@pytest.mark.parametrize("name", CODECS)
@pytest.mark.parametrize("magnitude", [1e-12, 1e-4, 1.0, 1e6])
def test_the_error_is_small_whatever_the_magnitude(name: DeltaCodec, magnitude: float) -> None:
    numbers = magnitude * torch.randn(10_000, generator=torch.Generator().manual_seed(1))
    decoded = codec(name).decode(codec(name).encode(numbers), len(numbers))
    assert float((decoded - numbers).norm() / numbers.norm()) < ERRORS[name]


@pytest.mark.parametrize("name", CODECS)
def test_so_many_bytes_are_sent(name: DeltaCodec) -> None:
    numbers = torch.randn(100_000)
    assert len(codec(name).encode(numbers)) == codec(name).size(len(numbers)) <= BYTES[name] * len(numbers)


@pytest.mark.parametrize("name", CODECS)
@given(count=st.integers(1, 700), seed=st.integers(0, 2**31))
def test_a_vector_of_any_length_keeps_its_length_its_zeros_and_its_bound(
    name: DeltaCodec, count: int, seed: int
) -> None:
    numbers = torch.randn(count, generator=torch.Generator().manual_seed(seed))
    numbers[::3] = 0.0
    decoded = codec(name).decode(codec(name).encode(numbers), count)
    assert decoded.shape == numbers.shape
    assert not decoded[::3].any()
    largest = numbers.abs().max()
    step = largest / {"fp16": 1000, "int8": 127, "int4": 7}[name]
    assert float((decoded - numbers).abs().max()) <= 0.51 * float(step) + 1e-12


@pytest.mark.parametrize("name", CODECS)
def test_encoding_what_was_decoded_changes_nothing(name: DeltaCodec) -> None:
    once = codec(name).decode(codec(name).encode(torch.randn(1000)), 1000)
    twice = codec(name).decode(codec(name).encode(once), 1000)
    torch.testing.assert_close(once, twice, rtol=0.01, atol=0)


@pytest.mark.parametrize("name", CODECS)
def test_what_is_no_encoding_of_so_many_numbers_is_refused(name: DeltaCodec) -> None:
    encoded = codec(name).encode(torch.randn(1000))
    for wrong, count in ((encoded, 1500), (encoded[:-1], 1000), (encoded.float(), 1000), (encoded[None], 1000)):
        with pytest.raises(ValueError, match="no encoding of"):
            codec(name).decode(wrong, count)


@pytest.mark.parametrize("name", CODECS)
def test_scales_that_are_not_finite_are_refused(name: DeltaCodec) -> None:
    encoded = codec(name).encode(torch.randn(1000))
    encoded[:4] = 0xFF
    with pytest.raises(ValueError, match="not finite"):
        codec(name).decode(encoded, 1000)


@pytest.mark.parametrize("name", get_args(DeltaCodec))
def test_the_traffic_that_a_run_is_said_to_have_is_what_its_codec_sends(name: DeltaCodec) -> None:
    run = tiny(mode="local-sgd", delta_codec=name)
    parameters = 1_000_000  # as if the model had so many
    told = _traffic_bytes(parameters, run.collaboration) / 2  # sent and received
    assert codec(name).size(parameters) == pytest.approx(told, rel=0.01)


@pytest.mark.parametrize("name", CODECS)
def test_tensors_are_kept_as_encodings_of_their_parts(name: DeltaCodec) -> None:
    tensors = [torch.randn(3, PART_NUMBERS // 2), torch.randn(7), torch.zeros(2, 2)]
    kept = EncodedTensors.of(tensors, codec(name))
    assert kept.lengths() == [PART_NUMBERS, PART_NUMBERS // 2, 7, 4]
    assert sum(map(len, kept.parts())) <= 1.001 * BYTES[name] * sum(kept.lengths()) + 64
    for index, tensor in enumerate(tensors):
        decoded = kept.decoded(index)
        assert decoded.shape == tensor.shape
        assert float((decoded - tensor).norm()) <= ERRORS[name] * float(tensor.norm()) * (3 if index else 1)
    assert kept.size(0) == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize("name", get_args(DeltaCodec))
def test_parts_take_the_place_of_others_and_none_stands_for_zeros(name: DeltaCodec) -> None:
    sparse = largest(torch.randn(2 * 4096))
    kept = EncodedTensors.of([sparse, torch.zeros(7)], codec(name))
    other = EncodedTensors([(2 * 4096,), (7,)], codec(name), is_shared=True)
    assert not other.is_whole and not other.decoded(0).any()
    other.copy_(kept)
    assert other.is_whole
    assert torch.equal(other.decoded(0), kept.decoded(0))
    with pytest.raises(ValueError, match="no encoding"):
        other.put(1, torch.zeros(codec(name).room(7) + 1, dtype=torch.uint8))
    other.clear()
    assert not other.is_whole and len(other.part(0)) == 0
