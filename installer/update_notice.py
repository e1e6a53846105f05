"""Announce a newer version: for whoever builds the package and puts it on a server.

    python -m installer.update_notice key  publisher.key
    python -m installer.update_notice sign publisher.key --version 0.2.0 --page https://… latest.json
    python -m installer.update_notice sign … --portable workerbee-0.2.0.run --portable-address https://… latest.json

The first makes a key (mode 0600) where there is none, and prints what belongs into resources/updates.toml
before the package is built. The second writes the signed notice, to be put at the address that stands there. The third
signs the digest of the .run file, too, which `workerbee update` then installs from the address that is named.
Who loses the key can announce nothing to those who have the package; who steals it can announce a false page, and a
false program to those who update the portable form.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from core.errors import UserError
from core.files.atomic import write_atomically
from core.security.identity import Identity
from core.updates.notice import PortableFile, SignedNotice, UpdateNotice, notice_in

_RULES = {
    "$.version": "--version is two to four numbers with dots between, such as 0.2.0.",
    "$.page": "--page is an address that begins with https://, of printable ASCII letters.",
    "$.portable.address": "--portable-address is such an address, too.",
    "$.portable.size": "--portable is a file of 1 byte to 1 GB.",
}


def main(words: Sequence[str] | None = None) -> int:
    """2 for what cannot be signed as it was typed, 1 for a file that cannot be read or written."""
    asked = _parser().parse_args(words)
    if asked.command == "sign" and (asked.portable is None) != (asked.portable_address is None):
        return _say("--portable and --portable-address belong together.", 2)
    try:
        if asked.command == "key":
            print(Identity.load_or_create(asked.key).peer_id)
        else:
            portable = _portable(asked.portable, asked.portable_address)
            _sign(asked.key, UpdateNotice(version=asked.version, page=asked.page, portable=portable), asked.notice)
    except UserError as error:
        return _say(f"{error.problem.title} {error.detail}", 1)
    except OSError as error:
        return _say(f"{error.filename}: {error.strerror}.", 1)
    except msgspec.ValidationError as error:
        which = next((words for field, words in _RULES.items() if field in str(error)), f"{error}.")
        return _say(f"It cannot be announced so: {which}", 2)
    return 0


def _portable(file: Path | None, address: str | None) -> PortableFile | None:
    if file is None or address is None:
        return None
    with file.open("rb") as opened:
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
    return PortableFile(address=address, size_bytes=file.stat().st_size, sha256=digest)


def _sign(key: Path, notice: UpdateNotice, file: Path) -> None:
    """Never with a key that nobody knows yet."""
    key.stat()
    publisher = Identity.load_or_create(key)
    encoded = SignedNotice.sign(notice, publisher).to_bytes()
    notice_in(encoded, publisher.peer_id)
    write_atomically(file, encoded, 0o644)
    print(f"{file}: version {notice.version}, signed by {publisher.peer_id}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m installer.update_notice", description="Announce a newer version of Workerbee."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    key = commands.add_parser("key", help="make a key if there is none, and print its public half")
    sign = commands.add_parser("sign", help="write the signed notice")
    for command in (key, sign):
        command.add_argument("key", type=Path, help="the secret key's file")
    sign.add_argument("--version", required=True, help="such as 0.2.0")
    sign.add_argument("--page", required=True, help="where a person finds it; https only")
    sign.add_argument("--portable", type=Path, help="its .run file, where `workerbee update` shall install it")
    sign.add_argument("--portable-address", help="where that file can be fetched; https only")
    sign.add_argument("notice", type=Path, help="the file to write")
    return parser


def _say(words: str, code: int) -> int:
    print(words, file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
