"""The demo's organiser: the run of the template, on loopback, for this computer alone."""

from __future__ import annotations

import msgspec

from core.files.folders import Folders
from core.protocol.commands import Publish
from core.run.manifest import RunManifest
from core.run.multiaddr import Multiaddr
from core.run.run_file import parse_run_file, template
from core.run.spec.collaboration import Mode

DEMO_THREADS = 1  # for each peer; so small a model gains nothing from more
_LISTEN = Multiaddr("/ip4/127.0.0.1/tcp/0")


def publish_demo(folders: Folders, mode: Mode = "gradients") -> Publish:
    """The command that publishes the demo's run in that mode on loopback, with the keys in those folders."""
    manifest = parse_run_file(template())
    together = msgspec.structs.replace(manifest.collaboration, mode=mode)
    return publish_here(msgspec.structs.replace(manifest, collaboration=together), folders, "cpu", DEMO_THREADS)


def publish_here(manifest: RunManifest, folders: Folders, device: str, threads: int) -> Publish:
    """The command that publishes any run on loopback only."""
    return Publish(manifest=manifest, home=str(folders.data), listen=(_LISTEN,), device=device, threads=threads)
