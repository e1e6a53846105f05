"""Tokenizers: bytes, and those of the Hugging Face hub, read as data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import msgspec

from core.errors import ErrorKind, UserError
from core.localizable import LocalizedText, localized
from core.run.spec.data import BYTE_TOKENS

END_OF_TEXT, MASK = 256, 257


class Tokenizer(Protocol):
    """Text to tokens and back. ``end_token`` ends every document; ``mask_token`` hides a token that is predicted."""

    @property
    def vocabulary_size(self) -> int: ...

    @property
    def end_token(self) -> int: ...

    @property
    def mask_token(self) -> int | None: ...

    def encode(self, text: str) -> Sequence[int]: ...

    def decode(self, tokens: Sequence[int]) -> str: ...


class ByteTokenizer:
    """A tokenizer with 258 tokens: every byte, the end of a text, and the mask."""

    vocabulary_size = BYTE_TOKENS
    end_token = END_OF_TEXT
    mask_token: int | None = MASK

    def encode(self, text: str) -> Sequence[int]:
        """The bytes of the text in UTF-8, as tokens."""
        return text.encode("utf-8", "replace")

    def decode(self, tokens: Sequence[int]) -> str:
        """The text of the bytes among the tokens; others are left out."""
        return bytes(token for token in tokens if token < END_OF_TEXT).decode("utf-8", "replace")


@contextmanager
def _failures_in_words(title: LocalizedText) -> Iterator[None]:
    """A context in which whatever the library raises becomes a UserError.

    Written in Rust, it raises bare Exceptions, and where it panics, pyo3's PanicException, which is none: a
    BaseException that no module exports.
    """
    try:
        yield
    except BaseException as error:
        if isinstance(error, Exception) or type(error).__name__ == "PanicException":
            raise UserError(ErrorKind.FILES_REFUSED, localized("%1: %2.", title, f"{error!s:.300}")) from error
        raise


class PretrainedTokenizer:
    """A tokenizer of the Hugging Face hub, read from its ``tokenizer.json`` without running any code of it."""

    def __init__(self, folder: Path) -> None:
        from tokenizers import Tokenizer as Library

        with _failures_in_words(localized("tokenizer.json cannot be read")):
            self._library = Library.from_file(str(folder / "tokenizer.json"))
            self._library.no_truncation()
            self._library.no_padding()
            self._vocabulary_size = max(self._library.get_vocab(with_added_tokens=True).values(), default=-1) + 1
        self._named = special_tokens(folder)
        end = self._special("eos_token", "sep_token", "pad_token")
        if end is None:
            raise UserError(ErrorKind.FILES_REFUSED, localized("The tokenizer has no token for the end of a text."))
        self.end_token = end
        self.mask_token = self._special("mask_token")

    @property
    def vocabulary_size(self) -> int:
        """One more than the highest token."""
        return self._vocabulary_size

    def encode(self, text: str) -> Sequence[int]:
        """The text's tokens, without any that mark its beginning or end; raises UserError for a text that it cannot."""
        with _failures_in_words(localized("tokenizer.json fails with a text of this run")):
            found: list[int] = self._library.encode(text, add_special_tokens=False).ids
        return found

    def decode(self, tokens: Sequence[int]) -> str:
        """The text that those tokens stand for; raises UserError."""
        with _failures_in_words(localized("tokenizer.json fails with tokens of this run")):
            return str(self._library.decode(list(tokens)))

    def _special(self, *names: str) -> int | None:
        """The first of those special tokens that the tokenizer has."""
        tokens = (self._library.token_to_id(self._named[name]) for name in names if name in self._named)
        return next((token for token in tokens if token is not None), None)


def special_tokens(folder: Path) -> dict[str, str]:
    """The special tokens by their roles: ``eos_token``, ``mask_token`` and so on."""
    named: dict[str, str] = {}
    for name in ("special_tokens_map.json", "tokenizer_config.json"):
        try:
            settings = msgspec.json.decode((folder / name).read_bytes(), type=dict[str, Any])
        except FileNotFoundError:
            continue
        except msgspec.MsgspecError as error:
            raise UserError(ErrorKind.FILES_REFUSED, localized("%1 cannot be read.", name)) from error
        for key, value in settings.items():
            content = value.get("content") if isinstance(value, dict) else value
            if key.endswith("_token") and isinstance(content, str):
                named[key] = content
    return named
