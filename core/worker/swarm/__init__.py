"""The one place that knows hivemind; this face is all that the rest of the worker sees of it."""

from hivemind import __version__ as HIVEMIND_VERSION

from core.worker.swarm.access.admissions import Admissions
from core.worker.swarm.access.redeeming import redeem, serve_redemptions
from core.worker.swarm.aggregation.recent_peers import RecentPeers
from core.worker.swarm.averaging.optimizer import SwarmOptimizer
from core.worker.swarm.averaging.rounds import Listeners
from core.worker.swarm.averaging.state_download import Interrupted
from core.worker.swarm.dht.autonat import own_hosts
from core.worker.swarm.dht.dial_back import REACHABILITY_TEST_SECONDS, ReachabilityResult, probe_reachability
from core.worker.swarm.dht.evaluation_log import EvaluationLog, others_scores, published_scores
from core.worker.swarm.dht.manifests import FoundManifests, find_manifests, publisher_of
from core.worker.swarm.dht.node import Swarm, enter_swarm
from core.worker.swarm.dht.peer_connections import connected_addresses, dial_peers, not_connected, ping_peers
from core.worker.swarm.dht.progress_reports import PeerRecords, health_of, peers_in, peers_of, swarm_loss
from core.worker.swarm.dht.publisher import Publisher
from core.worker.swarm.dht.receipts import receipts_for, receipts_publisher
from core.worker.swarm.dht.run_records import (
    ACTIVITY,
    DISCLOSURES,
    HEALTH,
    LAN_ADDRESSES,
    MAX_DIALLERS,
    MAX_JOULES,
    MAX_REASON_CHARACTERS,
    METRICS,
    NORMS,
    PEER_INFO,
    POWER,
    PROGRESS,
    SUSPECTS,
    ActivityRecord,
    DisclosureRecord,
    HealthRecord,
    LanAddresses,
    LocalMetrics,
    PeerInfo,
    PowerRecord,
    guard_records,
)
from core.worker.swarm.experts.caller import ExpertCaller
from core.worker.swarm.experts.host import ExpertHost
from core.worker.swarm.experts.state_download import NoStateError
from core.worker.swarm.experts.traffic import AskedTokens, ExpertStanding
from core.worker.swarm.local_sgd.codecs.encoded_tensors import EncodedTensors
from core.worker.swarm.local_sgd.optimizer import LocalSgdOptimizer
from core.worker.swarm.local_sgd.state_file import MirrorUse, check_state_file, write_state_file
from core.worker.swarm.patches.byte_counters import received_bytes, sent_bytes, streamed_bytes
from core.worker.swarm.patches.shunned_peers import BarredPeers
from core.worker.swarm.progress.peer_details import PeerDetails
from core.worker.swarm.state_parts.abandoned import remove_abandoned
from core.worker.swarm.state_parts.messages import Version
from core.worker.swarm.trust.block_lists import BlockListPublisher, BlockListReader, kept_blocks_file, peer_ids
from core.worker.swarm.trust.control_values import (
    ControlPublisher,
    ControlReader,
    control_now,
    control_republisher,
)
from core.worker.swarm.trust.findings import FindingsLedger, FindingsPublisher, FindingsReader
from core.worker.swarm.trust.heartbeats import AuthorityReader, HeartbeatPublisher, heartbeat_republisher
from core.worker.swarm.trust.sample_ledger import SampleLedger
from core.worker.swarm.trust.signed_values import guard_signed_values
from core.worker.swarm.trust.suspects import SuspectLedger, norm_ratios_in, suspects_in
from core.worker.swarm.upload_test.download_meter import DownloadMeter
from core.worker.swarm.upload_test.measurement import MAX_PEERS as UPLOAD_TEST_PEERS
from core.worker.swarm.upload_test.measurement import measure_upload

__all__ = [
    "ACTIVITY",
    "DISCLOSURES",
    "HEALTH",
    "HIVEMIND_VERSION",
    "LAN_ADDRESSES",
    "MAX_DIALLERS",
    "MAX_JOULES",
    "MAX_REASON_CHARACTERS",
    "METRICS",
    "NORMS",
    "PEER_INFO",
    "POWER",
    "PROGRESS",
    "REACHABILITY_TEST_SECONDS",
    "SUSPECTS",
    "UPLOAD_TEST_PEERS",
    "ActivityRecord",
    "Admissions",
    "AskedTokens",
    "AuthorityReader",
    "BarredPeers",
    "BlockListPublisher",
    "BlockListReader",
    "ControlPublisher",
    "ControlReader",
    "DisclosureRecord",
    "DownloadMeter",
    "EncodedTensors",
    "EvaluationLog",
    "ExpertCaller",
    "ExpertHost",
    "ExpertStanding",
    "FindingsLedger",
    "FindingsPublisher",
    "FindingsReader",
    "FoundManifests",
    "HealthRecord",
    "HeartbeatPublisher",
    "Interrupted",
    "LanAddresses",
    "Listeners",
    "LocalMetrics",
    "LocalSgdOptimizer",
    "MirrorUse",
    "NoStateError",
    "PeerDetails",
    "PeerInfo",
    "PeerRecords",
    "PowerRecord",
    "Publisher",
    "ReachabilityResult",
    "RecentPeers",
    "SampleLedger",
    "SuspectLedger",
    "Swarm",
    "SwarmOptimizer",
    "Version",
    "check_state_file",
    "connected_addresses",
    "control_now",
    "control_republisher",
    "dial_peers",
    "enter_swarm",
    "find_manifests",
    "guard_records",
    "guard_signed_values",
    "health_of",
    "heartbeat_republisher",
    "kept_blocks_file",
    "measure_upload",
    "norm_ratios_in",
    "not_connected",
    "others_scores",
    "own_hosts",
    "peer_ids",
    "peers_in",
    "peers_of",
    "ping_peers",
    "probe_reachability",
    "published_scores",
    "publisher_of",
    "receipts_for",
    "receipts_publisher",
    "received_bytes",
    "redeem",
    "remove_abandoned",
    "sent_bytes",
    "serve_redemptions",
    "streamed_bytes",
    "suspects_in",
    "swarm_loss",
    "write_state_file",
]
