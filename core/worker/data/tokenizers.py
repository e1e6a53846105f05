"""How text becomes tokens, and tokens text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from core.data_spec import BYTE_TOKENS

END_OF_TEXT, MASK = 256, 257


class Tokenizer(Protocol):
    """``end_token`` stands behind every document; ``mask_token`` is what a masked language model fills in."""

    @property
    def vocabulary_size(self) -> int: ...

    @property
    def end_token(self) -> int: ...

    @property
    def mask_token(self) -> int | None: ...

    def encode(self, text: str) -> Sequence[int]: ...

    def decode(self, tokens: Sequence[int]) -> str: ...


class ByteTokenizer:
    """Every byte is a token, and so are the end of a text and the mask."""

    vocabulary_size = BYTE_TOKENS
    end_token = END_OF_TEXT
    mask_token: int | None = MASK

    def encode(self, text: str) -> Sequence[int]:
        """The bytes of its UTF-8."""
        return text.encode("utf-8", "replace")

    def decode(self, tokens: Sequence[int]) -> str:
        """The text of the bytes among them."""
        return bytes(token for token in tokens if token < END_OF_TEXT).decode("utf-8", "replace")
