"""Make an apt repository of the packages: files for any web server, whose index is signed by the publisher's GPG key.

make repository ARGS="--key FINGERPRINT [--valid-days DAYS] [--to FOLDER] [PACKAGE …]"

Called again with a newer package, it adds that; what apt has begun to fetch by an older index stays there (by-hash).
An index is valid for 90 days (Valid-Until), so that a server that was taken over cannot hold updates back for longer.
Called again without a newer package, it signs the index anew.
Format: https://wiki.debian.org/DebianRepository/Format. The key stays in gpg, of which this asks for two signatures.
"""

from __future__ import annotations

import argparse
import hashlib
import lzma
import shutil
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

from installer.package.tree import ROOT

_SUITE, _COMPONENT, _ARCHITECTURE = "stable", "main", "amd64"
_INDEX = f"{_COMPONENT}/binary-{_ARCHITECTURE}"
_POOL = f"pool/{_COMPONENT}/w/workerbee"
VALID_DAYS = 90
"""How long apt believes an index, unless the publisher asks for another time."""
KEY_FILE = "workerbee.asc"
"""The public key, which a person lays into /etc/apt/keyrings."""


class NotMadeError(Exception):
    """The repository was left as it was; says why, and what to do."""


def main(words: Sequence[str] | None = None) -> int:
    """2 where there is no package, 1 where the repository cannot be made; what is wrong is told on stderr."""
    parser = argparse.ArgumentParser(prog="python -m installer.package.repository", description="An apt repository.")
    parser.add_argument("packages", nargs="*", type=Path, help="the .deb files; those in dist if none is named")
    parser.add_argument("--key", required=True, help="the publisher's GPG key: its fingerprint or address")
    parser.add_argument("--to", type=Path, default=ROOT / "dist" / "repository", help="the folder")
    parser.add_argument("--valid-days", type=_days, default=VALID_DAYS, help="how long apt believes the index")
    asked = parser.parse_args(words)
    packages = asked.packages or sorted((ROOT / "dist").glob("workerbee_*.deb"))
    if not packages and not any((asked.to / _POOL).glob("*.deb")):
        print("There is no package in dist: make installer builds it.", file=sys.stderr)
        return 2
    try:
        ends = make_repository(asked.to, packages, asked.key, timedelta(days=asked.valid_days))
    except NotMadeError as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        print(f"{error.filename}: {error.strerror}. Nothing of it was signed.", file=sys.stderr)
        return 1
    print(f"{asked.to}: copy it to a web server, its folder dists last.")
    print(f"apt believes it until {ends:%Y-%m-%d}. Make it again before, with or without a newer package.")
    return 0


def _days(text: str) -> int:
    days = int(text)
    if not 1 <= days <= 3650:
        raise ValueError(text)
    return days


def make_repository(
    folder: Path, packages: Sequence[Path], key: str, valid: timedelta = timedelta(days=VALID_DAYS)
) -> datetime:
    """Add those packages to the repository in ``folder`` and sign its index; return until when that is valid.

    What a client reads first, the signed index, is replaced last, and nothing of the index before all is signed.
    Raises NotMadeError where gpg or dpkg-deb refuses, and OSError.
    """
    pool, suite = folder / _POOL, folder / "dists" / _SUITE
    public_key = _gpg("--armor", "--export", key)
    entries = {package.name: _control_fields(package) for package in packages}  # all are read before any is added
    for package in packages:
        _dpkg_deb("--contents", package)  # to its end, as one that was cut has control fields, too
    pool.mkdir(parents=True, exist_ok=True)
    for package in packages:
        shutil.copyfile(package, pool / package.name)
    held = sorted(pool.glob("*.deb"))
    index = "\n".join(_entry(each, folder, entries.get(each.name)) for each in held).encode("utf-8")
    files = {"Packages": index, "Packages.xz": lzma.compress(index)}
    made = datetime.now(UTC)
    signed = _signed(_release(files, made, made + valid).encode("utf-8"), key)
    by_hash = suite / _INDEX / "by-hash" / "SHA256"
    by_hash.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (by_hash / _sha256(content)).write_bytes(content)
        (suite / _INDEX / name).write_bytes(content)
    for name, content in signed.items():
        (suite / f"{name}.new").write_bytes(content)
        (suite / f"{name}.new").replace(suite / name)
    (folder / KEY_FILE).write_bytes(public_key)
    return made + valid


def _control_fields(package: Path) -> str:
    return _dpkg_deb("--field", package).decode()


def _dpkg_deb(wanted: str, package: Path) -> bytes:
    return _run("dpkg-deb", wanted, str(package), advice="Name a .deb that `make installer` has built to its end.")


def _entry(package: Path, folder: Path, fields: str | None) -> str:
    """The package's paragraph in the index: its control fields, where it is, its size in bytes and its hash."""
    fields = _control_fields(package) if fields is None else fields
    with package.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    place = package.relative_to(folder).as_posix()
    return f"{fields.rstrip()}\nFilename: {place}\nSize: {package.stat().st_size}\nSHA256: {digest}\n"


def _release(files: dict[str, bytes], made: datetime, ends: datetime) -> str:
    listed = (f" {_sha256(content)} {len(content)} {_INDEX}/{name}" for name, content in files.items())
    lines = (
        "Origin: Workerbee",
        "Label: Workerbee",
        f"Suite: {_SUITE}",
        f"Codename: {_SUITE}",
        f"Date: {format_datetime(made, usegmt=True)}",
        f"Valid-Until: {format_datetime(ends, usegmt=True)}",
        f"Architectures: {_ARCHITECTURE}",
        f"Components: {_COMPONENT}",
        "Acquire-By-Hash: yes",
        "SHA256:",
        *listed,
    )
    return "\n".join(lines) + "\n"


def _signed(release: bytes, key: str) -> dict[str, bytes]:
    """Both forms that apt knows: the index with its signature beside it, and last the one with it inside."""
    how = ("--local-user", key, "--digest-algo", "SHA512", "--armor", "--output", "-")
    inside = _gpg(*how, "--clearsign", told=release)
    beside = _gpg(*how, "--detach-sign", told=release)
    return {"Release.gpg": beside, "Release": release, "InRelease": inside}


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _gpg(*words: str, told: bytes = b"") -> bytes:
    """What gpg answers; raises NotMadeError, too, where there is nothing to export."""
    advice = (
        "Name a key of yours that `gpg --list-secret-keys` shows; `gpg --quick-generate-key ADDRESS` makes one. "
        "If it has a passphrase, run this where gpg can ask for it."
    )
    answer = _run("gpg", "--batch", "--yes", *words, advice=advice, told=told)
    if not answer:
        raise NotMadeError(f"gpg knows no such key. {advice}")
    return answer


def _run(program: str, *words: str, advice: str, told: bytes = b"") -> bytes:
    try:
        done = subprocess.run([program, *words], input=told, capture_output=True, check=False)
    except FileNotFoundError:
        raise NotMadeError(f"{program} is not installed: `sudo apt install gnupg dpkg`.") from None
    if done.returncode:
        said = (done.stderr.decode("utf-8", "replace").strip().splitlines() or [f"exit code {done.returncode}"])[0]
        raise NotMadeError(f"{program} has refused: {said}. {advice}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
