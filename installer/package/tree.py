"""The package's files, laid out as they will lie on a volunteer's computer."""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import tomllib
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path

from installer.package import icons, qt, wheels
from installer.package.engine_lists import complete
from installer.package.licences import copyright_text
from installer.package.publisher import maintainer, pictures_address, with_pictures

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
_METAINFO = "org.workerbee.Workerbee.metainfo.xml"
_UV_PROGRAM = "uv-*.data/scripts/uv"


@dataclass(frozen=True)
class Release:
    """``seconds`` are the last commit's time, as is everything in the package that has a date."""

    version: str
    seconds: int

    @property
    def date(self) -> str:
        """As AppStream and manual pages write it."""
        return datetime.fromtimestamp(self.seconds, UTC).strftime("%Y-%m-%d")

    @property
    def rfc_date(self) -> str:
        """As Debian's changelog writes it."""
        return format_datetime(datetime.fromtimestamp(self.seconds, UTC))

    def fill(self, text: str) -> str:
        """Put them where a text wants them."""
        return text.replace("@VERSION@", self.version).replace("@DATE@", self.date)


def release() -> Release:
    """Of the commit that is checked out."""
    command = ["git", "log", "-1", "--format=%ct"]
    last = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    return Release(version, int(os.environ.setdefault("SOURCE_DATE_EPOCH", last)))


def lay_out(root: Path, scratch: Path, release: Release) -> None:
    """Everything below ``root``; ``scratch`` is for what is fetched."""
    home = root / "usr" / "lib" / "workerbee"
    home.mkdir(parents=True)
    _copy_program(home)
    _write_metadata(home / f"workerbee-{release.version}.dist-info", release)
    vendor = _unpack_libraries(home, scratch)
    shipped = wheels.make(HERE / "shipped.txt", home / "wheels")
    complete(home / "resources" / "engine", shipped)
    _write_shared(root, release)
    documents = root / "usr" / "share" / "doc" / "workerbee"
    documents.mkdir(parents=True)
    (documents / "copyright").write_text(copyright_text(ROOT / "LICENSE", vendor), "utf-8")
    (documents / "changelog.gz").write_bytes(_gzipped(_changelog(release)))
    _tidy(root)


def _copy_program(home: Path) -> None:
    """What git knows of, so that nothing that lies about gets in."""
    listed = subprocess.run(
        ["git", "ls-files", "app", "core", "resources"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    for name in listed.splitlines():
        if not name.endswith(".ts"):
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, home / name)


def _write_metadata(folder: Path, release: Release) -> None:
    """By which the program knows its own version."""
    folder.mkdir()
    text = f"Metadata-Version: 2.1\nName: workerbee\nVersion: {release.version}\n"
    (folder / "METADATA").write_text(text, "utf-8")


def _unpack_libraries(home: Path, scratch: Path) -> Path:
    vendor, uv = home / "vendor", scratch / "uv"
    fetched = wheels.fetch(HERE / "client.txt", scratch / "wheels")
    wheels.unpack((each for each in fetched if not wheels.is_of(each, "uv")), vendor)
    qt.slim(vendor)
    wheels.unpack((each for each in fetched if wheels.is_of(each, "uv")), uv)
    (home / "bin").mkdir()
    shutil.copyfile(next(uv.glob(_UV_PROGRAM)), home / "bin" / "uv")
    shutil.copytree(next(uv.glob("*.dist-info")), vendor / next(uv.glob("*.dist-info")).name)
    return vendor


def _write_shared(root: Path, release: Release) -> None:
    share = root / "usr" / "share"
    places = {
        "workerbee": root / "usr" / "bin" / "workerbee",
        "workerbee.desktop": share / "applications" / "workerbee.desktop",
        "workerbee-mime.xml": share / "mime" / "packages" / "workerbee.xml",
        "lintian-overrides": share / "lintian" / "overrides" / "workerbee",
        _METAINFO: share / "metainfo" / _METAINFO,
    }
    for name, place in places.items():
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(release.fill((HERE / "files" / name).read_text("utf-8")), "utf-8")
    metainfo = places[_METAINFO]
    pictures = ROOT / "resources" / "pictures"
    metainfo.write_text(with_pictures(metainfo.read_text("utf-8"), pictures_address(), pictures), "utf-8")
    manual = share / "man" / "man1"
    manual.mkdir(parents=True)
    text = release.fill((HERE / "files" / "workerbee.1").read_text("utf-8"))
    (manual / "workerbee.1.gz").write_bytes(_gzipped(text))
    icons.draw(ROOT / "resources" / "icons" / "workerbee.svg", share / "icons" / "hicolor")


def _changelog(release: Release) -> str:
    """Debian's form of it; the project's own CHANGELOG.md is beside the source."""
    return (
        f"workerbee ({release.version}) stable; urgency=medium\n\n  * Release {release.version}.\n\n"
        f" -- {maintainer()}  {release.rfc_date}\n"
    )


def _gzipped(text: str) -> bytes:
    return gzip.compress(text.encode(), 9, mtime=0)


def _tidy(root: Path) -> None:
    """The same rights on every machine; nothing that a wheel brought for other systems or for building."""
    programs = {root / "usr" / "bin" / "workerbee", root / "usr" / "lib" / "workerbee" / "bin" / "uv"}
    for each in sorted(root.rglob("*")):
        each.chmod(0o755 if each.is_dir() or each in programs else 0o644)
