"""What a person is told of how this computer takes part in the swarm: one Network event for every change."""

from __future__ import annotations

from core.localizable import LocalizedText
from core.protocol.events import Network
from core.worker.network.network_messages import nobody_could_tell, with_hint
from core.worker.process.channel import WorkerChannel


class NetworkStatus:
    """Sends a Network event whenever it differs from the last one, or the person has asked for a test."""

    def __init__(self, channel: WorkerChannel) -> None:
        self._channel = channel
        self._latest: Network | None = None
        self.hint = LocalizedText()
        """Advice that is added to every event, such as what to do about a broken IPv6."""

    def report(self, network: Network) -> None:
        """Tell the client how others reach us now."""
        if network != self._latest or self._channel.test_requested.is_set():
            self._channel.test_requested.clear()
            self._latest = network
            self._channel.emit(with_hint(network, self.hint))

    def finish_test(self) -> None:
        """Tell whoever waits for a test that it is over, also where it has changed nothing."""
        latest = self._latest
        if latest is not None and latest.test == "running":
            self.report(nobody_could_tell(latest.mode))
        elif latest is not None and self._channel.test_requested.is_set():
            self.report(latest)
