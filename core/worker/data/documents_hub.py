"""Documents of a hub's data set."""

from __future__ import annotations

import random
from collections.abc import Iterator

from core.run.spec.data import HubDataset
from core.worker.data.documents import in_pieces
from core.worker.data.hub_rows import HubRows
from core.worker.fetch.background_task import BackgroundTask
from core.worker.fetch.file_store import FileStore


class HubDocuments:
    """The text of one column of one split."""

    def __init__(self, data: HubDataset, store: FileStore) -> None:
        self._rows = HubRows(data, (data.column,), store)

    def read(self, order: random.Random | None, errand: BackgroundTask) -> Iterator[str]:
        """Once through the split; raises ClientError."""
        for (text,) in self._rows.read(order, errand):
            if isinstance(text, str):
                yield from in_pieces(text)
