"""Make an apt repository of the packages: files for any web server, whose index is signed by the publisher's GPG key.

make repository ARGS="--key FINGERPRINT [--to FOLDER] [PACKAGE …]"

Called again with a newer package, it adds that; what apt has begun to fetch by an older index stays there (by-hash).
Format: https://wiki.debian.org/DebianRepository/Format. The key stays in gpg, of which this asks for two signatures.
"""

from __future__ import annotations

import argparse
import hashlib
import lzma
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path

from installer.package.tree import ROOT

_SUITE, _COMPONENT, _ARCHITECTURE = "stable", "main", "amd64"
_INDEX = f"{_COMPONENT}/binary-{_ARCHITECTURE}"
_POOL = f"pool/{_COMPONENT}/w/workerbee"
KEY_FILE = "workerbee.asc"
"""The public key, which a person lays into /etc/apt/keyrings."""


def main(words: Sequence[str] | None = None) -> int:
    """Whether it was made, as an exit code."""
    parser = argparse.ArgumentParser(prog="python -m installer.package.repository", description="An apt repository.")
    parser.add_argument("packages", nargs="*", type=Path, help="the .deb files; those in dist if none is named")
    parser.add_argument("--key", required=True, help="the publisher's GPG key: its fingerprint or address")
    parser.add_argument("--to", type=Path, default=ROOT / "dist" / "repository", help="the folder")
    asked = parser.parse_args(words)
    packages = asked.packages or sorted((ROOT / "dist").glob("workerbee_*.deb"))
    if not packages:
        print("There is no package in dist: make installer builds it.", file=sys.stderr)
        return 2
    make_repository(asked.to, packages, asked.key)
    print(f"{asked.to}: copy it to a web server, its folder dists last.")
    return 0


def make_repository(folder: Path, packages: Iterable[Path], key: str) -> None:
    """Add those packages to the repository in ``folder`` and sign its index; raises CalledProcessError where gpg fails.

    What a client reads first, the signed index, is replaced last.
    """
    pool, suite = folder / _POOL, folder / "dists" / _SUITE
    pool.mkdir(parents=True, exist_ok=True)
    for package in packages:
        shutil.copyfile(package, pool / package.name)
    index = "\n".join(_entry(package, folder) for package in sorted(pool.glob("*.deb"))).encode("utf-8")
    files = {"Packages": index, "Packages.xz": lzma.compress(index)}
    for name, content in files.items():
        by_hash = suite / _INDEX / "by-hash" / "SHA256"
        by_hash.mkdir(parents=True, exist_ok=True)
        (by_hash / _sha256(content)).write_bytes(content)
        (suite / _INDEX / name).write_bytes(content)
    (suite / "Release.new").write_text(_release(files), "utf-8")
    _sign(suite, key)
    (folder / KEY_FILE).write_bytes(_gpg("--armor", "--export", key))


def _entry(package: Path, folder: Path) -> str:
    """The package's paragraph in the index: its control fields, where it is, its size in bytes and its hash."""
    fields = subprocess.run(["dpkg-deb", "--field", str(package)], check=True, capture_output=True, text=True).stdout
    with package.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    place = package.relative_to(folder).as_posix()
    return f"{fields.rstrip()}\nFilename: {place}\nSize: {package.stat().st_size}\nSHA256: {digest}\n"


def _release(files: dict[str, bytes]) -> str:
    now = format_datetime(datetime.now(UTC), usegmt=True)
    listed = (f" {_sha256(content)} {len(content)} {_INDEX}/{name}" for name, content in files.items())
    lines = (
        "Origin: Workerbee",
        "Label: Workerbee",
        f"Suite: {_SUITE}",
        f"Codename: {_SUITE}",
        f"Date: {now}",
        f"Architectures: {_ARCHITECTURE}",
        f"Components: {_COMPONENT}",
        "Acquire-By-Hash: yes",
        "SHA256:",
        *listed,
    )
    return "\n".join(lines) + "\n"


def _sign(suite: Path, key: str) -> None:
    """Both forms that apt knows: the index with its signature inside, and beside it."""
    release = suite / "Release.new"
    how = ("--local-user", key, "--digest-algo", "SHA512", "--armor")
    inside = _gpg(*how, "--output", "-", "--clearsign", str(release))
    beside = _gpg(*how, "--output", "-", "--detach-sign", str(release))
    (suite / "InRelease.new").write_bytes(inside)
    (suite / "Release.gpg").write_bytes(beside)
    release.replace(suite / "Release")
    (suite / "InRelease.new").replace(suite / "InRelease")


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _gpg(*words: str) -> bytes:
    return subprocess.run(["gpg", "--batch", "--yes", *words], check=True, capture_output=True).stdout


if __name__ == "__main__":
    sys.exit(main())
