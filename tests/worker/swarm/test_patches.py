"""hivemind is changed by one call, never by an import, and only where its version is known."""

from __future__ import annotations

import json
import subprocess
import sys

SNAPSHOT = """
import importlib, json, pkgutil, sys, types
import hivemind, hivemind.optim.power_sgd_averager, hivemind.p2p.p2p_daemon_bindings.control

def attributes():
    found = {}
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "hivemind":
            for key, value in list(vars(module).items()):
                found[f"{name}.{key}"] = value
                if isinstance(value, type) and value.__module__ == name:
                    found |= {f"{name}.{key}.{inner}": each for inner, each in vars(value).items()}
    return found

def changed():
    now = attributes()
    names = (name for name, value in before.items() if value is not now.get(name))
    return sorted(name for name in names if not name.rpartition(".")[2].startswith("_abc"))

before = attributes()
import core.worker.swarm
for each in pkgutil.walk_packages(core.worker.swarm.__path__, "core.worker.swarm."):
    importlib.import_module(each.name)
imported = changed()
core.worker.swarm.patches.apply()
applied = {name: attributes()[name] for name in changed()}
core.worker.swarm.patches.apply()
is_once = changed() == [*applied] and all(attributes()[name] is value for name, value in applied.items())
print(json.dumps({"imported": imported, "applied": [*applied], "is_once": is_once}))
"""

OTHER_VERSION = """
import hivemind
hivemind.__version__ = "1.1.13"
from core.errors import UserError
from core.worker.swarm import patches
try:
    patches.apply()
except UserError as error:
    print(error.problem.key, error.detail)
print(hivemind.averaging.averager.Matchmaking.__name__)
"""


def printed_by(program: str) -> str:
    """What a fresh process prints that runs it."""
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return finished.stdout


def test_imports_change_nothing_and_apply_changes_exactly_this_once() -> None:
    seen = json.loads(printed_by(SNAPSHOT))
    assert seen["imported"] == []
    assert seen["is_once"]
    assert {name for name in seen["applied"] if not name.endswith(".get_dht_time")} == {
        "hivemind.averaging.averager.Matchmaking",
        "hivemind.averaging.averager.switch_to_uvloop",
        "hivemind.averaging.control.StepControl.cancel",
        "hivemind.dht.dht.switch_to_uvloop",
        "hivemind.dht.node.DHTNode.find_nearest_nodes",
        "hivemind.dht.protocol.DHTProtocol.get_stub",
        "hivemind.dht.protocol.DHTProtocol.rpc_find",
        "hivemind.dht.protocol.DHTProtocol.rpc_store",
        "hivemind.p2p.p2p_daemon.P2P._UNIX_SOCKET_PREFIX",
        "hivemind.p2p.p2p_daemon.P2P.receive_raw_data",
        "hivemind.p2p.p2p_daemon.P2P.send_raw_data",
        "hivemind.p2p.p2p_daemon_bindings.control.ControlClient.__init__",
        "hivemind.p2p.p2p_daemon_bindings.control.ControlClient.add_unary_handler",
        "hivemind.p2p.p2p_daemon_bindings.control.ControlClient.call_unary_handler",
        "hivemind.p2p.p2p_daemon_bindings.datastructures.PeerID.__init__",
        "hivemind.utils.serializer.MSGPackSerializer._decode_ext_types",
    }
    assert {
        "hivemind.averaging.averager.get_dht_time",
        "hivemind.dht.node.get_dht_time",
        "hivemind.optim.progress_tracker.get_dht_time",
        "hivemind.utils.get_dht_time",
        "hivemind.utils.timed_storage.get_dht_time",
    } <= set(seen["applied"])


def test_another_version_is_refused_in_words_and_left_as_it_is() -> None:
    refusal, matchmaking = printed_by(OTHER_VERSION).splitlines()
    assert refusal == "protocol_mismatch It has hivemind 1.1.13; this program works with 1.1.12 only."
    assert matchmaking == "Matchmaking"
