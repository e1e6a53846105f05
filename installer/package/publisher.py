"""Who publishes the package (`publisher.toml`), and what AppStream's metadata says on their behalf."""

from __future__ import annotations

import tomllib
from pathlib import Path
from xml.etree import ElementTree

_PNG_HEAD_BYTES = 24
_FILE = Path(__file__).with_name("publisher.toml")


def maintainer() -> str:
    """Debian's field: a name and a mail address."""
    return str(tomllib.loads(_FILE.read_text("utf-8"))["maintainer"])


def pictures_address() -> str:
    """The web folder that holds the pictures; empty where nobody has put them on the web."""
    return str(tomllib.loads(_FILE.read_text("utf-8"))["pictures"])


def with_pictures(metainfo: str, address: str, folder: Path) -> str:
    """The AppStream metadata with each picture's address and real size (pixels); without any, if ``address`` is empty.

    The screenshots of ``metainfo`` name files in ``folder``. Raises ValueError for an address that is not https,
    which AppStream requires (https://www.freedesktop.org/software/appstream/docs/chap-Metadata.html, screenshots).
    """
    if address and not address.startswith("https://"):
        raise ValueError(f"publisher.toml: pictures must be an https address, not {address!r}")
    component = ElementTree.fromstring(metainfo)
    for screenshots in component.findall("screenshots"):
        if not address:
            component.remove(screenshots)
        for image in screenshots.iter("image"):
            name = image.text or ""
            width, height = _size_of(folder / name)
            image.attrib |= {"width": str(width), "height": str(height)}
            image.text = f"{address.rstrip('/')}/{name}"
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(component, encoding="unicode") + "\n"


def _size_of(picture: Path) -> tuple[int, int]:
    """Width and height in pixels, from the header that every PNG begins with (W3C PNG specification, IHDR)."""
    head = picture.read_bytes()[:_PNG_HEAD_BYTES]
    return int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")
