"""The run's tokenizer as `transformers` loads it: the very tokens that the run was trained on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from core.run.spec.data import HubTokenizer, Tokenizer
from core.worker.data.tokenizers import END_OF_TEXT, MASK, special_tokens
from core.worker.fetch.file_store import FetchContext
from core.worker.fetch.hub_files import fetch_tokenizer

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

_BYTE_SPECIALS = {"eos_token": "<|endoftext|>", "pad_token": "<|endoftext|>", "mask_token": "<mask>"}
_CLASS = "PreTrainedTokenizerFast"  # reads tokenizer.json as it is; a family's own class may build another one


def open_tokenizer(tokenizer: Tokenizer, longest: int, context: FetchContext) -> PreTrainedTokenizerFast:
    """The tokenizer of texts of at most ``longest`` tokens; raises UserError for what cannot be fetched."""
    from transformers import PreTrainedTokenizerFast

    if isinstance(tokenizer, HubTokenizer):
        folder = fetch_tokenizer(tokenizer, context.store, context.listener)
        library, named = _published(folder), special_tokens(folder)
        specials = {role: token for role, token in named.items() if library.token_to_id(token) is not None}
    else:
        library, specials = byte_tokenizer(), _BYTE_SPECIALS
    opened: PreTrainedTokenizerFast = PreTrainedTokenizerFast(
        tokenizer_object=library, model_max_length=longest, clean_up_tokenization_spaces=False, **specials
    )
    return opened


def write_tokenizer(tokenizer: PreTrainedTokenizerFast, folder: Path) -> None:
    """Write its files; raises OSError."""
    tokenizer.save_pretrained(folder)
    settings = folder / "tokenizer_config.json"
    config: dict[str, Any] = msgspec.json.decode(settings.read_bytes())
    settings.write_bytes(msgspec.json.format(msgspec.json.encode(config | {"tokenizer_class": _CLASS})))


def byte_tokenizer() -> Any:
    """`ByteTokenizer` in the library's terms: byte-level BPE (Radford and others 2019, 2.2) without merges."""
    from tokenizers import AddedToken, decoders, models, pre_tokenizers
    from tokenizers import Tokenizer as Library

    vocabulary = {character: byte for byte, character in enumerate(_characters())}
    vocabulary |= {_BYTE_SPECIALS["eos_token"]: END_OF_TEXT, _BYTE_SPECIALS["mask_token"]: MASK}
    library = Library(models.BPE(vocab=vocabulary, merges=[]))
    library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    library.decoder = decoders.ByteLevel()
    library.add_special_tokens([AddedToken(each, special=True) for each in sorted({*_BYTE_SPECIALS.values()})])
    return library


def _characters() -> list[str]:
    """The character that stands for each byte in a byte-level BPE: itself, or from U+0100 on if it cannot be seen."""
    seen = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    unseen = iter(range(0x100, 0x200))
    return [chr(byte if byte in seen else next(unseen)) for byte in range(256)]


def _published(folder: Path) -> Any:
    """The hub's tokenizer as training reads it: nothing is cut off or filled up."""
    from tokenizers import Tokenizer as Library

    library = Library.from_file(str(folder / "tokenizer.json"))
    library.no_truncation()
    library.no_padding()
    return library
