"""A tokenizer that fails in the middle of the data ends the training in words; nobody waits for it for ever."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.errors import ErrorKind, UserError
from core.worker.data.prefetch import Prefetch
from core.worker.data.token_blocks import PackedBlocks
from core.worker.data.tokenizers import PretrainedTokenizer
from core.worker.fetch.background_task import BackgroundTask
from tests.support.recorders import RecordingListener

WHOLE: dict[str, Any] = {
    "version": "1.0",
    "truncation": None,
    "padding": None,
    "added_tokens": [],
    "normalizer": None,
    "pre_tokenizer": None,
    "post_processor": None,
    "decoder": None,
    "model": {"type": "WordLevel", "vocab": {"a": 0, "[END]": 1}, "unk_token": "a"},
}
NO_UNKNOWN = {"type": "BPE", "vocab": {"a": 0, "[END]": 1}, "merges": [], "unk_token": "zz"}
# a prefix longer than the merged token, which the library cuts off without looking (a panic in its release 0.23)
SHORT_MERGE = {
    "type": "BPE",
    "vocab": {"h": 0, "e": 1, "he": 2},
    "merges": ["h e"],
    "continuing_subword_prefix": "###########",
}


def tokenizer(folder: Path, **changed: Any) -> PretrainedTokenizer:
    (folder / "tokenizer.json").write_text(json.dumps(WHOLE | changed))
    (folder / "special_tokens_map.json").write_text('{"eos_token": "[END]"}')
    return PretrainedTokenizer(folder)


class SomeDocuments:
    """Documents without end, of which each is ``text``."""

    def __init__(self, text: str) -> None:
        self._text = text

    def read(self, order: object, task: BackgroundTask) -> Iterator[str]:
        while True:
            yield self._text


@pytest.mark.parametrize("changed", [{"pre_tokenizer": {"type": "FixedLength", "length": 0}}, {"model": NO_UNKNOWN}])
def test_a_tokenizer_that_fails_while_data_are_read_ahead_fails_the_training(
    tmp_path: Path, changed: dict[str, Any]
) -> None:
    blocks = PackedBlocks(
        SomeDocuments("hello world"),
        tokenizer(tmp_path, **changed),
        sequence_length=8,
        held_out_one_in=10_000,
        seed="1",
        listener=RecordingListener(),
    )
    with pytest.raises(UserError, match=r"tokenizer\.json fails with a text of this run") as failed:
        blocks.draw(1)
    assert failed.value.problem is ErrorKind.FILES_REFUSED
    blocks.close()


def test_a_tokenizer_that_panics_while_it_is_loaded_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"tokenizer\.json cannot be read"):
        tokenizer(tmp_path, model=SHORT_MERGE)


def test_a_tokenizer_without_tokens_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError):
        tokenizer(tmp_path, model={"type": "WordLevel", "vocab": {}, "unk_token": "a"})


def test_whatever_ends_the_reading_thread_reaches_whoever_waits() -> None:
    class PanicError(BaseException):
        """No Exception, as pyo3's is none."""

    def source(task: BackgroundTask) -> Iterator[int]:
        yield 1
        raise PanicError

    ahead = Prefetch(source, 2, RecordingListener())
    assert ahead.take() == 1
    for _ in range(2):
        with pytest.raises(PanicError):
            ahead.take()
