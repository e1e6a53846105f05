"""hivemind's msgpack as every process of a worker has it, for a while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hivemind.utils import MSGPackSerializer

from core.worker.swarm.patches.msgpack_depth import limit_msgpack_depth


@contextmanager
def msgpack_as_in_a_worker() -> Iterator[None]:
    """How deeply values may be nested is limited; other tests of this process find hivemind's own again."""
    theirs = MSGPackSerializer.__dict__["_decode_ext_types"]
    limit_msgpack_depth()
    try:
        yield
    finally:
        MSGPackSerializer._decode_ext_types = theirs
