"""Have p2pd started by a process that may use the network, and in a cage of its own."""

from __future__ import annotations

from typing import Any

from hivemind.p2p import P2P

from core.worker.delegation.p2pd_process import stub_command


def start_p2pd_elsewhere() -> None:
    """Have a stub take p2pd's place where this process is confined; elsewhere nothing changes.

    WORKAROUND H60: hivemind starts p2pd as a child, which inherits that its parent reaches no other computer.
    """
    if stub := stub_command():
        make_arguments = P2P._make_process_args

        def with_stub(*arguments: Any, **options: Any) -> list[str]:
            return [*stub, *make_arguments(*arguments, **options)]

        P2P._make_process_args = staticmethod(with_stub)
