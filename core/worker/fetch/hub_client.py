"""The hub library's HTTP client: it reads no faster than downloads may be, and follows no redirection out of TLS."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import httpx2
from huggingface_hub import set_client_factory
from huggingface_hub.utils._http import default_client_factory

from core.localizable import words_of
from core.security.address_guard import AddressRefusedError
from core.security.http_opener import refuse_other_protocols
from core.worker.delegation.download_limit import downloads


@cache  # the library closes its client each time, in which another thread may be reading
def install_hub_client() -> None:
    """Have huggingface_hub use such clients from now on, also where it makes another one after a failure."""
    set_client_factory(_hub_client)


def _hub_client() -> httpx2.Client:
    client = default_client_factory()
    client.event_hooks["response"] += [_check_redirection, _limit]
    return client


def _check_redirection(response: httpx2.Response) -> None:
    """Raise ValueError for one that our own downloads would not follow, before anybody does."""
    if response.has_redirect_location:
        try:
            target = response.url.join(response.headers["Location"])
            refuse_other_protocols(response.url.scheme, str(target))
        except (AddressRefusedError, httpx2.InvalidURL) as error:
            raise ValueError(words_of(error)) from error


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
