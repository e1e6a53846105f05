"""What happens to one volunteer, one thing after the other, in a thread of its own."""

from __future__ import annotations

import sys
import threading
import time

from tests.soak.faults import begin, end
from tests.soak.peers import Member, Suffered
from tests.soak.plan import CALM_SECONDS, REST_SECONDS, Fault, Plan

AGAIN_SECONDS = 1.0


class Life:
    """``not_done`` are the faults for which there was no time."""

    def __init__(self, member: Member, plan: Plan, number: int) -> None:
        self.member = member
        self.not_done: list[Fault] = []
        self._plan, self._arrival = plan, plan.arrivals[number]
        self._faults = [fault for fault in plan.faults if fault.volunteer == number]
        self._began = 0.0
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._live, name=member.name)

    def begin(self) -> None:
        """Now; returns at once."""
        self._began = time.monotonic()
        self._thread.start()

    def end(self) -> None:
        """Nothing more happens to it."""
        self._is_over.set()
        self._thread.join()

    def is_alive(self) -> bool:
        """Whether something may still happen to it."""
        return self._thread.is_alive()

    def _live(self) -> None:
        self._await(self._began + self._arrival)
        self.member.start()
        rested = 0.0
        for fault in self._faults:
            self._await(max(rested, self._began + fault.at))
            self._suffer(fault)
            rested = max((each.ended or 0.0 for each in self.member.suffered), default=0.0) + REST_SECONDS

    def _suffer(self, fault: Fault) -> None:
        """Or try again soon: a worker that is just starting has nothing yet that could be killed."""
        latest = self._began + self._plan.seconds - CALM_SECONDS
        suffered: Suffered | None = None
        while suffered is None:
            if time.monotonic() > latest or self._is_over.is_set():
                self.not_done.append(fault)
                return
            suffered = begin(fault, self.member)
            self._is_over.wait(0.0 if suffered else AGAIN_SECONDS)
        lasting = f" for {fault.seconds:.0f} s" if fault.seconds else ""
        at = suffered.began - self._began
        print(f"{at:6.0f} s  {self.member.name}: {fault.kind}{lasting}", file=sys.stderr, flush=True)
        self._await(suffered.began + fault.seconds)
        end(suffered, self.member)

    def _await(self, moment: float) -> None:
        self._is_over.wait(max(0.0, moment - time.monotonic()))
