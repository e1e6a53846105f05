"""What is wrong with the connection, from the worker that finds it to the sentence in the window's language."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QApplication

from core.client.session import Session
from core.protocol.events import ContributionStatus
from core.texts.contributions.status import contribution_status
from core.worker.network.connection_monitor import QUIET_SECONDS, SILENT_PROBES, ConnectionMonitor, Observation
from tests.app.support.language_context import speaking
from tests.app.support.training_sample import training


def cut() -> Session:
    """A session whose worker hears nothing from the one address that it knows."""
    monitor = ConnectionMonitor(is_first=False)
    for _ in range(SILENT_PROBES):
        monitor.on_observation(Observation(quiet_seconds=QUIET_SECONDS), 0.0)
        monitor.on_known_probed({"/ip4/192.0.2.1/tcp/1": "timeout"}, 0.0)
    return replace(training(), contribution_status=ContributionStatus(state="alone", reason=monitor.problem))


def test_alone_says_what_is_wrong_with_the_connection_in_the_windows_language(qapp: QApplication) -> None:
    assert contribution_status(cut()).startswith("The connection to the others is lost:")
    with speaking("de"):
        assert contribution_status(cut()).startswith("Die Verbindung zu den anderen ist unterbrochen:")
