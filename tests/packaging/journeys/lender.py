"""A person without a desktop: `workerbee service`, in a system in which something stands for systemd."""

from __future__ import annotations

from core.cli.service.upgrade import UPGRADED_CODE
from core.protocol.events import Progress
from tests.packaging.journeys.chroot import Chroot
from tests.support.environment.x11_desktop import Desktop, Launched, wait_for
from tests.support.real_peers import START_SECONDS, Peer

_ANSWERS_YES = "#!/bin/sh\n"
_MANAGER = f"""
while :; do
    workerbee service run
    code=$?
    echo "the service ended with $code"
    [ $code = {UPGRADED_CODE} ] || exit $code
done
"""
"""Stands for systemd, which starts a failed service again (Restart=on-failure), a minute later; this does at once."""


class Lender:
    """Somebody who has installed the service; a chroot has no systemd, so that ``_MANAGER`` plays its part."""

    def __init__(self, desktop: Desktop, system: Chroot) -> None:
        self._desktop, self._system = desktop, system

    def install_service(self, organiser: Peer) -> Launched:
        """Agree to the run; returns what keeps the service running, once it computes."""
        programs = [self._system.root / "usr" / "local" / "bin" / name for name in ("systemctl", "loginctl")]
        for program in programs:
            program.write_text(_ANSWERS_YES, "utf-8")
            program.chmod(0o755)
        install = self._system.as_person("workerbee", "service", "install", organiser.posted, "--yes")
        installing = self._desktop.launch(install, "service-install")
        assert installing.ended() == 0, installing.words
        for program in programs:
            program.unlink()
        here = len(organiser.said)
        manager = self._desktop.launch(self._system.as_person("sh", "-c", _MANAGER), "service")
        organiser.wait_for(Progress, lambda event: event.peers == 2, since=here, seconds=START_SECONDS)
        return manager

    def has_begun_anew(self, manager: Launched) -> None:
        """See in what it has said that the service ended once, to be started again."""
        assert manager.words.count("the service ended with") == 1, manager.words

    def end_service(self, manager: Launched) -> None:
        """As systemd does at a logout: the service's process is told to, and nothing is left."""
        for process in manager.offspring:
            if process.name() == "workerbee":
                process.terminate()
        manager.ended()
        wait_for(manager.is_alone, "the end of the worker and of its family")
