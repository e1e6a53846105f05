"""The organiser's scores in the swarm's DHT."""

from __future__ import annotations

from hivemind.dht import DHT
from hivemind.utils import MSGPackSerializer

from core.run.signed_scores import MAX_SCORES_BYTES, EvaluationHistory, SignedScores, scores_in
from core.worker.swarm.dht.node import Swarm
from core.worker.swarm.dht.publisher import Publisher
from core.worker.swarm.dht.reader import read_dictionary

KEY_END = "workerbee_scores"  # of the DHT key; the run's id is its beginning
_PACKING_BYTES = 16


def score_publisher(swarm: Swarm, scores: EvaluationHistory) -> Publisher:
    """Keeps those scores of ours in the swarm, once it is started."""
    return Publisher(swarm.dht, _key(scores.run_id), swarm.peer_id, signed(swarm, scores))


def signed(swarm: Swarm, scores: EvaluationHistory) -> bytes:
    """As they are published."""
    return SignedScores.sign(scores, swarm.identity).to_bytes()


def published_scores(dht: DHT, run_id: str, organiser: str) -> EvaluationHistory:
    """The latest that the organiser has signed; empty where there are none."""
    subkey, found = MSGPackSerializer.dumps(organiser), [EvaluationHistory(run_id)]
    for record in read_dictionary(dht, _key(run_id), (organiser,)):
        if record.subkey == subkey and (scores := _scores_in(record.value, organiser, run_id)):
            found.append(scores)
    return max(found, key=lambda scores: scores.scores[-1].at if scores.scores else 0.0)


def _scores_in(value: bytes, organiser: str, run_id: str) -> EvaluationHistory | None:
    """The DHT packs every value once more; strangers may have packed anything."""
    if len(value) > MAX_SCORES_BYTES + _PACKING_BYTES:
        return None
    try:
        packed = MSGPackSerializer.loads(value)
    except Exception:
        return None
    return scores_in(packed, organiser, run_id) if isinstance(packed, bytes) else None


def _key(run_id: str) -> str:
    return f"{run_id}_{KEY_END}"
