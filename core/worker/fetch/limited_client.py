"""The hub library's HTTP client, which reads no faster than downloads may be."""

from __future__ import annotations

from collections.abc import Iterator

import httpx2
from huggingface_hub import set_client_factory
from huggingface_hub.utils._http import default_client_factory

from core.worker.delegation.download_limit import downloads


def limit_hub_library() -> None:
    """Have huggingface_hub use such clients from now on, also where it makes another one after a failure."""
    set_client_factory(_limited_client)


def _limited_client() -> httpx2.Client:
    client = default_client_factory()
    client.event_hooks["response"].append(_limit)
    return client


def _limit(response: httpx2.Response) -> None:
    if isinstance(response.stream, httpx2.SyncByteStream):
        response.stream = _LimitedStream(response.stream)


class _LimitedStream(httpx2.SyncByteStream):
    """An answer's body, which is read on when what has come of it is paid for."""

    def __init__(self, stream: httpx2.SyncByteStream) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._stream:
            yield piece
            for _ in downloads().pauses(len(piece)):
                pass

    def close(self) -> None:
        self._stream.close()
