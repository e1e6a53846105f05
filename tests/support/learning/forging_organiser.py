"""An organiser's worker whose program has forgotten what volunteers have agreed to: it signs any change of data."""

from __future__ import annotations

from core.localizable import Detail
from core.run.manifest import RunManifest
from core.run.spec.data import DataSpec
from core.run.steering import data_change
from tests.support.peers.slow_computer import run_worker


def forget_bounds() -> None:
    """Before the worker's roles are imported, which look there."""
    data_change.data_error = _no_error


def _no_error(manifest: RunManifest, data: DataSpec) -> Detail:
    return ""


if __name__ == "__main__":
    run_worker(forget_bounds)
