"""Install, use, upgrade and remove the package in bare systems, as a volunteer would; needs root, some GB of disk.

    make installer-test [ARGS="bookworm trixie testing"]

Debian 12 makes the engine for the CPU. Debian 13 and testing are told of an NVIDIA driver, and make the one for GPUs
(2.9 GB to download), which computes on the CPU there.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from core.engine.builds import BuildName
from installer.package.check import newest_package
from tests.packaging.journeys.chroot import Chroot, bare
from tests.packaging.journeys.lender import Lender
from tests.packaging.journeys.onlooker import sees_upgrade
from tests.packaging.journeys.shop import Shop, publishing
from tests.packaging.journeys.volunteer import Volunteer
from tests.packaging.journeys.wheels import fetch
from tests.support.checkout import ROOT
from tests.support.environment.package_index import serving_wheels
from tests.support.environment.x11_desktop import Desktop
from tests.support.real_peers import Peer, peer_group

_BUILD = ROOT / "build"
_OF_A_DESKTOP = ("desktop-file-utils", "shared-mime-info", "xdg-utils", "libglib2.0-bin")
_DRIVER = "#!/bin/sh\necho 580.95.05\n"


@dataclass(frozen=True)
class Journey:
    """A system, its Python, and the engine that suits it."""

    suite: str
    python: str
    build: BuildName


_JOURNEYS = (
    Journey("bookworm", "3.11", "cpu"),
    Journey("trixie", "3.13", "cuda13"),
    Journey("testing", "3.14", "cuda13"),  # in whose Python and libraries Ubuntu 26.04 is alike
)


def main() -> int:
    """0 if all of them came to a good end."""
    parser = argparse.ArgumentParser(description="Install, use, upgrade and remove the package in bare systems.")
    parser.add_argument("suites", nargs="*", help="bookworm, trixie, testing; all if none is named")
    parser.add_argument("--chroots", type=Path, default=_BUILD / "chroots", help="where they are made")
    parser.add_argument("--wheels", type=Path, default=_BUILD / "wheels", help="where downloads are kept")
    parser.add_argument("--package", type=Path, help="the one to try, if not the one that was built last")
    asked = parser.parse_args()
    package = asked.package or newest_package()
    for journey in _JOURNEYS:
        if not asked.suites or journey.suite in asked.suites:
            _travel(journey, package, asked.chroots, asked.wheels / journey.build)
    return 0


def _travel(journey: Journey, package: Path, chroots: Path, wheels: Path) -> None:
    say = _Diary(journey.suite)
    fetch(journey.build, journey.python, wheels)
    say("the engine's wheels are here")
    with (
        tempfile.TemporaryDirectory(prefix="journey-") as made,
        serving_wheels(wheels) as index,
        bare(journey.suite, chroots) as system,
        peer_group(Path(made)) as everybody,
        Desktop(Path(made) / "desktop") as desktop,
        publishing(package, Path(made) / "shop") as shop,
    ):
        if journey.build == "cuda13":
            _pretend_driver(system)
        system.as_root("apt-get", "install", "-y", "--no-install-recommends", *_OF_A_DESKTOP)
        system.install(package)
        system.as_root("apt-get", "purge", "-y", "workerbee")
        shop.be_known_to(system)
        before = system.files()
        system.as_root("apt-get", "install", "-y", "--no-install-recommends", "workerbee")
        say(f"installed {shop.newest} from the repository")
        person = Volunteer(desktop, system, index.url, _BUILD / "pictures" / journey.suite)
        upgrade = partial(_upgrade, shop, system)
        organiser = everybody.organiser()
        _use(person, organiser, upgrade, say)
        _lend(Lender(desktop, system), organiser, upgrade, say)
        system.as_root("apt-get", "purge", "-y", "workerbee")
        after = system.files()
        assert before == after, sorted(before ^ after)[:50]
        say(f"purged; the {len(after)} files are those of before")


def _upgrade(shop: Shop, system: Chroot) -> str:
    """Publish a newer version, and have apt install it; returns which one that is."""
    version = shop.publish_newer()
    shop.upgrade(system)
    return version


def _use(person: Volunteer, organiser: Peer, upgrade: Callable[[], str], say: _Diary) -> None:
    app = person.start()
    seconds = person.make_engine(app)
    say(f"the engine was made in {seconds:.0f} s")
    person.train(app, organiser)
    say("trains")
    sees_upgrade(organiser, app, upgrade)
    person.has_gone_on(app)
    say("upgraded by apt while it trained: said goodbye, and trains by itself as the newer version")
    person.pause(app)
    say("paused from the tray")
    person.quit(app)
    say("quit")
    for opener in ("xdg-open", "gio open"):
        person.follow(opener, organiser)
        say(f"opened by {opener}")


def _lend(person: Lender, organiser: Peer, upgrade: Callable[[], str], say: _Diary) -> None:
    service = person.install_service(organiser)
    say("the service trains")
    sees_upgrade(organiser, service, upgrade)
    person.has_begun_anew(service)
    say("upgraded by apt while the service trained: the same")
    person.end_service(service)


def _pretend_driver(system: Chroot) -> None:
    program = system.root / "usr" / "local" / "bin" / "nvidia-smi"
    program.write_text(_DRIVER, "utf-8")
    program.chmod(0o755)


class _Diary:
    """One line for each thing that has come to a good end."""

    def __init__(self, suite: str) -> None:
        self._suite, self._begun = suite, time.monotonic()

    def __call__(self, words: str) -> None:
        print(f"{self._suite} {time.monotonic() - self._begun:6.0f} s  {words}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
