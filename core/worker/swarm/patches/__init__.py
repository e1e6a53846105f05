"""Every process-wide change to hivemind, made by one ``apply()`` and checked against hivemind's version."""

from __future__ import annotations

import functools

import hivemind

from core.errors import ErrorKind, UserError
from core.localizable import localized
from core.worker.swarm.conditional_finds.answering import answer_conditional_finds
from core.worker.swarm.patches.byte_counters import count_bytes
from core.worker.swarm.patches.delta_stores import store_in_deltas
from core.worker.swarm.patches.handler_tasks import forget_ended_handlers
from core.worker.swarm.patches.matchmaking import install_epoch_matchmaking
from core.worker.swarm.patches.monotonic_clock import use_steady_time
from core.worker.swarm.patches.msgpack_depth import limit_msgpack_depth
from core.worker.swarm.patches.p2pd_cage import start_p2pd_elsewhere
from core.worker.swarm.patches.pending_calls import ignore_late_answers
from core.worker.swarm.patches.size_limits import limit_message_size, limit_peer_ids
from core.worker.swarm.patches.socket_folder import use_temp_folder_for_sockets
from core.worker.swarm.patches.step_control import mark_cancelled_before_waking
from core.worker.swarm.patches.task_references import hold_tasks
from core.worker.swarm.patches.value_free_searches import search_beside_keys

KNOWN_VERSION = "1.1.12"


@functools.cache
def apply() -> None:
    """Change hivemind in this process and in all that it forks from now on; more calls change nothing more.

    Importing this package changes nothing. Call it before a DHT or an averager is built: both fork when they are.
    What each change is for is in ``resources/docs/hivemind.md``, where it has the id of its ``WORKAROUND`` marker.
    Raises UserError: PROTOCOL_MISMATCH with another hivemind than the one that the changes were written for.
    """
    if hivemind.__version__ != KNOWN_VERSION:
        found = localized("It has hivemind %1; this program works with %2 only.", hivemind.__version__, KNOWN_VERSION)
        raise UserError(ErrorKind.PROTOCOL_MISMATCH, found)
    limit_message_size()
    limit_peer_ids()
    count_bytes()
    hold_tasks()
    ignore_late_answers()
    forget_ended_handlers()
    limit_msgpack_depth()
    use_steady_time()
    use_temp_folder_for_sockets()
    start_p2pd_elsewhere()
    mark_cancelled_before_waking()
    install_epoch_matchmaking()
    search_beside_keys()
    answer_conditional_finds()
    store_in_deltas()
