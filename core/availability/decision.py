"""The one decision that all rules lead to, and the reasons for it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

RuleName = Literal[
    "disk",
    "battery",
    "power_saver",
    "metered",
    "data",
    "game",
    "program",
    "gpu",
    "film",
    "memory",
    "cpu",
    "idle",
    "hours",
    "price",
]
"""The rules in the order of reasons: where several ask for a pause, the first of them is the reason that is shown."""


@dataclass(frozen=True)
class Reason:
    """Why nothing is computed: the rule, and the ``subject`` it is about, such as the name of a program or its GPU.

    ``is_over`` says that the cause has ended and only the rest after it is waited for. ``until`` is the time at which
    this reason ends, where it is known by now; where it is not, or where the owner may put it off (``idle``),
    ``not_before`` is the time before which training does not go on, even if the cause ends now: it is set where the
    pause has interrupted training, and does not change while that lasts. ``can_see`` is false where the rule cannot see
    what it is about and keeps the safe side, such as what it asked for when it could see; of ``price`` the ``subject``
    then is ``missing``, ``broken`` or ``old``, as its file is. Of ``data`` it is ``month`` where that of the month is
    used up, of ``idle`` ``other_user`` where somebody else is at the computer, of ``game`` ``full_screen`` where the
    program is one that fills the screen.
    """

    rule: RuleName
    subject: str = ""
    is_over: bool = False
    until: datetime | None = None
    can_see: bool = True
    not_before: datetime | None = None


@dataclass(frozen=True)
class Decision:
    """Whether this computer is free for training; if it is not, ``reasons`` says why, the foremost first.

    ``ignored`` are the rules that the owner has told to be ignored for now, and would ask for a pause: until
    ``ignored_until``, or where ``is_ignored_once`` until they cease to.
    """

    reasons: tuple[Reason, ...] = ()
    ignored: tuple[RuleName, ...] = ()
    ignored_until: datetime | None = None
    is_ignored_once: bool = False

    @property
    def is_free(self) -> bool:
        """Whether no rule asks for a pause."""
        return not self.reasons

    @property
    def reason(self) -> Reason | None:
        """The foremost reason for a pause."""
        return self.reasons[0] if self.reasons else None


FREE = Decision()
