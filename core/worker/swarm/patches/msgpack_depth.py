"""hivemind's decoder of whatever strangers have packed, with an end to what may lie in what."""

from __future__ import annotations

import functools
import threading
from typing import Any

from hivemind.dht.storage import DictionaryDHTValue
from hivemind.utils import MSGPackSerializer

MOST_LAYERS = 16  # hivemind's own need three: a dictionary whose subkeys are tuples
_DICTIONARY = MSGPackSerializer._ext_types[DictionaryDHTValue]
_TUPLE = MSGPackSerializer._TUPLE_EXT_TYPE_CODE


class _Layers(threading.local):
    open = 0


_layers = _Layers()


@functools.cache
def bound_decoding() -> None:
    """Refuse what is packed too deeply; once, before anything forks, so that every child refuses it too.

    WORKAROUND: hivemind unpacks a tuple in a tuple in a tuple until the C stack ends: a record of 3 kB kills
    every process that reads it. It also writes a line of its log for every piece of a kind that it does not
    know.
    """
    MSGPackSerializer._decode_ext_types = staticmethod(_decode)


def _decode(code: int, data: bytes) -> Any:
    """A tuple or a dictionary inside of something; raises ValueError for anything else."""
    if _layers.open >= MOST_LAYERS:
        raise ValueError("packed too deeply")
    _layers.open += 1
    try:
        if code == _TUPLE:
            return tuple(MSGPackSerializer.loads(data))
        if code == _DICTIONARY:
            return DictionaryDHTValue.unpackb(data)
        raise ValueError(f"nobody knows what is packed as {code}")
    finally:
        _layers.open -= 1
