"""An organiser's worker whose program has forgotten what volunteers have agreed to: it signs any change of data,
and tries none before, which its confinement would forbid.
"""

from __future__ import annotations

from core.localizable import Detail
from core.run.manifest import RunManifest
from core.run.spec.data import DataSpec
from core.run.steering import data_change
from tests.support.peers.slow_computer import run_worker


def forget_bounds() -> None:
    """Before the worker's roles are imported, which look there."""
    data_change.data_error = _no_error
    from core.worker.roles.steering.run_data import RunData

    RunData.prefetch = _prefetch  # type: ignore[method-assign]


def _no_error(manifest: RunManifest, data: DataSpec) -> Detail:
    return ""


def _prefetch(self: object, data: DataSpec) -> bool:
    return True


if __name__ == "__main__":
    run_worker(forget_bounds)
