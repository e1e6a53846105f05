"""The training data of a run, as blocks of tokens or as images; nothing that is fetched is ever executed."""

from __future__ import annotations

from typing import assert_never

from core.run.spec.data import HubDataset, HubImages, HubTokenizer, ImageData, ImageFiles, TextData, TextFiles
from core.worker.data.documents import Documents, HubDocuments
from core.worker.data.documents_files import FileDocuments
from core.worker.data.image_labels import Labels
from core.worker.data.image_samples import Images, ImageSamples, LabelledImages
from core.worker.data.image_sources import HubImageSource, ImageSource, ParquetImages
from core.worker.data.read_order import data_key, increment_pass
from core.worker.data.token_blocks import Blocks, PackedBlocks
from core.worker.data.tokenizers import ByteTokenizer, PretrainedTokenizer, Tokenizer
from core.worker.fetch.background_task import ProgressListener
from core.worker.fetch.file_cache import FileCache
from core.worker.fetch.file_store import FileStore
from core.worker.fetch.hub_files import fetch_tokenizer

__all__ = ["Blocks", "Images", "LabelledImages", "open_blocks", "open_images"]


def open_blocks(
    data: TextData, *, sequence_length: int, seed: int, store: FileStore, listener: ProgressListener
) -> Blocks:
    """Open the run's text in this peer's own order, another one with every start; raises UserError.

    The validation set is fetched before it returns, the rest when its turn comes.
    """
    starts = increment_pass(data, seed, store)
    match data:
        case TextFiles():
            documents: Documents = FileDocuments(data, FileCache(store))
        case HubDataset():
            documents = HubDocuments(data, store)
        case _:
            assert_never(data)
    blocks = PackedBlocks(
        documents,
        _tokenizer(data, store, listener),
        sequence_length=sequence_length,
        held_out_one_in=data.held_out_one_in,
        seed=f"{seed}:{starts}",
        listener=listener,
    )
    blocks.load_validation_set(store.folder("held-out") / f"{data_key(data)}-{sequence_length}")
    return blocks


def open_images(
    data: ImageData, *, size: int, classes: int, seed: int, store: FileStore, listener: ProgressListener
) -> Images:
    """Open the run's images as ``open_blocks`` does its text; images are squares of ``size`` pixels."""
    starts = increment_pass(data, seed, store)
    match data:
        case ImageFiles():
            source: ImageSource = ParquetImages(data, FileCache(store))
        case HubImages():
            source = HubImageSource(data, store)
        case _:
            assert_never(data)
    images = ImageSamples(
        source,
        Labels(classes, data.class_names),
        size=size,
        held_out_one_in=data.held_out_one_in,
        seed=f"{seed}:{starts}",
        listener=listener,
    )
    images.load_validation_set(store.folder("held-out") / f"{data_key(data)}-{size}")
    return images


def _tokenizer(data: TextData, store: FileStore, listener: ProgressListener) -> Tokenizer:
    if isinstance(data.tokenizer, HubTokenizer):
        return PretrainedTokenizer(fetch_tokenizer(data.tokenizer, store, listener))
    return ByteTokenizer()
