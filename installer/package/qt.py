"""What stays of PySide6: what the window imports, what Qt opens by itself, and what these need."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from installer.package.libraries import needed_by

MODULES = ("QtCore", "QtGui", "QtWidgets", "QtNetwork", "QtDBus")
PLUGINS = (
    "iconengines/libqsvgicon.so",
    "imageformats/libqsvg.so",
    "imageformats/libqjpeg.so",
    "networkinformation/libqglib.so",
    "networkinformation/libqnetworkmanager.so",
    "platforminputcontexts/libcomposeplatforminputcontextplugin.so",
    "platforminputcontexts/libibusplatforminputcontextplugin.so",
    "platforms/libqoffscreen.so",
    "platforms/libqwayland.so",
    "platforms/libqxcb.so",
    "platformthemes/libqgtk3.so",
    "platformthemes/libqxdgdesktopportal.so",
    "wayland-decoration-client/libadwaita.so",
    "wayland-decoration-client/libbradient.so",
    "wayland-graphics-integration-client/libqt-plugin-wayland-egl.so",
    "wayland-shell-integration/libxdg-shell.so",
    "xcbglintegrations/libqxcb-egl-integration.so",
    "xcbglintegrations/libqxcb-glx-integration.so",
)
TRANSLATIONS = ("qtbase_de.qm", "qt_de.qm")
_PYTHON_SIDE = ("__init__.py", "_config.py", "_git_pyside_version.py", "py.typed")


def slim(vendor: Path) -> None:
    """Take away what nobody will open; the C++ headers of shiboken too."""
    pyside = vendor / "PySide6"
    plugins = [pyside / "Qt" / "plugins" / name for name in PLUGINS]
    modules = [pyside / f"{name}.abi3.so" for name in MODULES]
    runtime = [*pyside.glob("libpyside6.abi3.so.*")]
    texts = [pyside / "Qt" / "translations" / name for name in TRANSLATIONS]
    kept = {pyside / name for name in _PYTHON_SIDE} | set(texts) | set(runtime)
    kept |= {*modules, *plugins, *_reached(pyside / "Qt" / "lib", [*modules, *plugins, *runtime])}
    for file in [each for each in pyside.rglob("*") if each.is_file()]:
        is_support = file.parent.name == "support" and file.suffix == ".py"
        if file not in kept and not is_support:
            file.unlink()
    for folder in ("include", "lib"):
        shutil.rmtree(vendor / "shiboken6" / folder, ignore_errors=True)
    _drop_empty_folders(vendor)


def _reached(libraries: Path, roots: Iterable[Path]) -> set[Path]:
    """Those of Qt's own libraries that the roots need, and that these need."""
    reached: set[Path] = set()
    waiting = list(roots)
    while waiting:
        for name in needed_by(waiting.pop()):
            library = libraries / name
            if library.is_file() and library not in reached:
                reached.add(library)
                waiting.append(library)
    return reached


def _drop_empty_folders(root: Path) -> None:
    for folder in sorted((each for each in root.rglob("*") if each.is_dir()), reverse=True):
        if not any(folder.iterdir()):
            folder.rmdir()
