"""What keeps a program running without a desktop: the interface to it, and the state of its one service."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol


@dataclass(frozen=True)
class ServiceState:
    """Whether the service is installed, and what it does.

    ``starts_at_boot`` is whether it runs although nobody has logged in (lingering); ``None`` where nobody knows.
    """

    is_installed: bool
    activity: Literal["running", "starting", "failed", "stopped"]
    starts_at_boot: bool | None


class ServiceManager(Protocol):
    """Installs, removes and examines the one service of this person; each method raises UserError."""

    def install(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """Have that command started now and at every login, and again after a failure."""

    def remove(self) -> bool:
        """Stop the service, which says goodbye, and remove it; whether there was one."""

    def state(self) -> ServiceState:
        """What the service manager says of the service now."""
