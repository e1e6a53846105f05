"""Where a catalogue lies: an https address or a file of this computer; and how it is read from there, within bounds."""

from __future__ import annotations

import re
from pathlib import Path

from core.catalogue.catalogue import MAX_CATALOGUE_BYTES
from core.catalogue.refusal import RefusedCatalogueError
from core.catalogue.signed_file import SignedCatalogue, open_catalogue
from core.files.json_file import FileTooLongError, read_bounded
from core.localizable import Detail, words_of

_HTTPS = r"https://[!-~]{1,2000}"
_LOOPBACK = r"http://(?:127\.0\.0\.1|localhost)(?::[0-9]{1,5})?(?:/[!-~]{0,1000})?"
_FILE = r"/[^\x00-\x1f\x7f-\x9f\ud800-\udfff]{1,4000}"
SOURCE = rf"^(?:{_HTTPS}|{_LOOPBACK}|{_FILE})\Z"


def source_in(text: str) -> str:
    """The address or the absolute path that a person has typed; raises RefusedCatalogueError for anything else."""
    text = text.strip()
    if text.startswith("~/"):
        text = str(Path(text).expanduser())
    if not re.match(SOURCE, text):
        raise RefusedCatalogueError("no_address", text[:200])
    return text


def is_web_address(source: str) -> bool:
    """Whether that source is on the web, and not a file."""
    return not source.startswith("/")


def read_catalogue(source: str) -> SignedCatalogue:
    """The catalogue that lies there, verified; raises RefusedCatalogueError."""
    return open_catalogue(_read(source))


def _read(source: str) -> bytes:
    """Its bytes, a few more at the most than a catalogue may have; no address leads into the own network."""
    import http.client  # OpenSSL comes with it, which the window's process need not hold

    from core.security.address_guard import AddressRefusedError
    from core.security.https_fetch import fetch

    try:
        if not is_web_address(source):
            return read_bounded(Path(source), MAX_CATALOGUE_BYTES)
        return fetch(source, MAX_CATALOGUE_BYTES, is_guarded=True)
    except FileTooLongError as error:
        raise RefusedCatalogueError("too_large") from error
    except (OSError, http.client.HTTPException, ValueError, AddressRefusedError) as error:
        raise RefusedCatalogueError("unreachable", _words_of(error)) from error


def _words_of(error: Exception) -> Detail:
    """Why nothing was read, without the signs that only programmers know."""
    reason = getattr(error, "reason", error)  # of what urllib wraps
    cause = reason if isinstance(reason, Exception) else error
    words = cause.strerror if isinstance(cause, OSError) else None
    return words or words_of(cause) or type(cause).__name__
