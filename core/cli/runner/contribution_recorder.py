"""Records what a run on the command line contributes, in the history that the window reads, too."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from core.cli.runner.worker_session import WorkerSession
from core.client.session import Session
from core.files.folders import Folders
from core.hardware.monitor import DeviceMonitor, DevicesSeen
from core.records.contributions import ContributionLog
from core.records.receipts import ReceiptBook
from core.records.store import HistoryStore, run_key

_POLL_SECONDS = 7.0


@contextmanager
def recording_contributions(worker: WorkerSession, folders: Folders) -> Iterator[None]:
    """While this lasts, record what that worker's sessions contribute; a file that cannot be written stops nothing."""
    store, _ = HistoryStore.open(folders.contents.history_file)
    receipts = ReceiptBook(folders.contents.receipts_file)
    log, seen = ContributionLog(store), [DevicesSeen((), False, 0.0)]
    monitor = DeviceMonitor(lambda each: seen.__setitem__(0, each), _POLL_SECONDS)

    def record(session: Session) -> None:
        if session.chosen is not None and session.consent is not None:
            key = run_key(session.consent.run_id, session.consent.organiser)
            log.start_run(key, session.chosen.manifest.run.name)
        receipts.record(session)
        log.record(session, seen[0].devices, time.time())

    monitor.start()
    worker.record = record
    try:
        yield
    finally:
        worker.record = None
        monitor.stop()
        record(worker.session)
        store.close()
