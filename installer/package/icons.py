"""The icon in every size that desktops ask for, drawn from the one in resources/icons."""

from __future__ import annotations

from pathlib import Path

SIZES = (16, 22, 24, 32, 48, 64, 96, 128, 256, 512)


def draw(source: Path, icons: Path) -> None:
    """Below ``icons`` (…/share/icons/hicolor), and the drawing itself.

    Pictures are painted without an application, so the caller's own is left as it is; only text would need one.
    """
    from PySide6.QtCore import QRectF, Qt
    from PySide6.QtGui import QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    renderer = QSvgRenderer(str(source))
    for size in SIZES:
        image = QImage(size, size, QImage.Format.Format_ARGB32)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        renderer.render(painter, QRectF(0, 0, size, size))
        painter.end()
        image.save(str(_place(icons, f"{size}x{size}") / "workerbee.png"))
    (_place(icons, "scalable") / "workerbee.svg").write_bytes(source.read_bytes())


def _place(icons: Path, size: str) -> Path:
    folder = icons / size / "apps"
    folder.mkdir(parents=True)
    return folder
