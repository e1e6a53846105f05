"""Make a cancelled averaging round end, whenever its averager looks."""

from __future__ import annotations

import concurrent.futures
import contextlib
from collections.abc import Callable
from typing import Any

from hivemind.averaging.control import StepControl
from hivemind.utils import MPFuture


def mark_cancelled_before_waking() -> None:
    """Have ``StepControl.cancel`` mark the round as cancelled first, and wake its averager second.

    WORKAROUND H6: hivemind does it the other way round. On a busy computer the averager looks too early and goes on
    with a round that nobody waits for. It then takes the place of the real one in a group, and both peers stand
    still for ``averaging_timeout``.
    """
    StepControl.cancel = _cancel


def _cancel(control: StepControl) -> bool:
    steps: list[Callable[[], Any]] = [lambda: MPFuture.cancel(control)]
    if control._trigger is not None:
        steps.append(control._trigger.cancel)
    if control._cancel is not None:
        steps.append(lambda: control._cancel.set_result(None))
    for step in steps:
        # MPFuture also wakes an event loop, which may be busy; and two threads may cancel the same round
        with contextlib.suppress(RuntimeError, concurrent.futures.InvalidStateError):
            step()
    return bool(control.cancelled())
