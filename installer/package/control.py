"""What dpkg is told about the package."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

from installer.package.libraries import newest_glibc, packages_for
from installer.package.publisher import maintainer
from installer.package.tree import HERE

# No upper bound for Python: on a newer one the launcher looks for one of ours, or says what is missing.
# A window without a font shows boxes; the engine's files come over TLS.
_ALWAYS = ("python3 (>= 3.11)", "ca-certificates")
_FONTS = "fonts-dejavu-core | fonts-noto-core | fonts-liberation"
_DESCRIPTION = """lend this computer's GPU to a collaborative training run
 Paste the address that an organiser gave you, see what the run is and what it
 needs, agree, and train together with others by means of hivemind; pause at
 any moment to have your computer back.
 .
 The training engine, which suits this computer's GPU or CPU, is downloaded at
 the first start, into each user's own folder, after Workerbee has asked."""


def write_control(root: Path, version: str) -> None:
    """The folder DEBIAN below ``root``."""
    folder = root / "DEBIAN"
    sums = _sums(root)
    installed_kib = sum(file.stat().st_size for file in root.rglob("*") if file.is_file()) // 1024
    libraries = [each for each in packages_for(root) if each != "libc6"]
    depends = [*_ALWAYS, f"libc6 (>= {newest_glibc(root)})", *libraries, _FONTS]
    folder.mkdir()
    fields = {
        "Package": "workerbee",
        "Version": version,
        "Architecture": "amd64",
        "Maintainer": maintainer(),
        "Installed-Size": str(installed_kib),
        "Depends": ", ".join(depends),
        # the buttons of notifications, where there is no tray; the idle time under X11
        "Recommends": "libnotify-bin, libxss1",
        "Section": "science",
        "Priority": "optional",
        "Description": _DESCRIPTION,
    }
    (folder / "control").write_text("".join(f"{name}: {value}\n" for name, value in fields.items()), "utf-8")
    (folder / "md5sums").write_text(sums, "utf-8")
    for script in ("postinst", "prerm"):
        shutil.copyfile(HERE / "files" / script, folder / script)
        (folder / script).chmod(0o755)
    folder.chmod(0o755)


def _sums(root: Path) -> str:
    files = sorted(file for file in root.rglob("*") if file.is_file())
    lines = [
        f"{hashlib.md5(file.read_bytes(), usedforsecurity=False).hexdigest()}  {file.relative_to(root)}\n"
        for file in files
    ]
    return "".join(lines)
