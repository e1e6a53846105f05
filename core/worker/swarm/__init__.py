"""The one place that knows hivemind; this face is all that the rest of the worker sees of it."""

from hivemind import __version__ as HIVEMIND_VERSION

from core.worker.swarm.averaging.optimizer import Listeners, SwarmOptimizer
from core.worker.swarm.averaging.state_download import Interrupted
from core.worker.swarm.dht.dial_back import LONGEST_SECONDS, ReachabilityResult, probe_reachability
from core.worker.swarm.dht.lan_addresses import NEARBY_LIFETIME_SECONDS, nearby_in, publish_nearby
from core.worker.swarm.dht.manifests import FoundManifests, find_manifests, publisher_of
from core.worker.swarm.dht.node import Swarm, enter_swarm
from core.worker.swarm.dht.peer_connections import connected_addresses, greet, meet, not_connected
from core.worker.swarm.dht.peer_info import CARD_LIFETIME_SECONDS, PeerInfo, publish_card, read_peer_info
from core.worker.swarm.dht.progress_reports import (
    LocalMetrics,
    guard_reports,
    peers_in,
    publish_metrics,
    swarm_loss,
)
from core.worker.swarm.dht.publisher import Publisher
from core.worker.swarm.dht.scores import published_scores, score_publisher, signed
from core.worker.swarm.patches.byte_counters import received_bytes, sent_bytes

__all__ = [
    "CARD_LIFETIME_SECONDS",
    "HIVEMIND_VERSION",
    "LONGEST_SECONDS",
    "NEARBY_LIFETIME_SECONDS",
    "FoundManifests",
    "Interrupted",
    "Listeners",
    "LocalMetrics",
    "PeerInfo",
    "Publisher",
    "ReachabilityResult",
    "Swarm",
    "SwarmOptimizer",
    "connected_addresses",
    "enter_swarm",
    "find_manifests",
    "greet",
    "guard_reports",
    "meet",
    "nearby_in",
    "not_connected",
    "peers_in",
    "probe_reachability",
    "publish_card",
    "publish_metrics",
    "publish_nearby",
    "published_scores",
    "publisher_of",
    "read_peer_info",
    "received_bytes",
    "score_publisher",
    "sent_bytes",
    "signed",
    "swarm_loss",
]
