"""What is allowed in a run file, and yet is probably not what the organiser wants."""

from __future__ import annotations

from collections.abc import Iterator

from core.manifest import RunManifest
from core.needs import Needs, needs_of

HOME_DOWNLOAD_BITS_PER_SECOND = 50e6
HOME_UPLOAD_BITS_PER_SECOND = 10e6
HOME_GPU_FLOP_PER_SECOND = 10e12
_BATCHES_PER_PEER = 20  # fewer, and an epoch overshoots its target noticeably
_DOWNLOADS_PER_EPOCH = 3  # fewer, and a newcomer is behind again when its download is over


def hints_for(manifest: RunManifest) -> tuple[str, ...]:
    """A sentence or two each, with figures; none for a run that looks right."""
    needs = needs_of(manifest)
    return (
        *_of_batches(manifest),
        *_of_epochs(manifest, needs),
        *_of_rounds(manifest, needs),
        *_of_overlap(manifest),
        *_of_words(manifest),
    )


def _of_batches(manifest: RunManifest) -> Iterator[str]:
    collaboration = manifest.collaboration
    wanted = _BATCHES_PER_PEER * collaboration.batch_size_per_step
    if collaboration.target_batch_size < wanted:
        yield (
            f"[collaboration] target_batch_size = {collaboration.target_batch_size} is less "
            f"than {_BATCHES_PER_PEER} × batch_size_per_step ({wanted}) for each peer: epochs will take "
            "noticeably more samples than you ask for, and early peers will wait for late ones."
        )


def _of_epochs(manifest: RunManifest, needs: Needs) -> Iterator[str]:
    """A newcomer whose download takes longer than an epoch never catches up."""
    collaboration = manifest.collaboration
    computing = needs.sample_flop * collaboration.target_batch_size / HOME_GPU_FLOP_PER_SECOND
    epoch_seconds = max(computing, collaboration.matchmaking_time)
    download_seconds = needs.download_bytes * 8 / HOME_DOWNLOAD_BITS_PER_SECOND
    if epoch_seconds < _DOWNLOADS_PER_EPOCH * download_seconds:
        yield (
            f"An epoch may last only about {epoch_seconds:.0f} s (one good home GPU), and a newcomer's "
            f"download about {download_seconds:.0f} s (50 Mbit/s). It should last {_DOWNLOADS_PER_EPOCH} to "
            "5 downloads, or newcomers never catch up: raise [collaboration] target_batch_size, or make the "
            "model smaller."
        )


def _of_rounds(manifest: RunManifest, needs: Needs) -> Iterator[str]:
    collaboration = manifest.collaboration
    seconds = needs.traffic_bytes * 8 / HOME_UPLOAD_BITS_PER_SECOND
    allowed = collaboration.averaging_timeout - collaboration.matchmaking_time
    if seconds > allowed:
        yield (
            f"Averaging may take {seconds:.0f} s on a home uplink (10 Mbit/s), and averaging_timeout leaves "
            f'{allowed:.0f} s for it: raise it, or compress more: grad_compression = "size_adaptive".'
        )


def _of_overlap(manifest: RunManifest) -> Iterator[str]:
    collaboration = manifest.collaboration
    if not (collaboration.use_local_updates or collaboration.delay_grad_averaging):
        yield (
            "[collaboration] delay_grad_averaging = false: every computer stands still while the swarm "
            "averages, for seconds in every epoch."
        )


def _of_words(manifest: RunManifest) -> Iterator[str]:
    if not manifest.run.description.strip():
        yield "[run] description is empty: volunteers will not know what they help with."
    if not manifest.run.license.strip():
        yield "[run] license is empty: volunteers like to know what becomes of what they helped to make."
