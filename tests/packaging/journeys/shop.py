"""The apt repository of a journey, as a publisher keeps it: `make repository`'s code, a signed index, a web server."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from installer.package.repository import KEY_FILE, make_repository
from tests.packaging.journeys.chroot import Chroot
from tests.packaging.publisher import publishers_key, serving_repository


class Shop:
    """``newest`` is the version that it offers; ``address`` is where apt finds it."""

    def __init__(self, folder: Path, address: str, key: str, package: Path) -> None:
        self._folder, self._key, self._first = folder, key, package
        self.address, self.newest = address, _field(package, "Version")
        make_repository(folder / "repository", [package], key)

    def be_known_to(self, system: Chroot) -> None:
        """What the document tells a person to do: the key, the line of the source, and `apt update`."""
        keys = system.root / "etc" / "apt" / "keyrings"
        keys.mkdir(exist_ok=True)
        shutil.copyfile(self._folder / "repository" / KEY_FILE, keys / "workerbee.asc")
        line = f"deb [signed-by=/etc/apt/keyrings/workerbee.asc arch=amd64] {self.address} stable main\n"
        (system.root / "etc" / "apt" / "sources.list.d" / "workerbee.list").write_text(line, "utf-8")
        self._update(system)

    def publish_newer(self) -> str:
        """Offer the next version, and return which one that is."""
        major, minor, *_ = self.newest.split(".")
        self.newest = f"{major}.{int(minor) + 1}.0"
        newer = _built_as(self._first, self.newest, self._folder)
        make_repository(self._folder / "repository", [newer], self._key)
        newer.unlink()
        return self.newest

    def upgrade(self, system: Chroot) -> None:
        """`apt update` and `apt upgrade`, as a person or their system does."""
        self._update(system)
        system.as_root("apt-get", "upgrade", "-y")
        installed = system.as_root("dpkg-query", "--show", "--showformat=${Version}", "workerbee")
        assert installed == self.newest, installed

    def _update(self, system: Chroot) -> None:
        # a mirror of testing may be some weeks behind, and apt would refuse its list
        system.as_root("apt-get", "-o", "Acquire::Check-Valid-Until=false", "update")


@contextmanager
def publishing(package: Path, folder: Path) -> Iterator[Shop]:
    """A repository with that package, at a web server until the block ends."""
    (folder / "repository").mkdir(parents=True)
    with publishers_key() as key, serving_repository(folder / "repository") as address:
        yield Shop(folder, address, key, package)


def _built_as(package: Path, version: str, folder: Path) -> Path:
    """The same files as another version: what a build of that version would have, in a minute less."""
    tree, was = folder / "tree", _field(package, "Version")
    subprocess.run(["dpkg-deb", "--raw-extract", str(package), str(tree)], check=True)
    (tree / "DEBIAN" / "md5sums").unlink()
    known = tree / "usr" / "lib" / "workerbee" / f"workerbee-{was}.dist-info"
    known = known.rename(known.with_name(f"workerbee-{version}.dist-info"))
    for file in (tree / "DEBIAN" / "control", known / "METADATA"):
        text, changes = re.subn(r"(?m)^Version: .*$", f"Version: {version}", file.read_text("utf-8"))
        assert changes == 1, text
        file.write_text(text, "utf-8")
    built = folder / f"workerbee_{version}_amd64.deb"
    pack = ["dpkg-deb", "--root-owner-group", "-Zgzip", "-z1", "--build", str(tree), str(built)]
    subprocess.run(pack, check=True, stdout=subprocess.DEVNULL)
    shutil.rmtree(tree)
    return built


def _field(package: Path, name: str) -> str:
    told = subprocess.run(["dpkg-deb", "--field", str(package), name], check=True, capture_output=True, text=True)
    return told.stdout.strip()
