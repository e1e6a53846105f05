"""What a run learns from, as blocks of tokens; nothing that is fetched is ever executed."""

from __future__ import annotations

from core.data_spec import HubDataset, TextFiles
from core.worker.data.blocks import Blocks, PackedBlocks
from core.worker.data.shelf import Shelf
from core.worker.data.text_files import FileDocuments
from core.worker.data.tokenizers import ByteTokenizer
from core.worker.store import Store
from core.worker.watch import Watch

__all__ = ["Blocks", "open_blocks"]


def open_blocks(
    data: TextFiles | HubDataset, *, sequence_length: int, seed: int, store: Store, watch: Watch
) -> Blocks:
    """The run's data in this peer's own order; fetches what is held out. Raises ClientError in words."""
    if not isinstance(data, TextFiles):
        raise NotImplementedError
    return PackedBlocks(
        FileDocuments(data, Shelf(store)),
        ByteTokenizer(),
        sequence_length=sequence_length,
        held_out_one_in=data.held_out_one_in,
        seed=str(seed),
        watch=watch,
    )
