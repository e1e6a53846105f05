"""What a run learns from, as blocks of tokens or as images; nothing that is fetched is ever executed."""

from __future__ import annotations

from typing import assert_never

from core.run.spec.data import HubDataset, HubImages, HubTokenizer, ImageData, ImageFiles, TextData, TextFiles
from core.worker.data.documents import Documents, HubDocuments
from core.worker.data.documents_files import FileDocuments
from core.worker.data.image_labels import Labels
from core.worker.data.image_samples import DrawnImages, Images, LabelledImages
from core.worker.data.image_sources import FilePictures, HubPictures, ImageSource
from core.worker.data.read_order import increment_pass, name_of
from core.worker.data.token_blocks import Blocks, PackedBlocks
from core.worker.data.tokenizers import ByteTokenizer, HubTokens, Tokenizer
from core.worker.fetch.background_task import ProgressListener
from core.worker.fetch.file_cache import FileCache
from core.worker.fetch.file_store import FileStore
from core.worker.fetch.hub_files import fetch_tokenizer

__all__ = ["Blocks", "Images", "LabelledImages", "open_blocks", "open_images"]


def open_blocks(
    data: TextData, *, sequence_length: int, seed: int, store: FileStore, watch: ProgressListener
) -> Blocks:
    """The run's data in this peer's own order, another one with every start; raises ClientError in words.

    What is held out is fetched before it returns, the rest when its turn comes.
    """
    starts = increment_pass(data, seed, store)
    match data:
        case TextFiles():
            documents: Documents = FileDocuments(data, FileCache(store))
        case HubDataset():
            documents = HubDocuments(data, store)
        case _:
            assert_never(data)
    return PackedBlocks(
        documents,
        _tokenizer(data, store, watch),
        sequence_length=sequence_length,
        held_out_one_in=data.held_out_one_in,
        seed=f"{seed}:{starts}",
        keep=store.folder("held-out") / f"{name_of(data)}-{sequence_length}",
        watch=watch,
    )


def open_images(
    data: ImageData, *, size: int, classes: int, seed: int, store: FileStore, watch: ProgressListener
) -> Images:
    """As ``open_blocks``; images are squares of ``size`` pixels."""
    starts = increment_pass(data, seed, store)
    match data:
        case ImageFiles():
            pictures: ImageSource = FilePictures(data, FileCache(store))
        case HubImages():
            pictures = HubPictures(data, store)
        case _:
            assert_never(data)
    return DrawnImages(
        pictures,
        Labels(classes, data.class_names),
        size=size,
        held_out_one_in=data.held_out_one_in,
        seed=f"{seed}:{starts}",
        keep=store.folder("held-out") / f"{name_of(data)}-{size}",
        watch=watch,
    )


def _tokenizer(data: TextData, store: FileStore, watch: ProgressListener) -> Tokenizer:
    if isinstance(data.tokenizer, HubTokenizer):
        return HubTokens(fetch_tokenizer(data.tokenizer, store, watch))
    return ByteTokenizer()
