"""What the peers of a run say of themselves in the DHT, as hivemind's own tools do."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from hivemind.dht import DHT
from hivemind.dht.crypto import RSASignatureValidator
from hivemind.dht.schema import BytesWithPublicKey, SchemaValidator
from hivemind.optim.progress_tracker import LocalTrainingProgress, TrainingProgressSchema
from hivemind.p2p import PeerID
from pydantic.v1 import BaseModel, StrictFloat, StrictInt, conbytes, confloat, conint

from core.protocol.messages import PeerSeen
from core.worker.swarm.dht.lan_addresses import NEARBY_KEY_END, LanAddressesSchema
from core.worker.swarm.dht.node import Swarm
from core.worker.swarm.dht.peer_info import KEY_END, CardSchema, PeerInfo
from core.worker.swarm.dht.reader import forget, parse_record, read_signed
from core.worker.swarm.patches.monotonic_clock import steady_time

METRICS_LIFETIME_SECONDS = 600.0
MAX_PEER_ID_BYTES = 64  # base58 takes a minute for 100 kB
MOST_SAMPLES = 2**40  # of one peer in one epoch; those of a million peers still fit on a line

_Model = TypeVar("_Model", bound=BaseModel)


class LocalMetrics(BaseModel):
    """One peer's last epoch, as hivemind's ALBERT example has it; ``loss`` is the sum over ``mini_steps``."""

    step: StrictInt
    samples_per_second: StrictFloat
    samples_accumulated: StrictInt
    loss: StrictFloat
    mini_steps: StrictInt


class Report(LocalTrainingProgress):
    """One peer's progress, with numbers that can be added up; hivemind itself believes any."""

    peer_id: conbytes(max_length=MAX_PEER_ID_BYTES)  # type: ignore[valid-type]
    epoch: conint(ge=0, le=2**31, strict=True)  # type: ignore[valid-type]
    samples_accumulated: conint(ge=0, le=MOST_SAMPLES, strict=True)  # type: ignore[valid-type]
    samples_per_second: confloat(ge=0.0, le=1e15, strict=True)  # type: ignore[valid-type]
    time: confloat(ge=0.0, le=1e12, strict=True)  # type: ignore[valid-type]


class _MetricSchema(BaseModel):
    metrics: dict[BytesWithPublicKey, LocalMetrics]


def guard_reports(swarm: Swarm, run_id: str) -> None:
    """Refuse to store what is no report under this run's keys, and forget what is there; call it first.

    WORKAROUND: hivemind believes whatever lies in its own part of the DHT, without a look at it.
    """
    schemas = (_MetricSchema, TrainingProgressSchema, CardSchema, LanAddressesSchema)
    swarm.dht.add_validators([SchemaValidator(schema, prefix=run_id) for schema in schemas])
    forget(swarm.dht, *(f"{run_id}_{end}" for end in ("metrics", "progress", KEY_END, NEARBY_KEY_END)))


def publish_metrics(swarm: Swarm, run_id: str, metrics: LocalMetrics) -> None:
    """Tell the swarm about our last epoch; does not wait."""
    swarm.dht.store(
        f"{run_id}_metrics",
        subkey=RSASignatureValidator(swarm.progress_key).local_public_key,
        value=metrics.dict(),
        expiration_time=steady_time() + METRICS_LIFETIME_SECONDS,
        return_future=True,
    )


def swarm_loss(dht: DHT, run_id: str, also_ask: Iterable[str] = ()) -> float | None:
    """The mean loss of all micro-batches that peers report; ``None`` if nobody does."""
    weights, total = 0, 0.0
    for metrics in _parsed(LocalMetrics, dht, f"{run_id}_metrics", also_ask):
        if math.isfinite(metrics.loss) and metrics.mini_steps > 0:
            weights, total = weights + metrics.mini_steps, total + metrics.loss
    return total / weights if weights else None


def peers_in(dht: DHT, run_id: str, my_peer_id: str, also_ask: Iterable[str] = ()) -> tuple[PeerSeen, ...]:
    """Everybody who reports progress in a run."""
    reports = _parsed(Report, dht, f"{run_id}_progress", also_ask)
    return tuple(seen for report in reports if (seen := peer_seen(report, my_peer_id)) is not None)


def sensible(metadata: Any) -> Any:
    """What hivemind's tracker got, without reports that no peer could send; anything else as it is."""
    if not isinstance(metadata, dict):
        return metadata
    return {subkey: found for subkey, found in metadata.items() if _is_sensible(found.value)}


def _is_sensible(value: Any) -> bool:
    """A goodbye, or a report."""
    return value is None or parse_record(Report, value) is not None


def peer_seen(report: LocalTrainingProgress, my_peer_id: str, card: PeerInfo | None = None) -> PeerSeen | None:
    """One report in our own words; ``None`` for a peer id that is none."""
    if len(report.peer_id) > MAX_PEER_ID_BYTES:
        return None
    with contextlib.suppress(ValueError):
        peer_id = PeerID(report.peer_id).to_base58()
        return PeerSeen(
            peer_id=peer_id,
            epoch=report.epoch,
            samples=report.samples_accumulated,
            samples_per_second=report.samples_per_second if math.isfinite(report.samples_per_second) else 0.0,
            client_mode=report.client_mode,
            is_me=peer_id == my_peer_id,
            name=card.name if card else "",
            device=card.device if card else "",
        )
    return None


def are_all_ahead(others: Iterable[LocalTrainingProgress], epoch: int) -> bool:
    """Whether all who can be reached have ended the epoch after that one: its rounds are over without us.

    They are an epoch ahead whenever they look a moment earlier than we do.
    """
    reached = [report.epoch for report in others if not report.client_mode]
    return bool(reached) and min(reached) >= epoch + 2


def _parsed(model: type[_Model], dht: DHT, key: str, also_ask: Iterable[str]) -> Iterator[_Model]:
    for value in read_signed(dht, key, also_ask).values():
        if (record := parse_record(model, value)) is not None:
            yield record
