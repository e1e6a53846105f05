"""An organiser's pictures: a run that was published from their computer, its volunteers, its model, a list of runs."""

from __future__ import annotations

import datetime
import subprocess
import sys
import time
from pathlib import Path

import msgspec

from core.engine.worker_command import worker_environment
from core.files.folders import Folders
from core.protocol.commands import NetworkMode
from core.records.contribution_totals import ContributionDelta
from core.records.store import HistoryStore, run_key
from core.run.manifest import RunManifest
from core.run.run_file import load_run_file, parse_run_file, template
from core.security.identity import Identity
from tests.support.checkout import ROOT
from tests.support.environment.x11_desktop import wait_for
from tests.support.pictures.photographer import LOOKS, USUAL, Photographer
from tests.support.real_peers import LIMIT_SECONDS, Peer, PeerGroup

RUN_ID = "adder"
_VOLUNTEERS: dict[str, NetworkMode] = {"Library 2": "direct", "Reading room": "client", "Ada's attic": "client"}
OTHERS = 1 + len(_VOLUNTEERS)  # who are in the run before the volunteer of the pictures
_LISTED = ("home-gpt2-small", "lora", "masked-lm", "tiny-gpt2-from-scratch")
_DAYS = 24  # of contributions before today
_HOUR = 3600.0


def published() -> RunManifest:
    """The run that `run new` writes, under the id of the guide."""
    manifest = parse_run_file(template())
    return msgspec.structs.replace(manifest, run=msgspec.structs.replace(manifest.run, id=RUN_ID))


def published_with_volunteers(everybody: PeerGroup) -> Peer:
    """The run's organiser, whose settings are in the folder `organiser`, with three volunteers."""
    organiser = everybody.organiser("organiser", published(), checkpoint_every_epochs=10)
    for name, network in _VOLUNTEERS.items():
        everybody.volunteer(organiser.posted, name, network, name)
    return organiser


class Organiser(Photographer):
    """Watches their own run, while others train in it."""

    def watch(self) -> None:
        """Watch the peers of the run that was published from here."""
        self.desktop.type(self.window, "ctrl+o")
        self.choose(click="Learning to add")

    def take_fleet(self) -> None:
        """What is known of the run and its peers, after a while of watching."""
        self.choose()
        self.take("organise")
        self.look("organise")
        self.choose(scroll_to="peers")
        self.take("peers")
        self.look("peers", scroll_to="peers")

    def take_export(self, folder: Path) -> None:
        """The newest checkpoint's model is written into that folder."""
        self.choose(scroll_to="top")
        self.choose(click="Export the model…")
        dialog = self.desktop.window(self.app, "The folder to make")
        self.desktop.copy(str(folder))
        self.desktop.type(dialog, "ctrl+a", "ctrl+v", "Return")
        wait_for(lambda: (folder / "README.md").exists(), "an exported model", LIMIT_SECONDS)
        self.choose()
        self.take("exported")
        self.look("exported")

    def take_contributions(self) -> None:
        """What this computer has given to others' runs, and a picture to share."""
        self.desktop.type(self.window, "ctrl+b")
        self.choose()
        self.take("contributions")
        self.look("contributions")
        self.take_dialog("picture", "Picture…", "Picture to share")
        self.desktop.type(self.window, "Escape")

    def take_report(self) -> None:
        """The help, and what *Make a report* shows."""
        self.desktop.type(self.window, "F1")
        self.choose()
        self.look("help")
        self.take_dialog("report", "Make a report…", "Report of")
        for look, button, title in (
            ("dark", "Make a report…", "Report of"),
            ("german", "Bericht erstellen\u00a0…", "Bericht"),
        ):
            self.choose(**LOOKS[look])
            self.take_dialog("report", button, title, look)
        self.choose(**USUAL)
        self.desktop.type(self.window, "Escape")

    def take_list(self, file: Path) -> None:
        """The first page, with a list of runs."""
        self.desktop.type(self.window, "Escape")
        self.choose()  # a late Escape would fold the form
        self.choose(click="Add a list of runs…")
        self.desktop.copy(str(file))
        self.desktop.type(self.window, "ctrl+v", "Return")
        self.choose(click="Add the list")
        self.choose(scroll_to="catalogue")
        self.take("list")
        self.look("list", scroll_to="catalogue")


def workerbee(home: Path, *words: str) -> None:
    """That command, as the person with that home types it."""
    environment = {**worker_environment(), "WORKERBEE_HOME": str(home), "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-m", "core.cli", *words], env=environment, check=True, timeout=LIMIT_SECONDS)


def write_list(home: Path, file: Path) -> None:
    """A signed list of the runs in `examples/`, as if they had been published by somebody with that home."""
    folders = Folders.below(home)
    folders.prepare()
    for number, name in enumerate(_LISTED):
        manifest = load_run_file(ROOT / "examples" / f"{name}.toml")
        place = folders.contents.organiser_of(manifest.run.id)
        place.mkdir(parents=True)
        peer = Identity.load_or_create(place / "identity.key").peer_id
        (place / "published.json").write_bytes(msgspec.json.encode(manifest))
        address = f"/ip4/203.0.113.{number + 5}/tcp/31337/p2p/{peer}".replace("/", "%2F")
        (place / "link").write_text(f"workerbee://join?peer={address}&run={manifest.run.id}\n")
    ids = [path.name for path in sorted(folders.contents.organiser.iterdir())]
    workerbee(home, "catalogue", "add", str(file), *ids, "--title", "Runs of our university")


def give_for_weeks(folders: Folders) -> None:
    """Contributions of some weeks to two runs: on most evenings, and longer at weekends."""
    folders.prepare()
    store, _ = HistoryStore.open(folders.contents.history_file)
    today = datetime.date.fromtimestamp(time.time())
    for before in range(1, _DAYS + 1):
        day = today - datetime.timedelta(days=before)
        hours = (0.0, 2.4, 3.1, 1.2, 2.8, 6.5, 7.2)[day.weekday()] + (before * 7 % 5) / 4
        for name, share in (("GPT-2 small over home lines", 0.7), ("Gaps in Shakespeare", 0.3)):
            seconds = hours * share * _HOUR
            given = ContributionDelta(
                name=name,
                samples=round(seconds * 31),
                epochs=round(seconds / 600),
                seconds=seconds,
                joules=seconds * 168,
                run_samples=round(seconds * 31 * 14),
                sent_bytes=round(seconds * 90_000),
                received_bytes=round(seconds * 94_000),
            )
            store.contributions.add(run_key(name, "12D3KooW"), given, day.isoformat())
    store.close()
