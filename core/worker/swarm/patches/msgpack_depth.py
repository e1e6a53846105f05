"""Limit how deeply the values may be nested that hivemind's decoder unpacks for strangers."""

from __future__ import annotations

import threading
from typing import Any

from hivemind.dht.storage import DictionaryDHTValue
from hivemind.utils import MSGPackSerializer

MAX_DEPTH = 16  # hivemind's own records need three: a dictionary whose subkeys are tuples
_DICTIONARY = MSGPackSerializer._ext_types[DictionaryDHTValue]
_TUPLE = MSGPackSerializer._TUPLE_EXT_TYPE_CODE


class _Depth(threading.local):
    current = 0


_depth = _Depth()


def limit_msgpack_depth() -> None:
    """Have hivemind's ``MSGPackSerializer`` refuse values that are nested deeper than ``MAX_DEPTH``.

    WORKAROUND H3: hivemind unpacks a tuple in a tuple in a tuple until the C stack ends: a record of 3 kB kills
    every process that reads it. It also writes a line of its log for every piece of a kind that it does not know.
    """
    MSGPackSerializer._decode_ext_types = staticmethod(_decode)


def _decode(code: int, data: bytes) -> Any:
    """A tuple or a dictionary that lies in another value; raises ValueError for anything else."""
    if _depth.current >= MAX_DEPTH:
        raise ValueError("packed too deeply")
    _depth.current += 1
    try:
        if code == _TUPLE:
            return tuple(MSGPackSerializer.loads(data))
        if code == _DICTIONARY:
            return DictionaryDHTValue.unpackb(data)
        raise ValueError(f"nobody knows what is packed as {code}")
    finally:
        _depth.current -= 1
