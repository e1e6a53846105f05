"""The pictures of the tray icon: a cell of honeycomb for each state, with a ring of the swarm's progress."""

from __future__ import annotations

from functools import lru_cache
from math import cos, pi, sin
from typing import Literal

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPen, QPixmap, QPolygonF

from app.appearance.theme import ALARM, ASH, HONEY, INK, PAPER
from core.client.session import Session

TrayState = Literal["idle", "training", "paused", "problem"]
SIZES = (16, 22, 24, 32, 48, 64)
STEPS = 24
"""So many different rings are enough; each is painted once."""


def tray_state(session: Session) -> TrayState:
    """Which picture a session has."""
    if session.problem is not None:
        return "problem"
    if session.pause is not None:
        return "paused"
    return "training" if session.phase == "training" else "idle"


def tray_icon(session: Session) -> QIcon:
    """The picture of a session, with the swarm's progress to the next step as a ring."""
    state, progress = tray_state(session), session.progress
    if state != "training" or progress is None or progress.target <= 0:
        return painted(state, 0)
    return painted(state, round(STEPS * min(1.0, progress.samples / progress.target)))


@lru_cache(maxsize=64)
def painted(state: TrayState, step: int) -> QIcon:
    """The picture in every size that panels ask for; ``step`` of STEPS is how far the ring reaches."""
    icon = QIcon()
    for size in SIZES:
        icon.addPixmap(_pixmap(state, step, size))
    return icon


def _pixmap(state: TrayState, step: int, size: int) -> QPixmap:
    pixmap = QPixmap(size, size)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.scale(size / 64, size / 64)  # everything below is drawn on a field of 64 by 64
    match state:
        case "idle":
            _cell(painter, 27, fill=None, line=HONEY)
        case "training":
            _ring(painter, step / STEPS)
            _cell(painter, 19, fill=HONEY, line=INK)
        case "paused":
            _cell(painter, 29, fill=ASH, line=INK)
            _bars(painter)
        case "problem":
            _cell(painter, 27, fill=HONEY, line=INK)
            _alarm(painter)
    painter.end()
    return pixmap


def cell(radius: float) -> QPolygonF:
    """A hexagon of that radius that stands on a corner, in the middle of the field of 64 by 64."""
    corners = (pi / 6 + number * pi / 3 for number in range(6))
    return QPolygonF([QPointF(32 + radius * cos(angle), 32 + radius * sin(angle)) for angle in corners])


def _cell(painter: QPainter, radius: float, *, fill: QColor | None, line: QColor) -> None:
    width = 4.0 if fill else 8.0
    painter.setPen(QPen(line, width, j=Qt.PenJoinStyle.RoundJoin))
    painter.setBrush(fill if fill else Qt.BrushStyle.NoBrush)
    painter.drawPolygon(cell(radius))


def _ring(painter: QPainter, share: float) -> None:
    box = QRectF(4, 4, 56, 56)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(ASH, 6.5))
    painter.drawEllipse(box)
    painter.setPen(QPen(HONEY, 8, c=Qt.PenCapStyle.FlatCap))
    painter.drawArc(box, 90 * 16, -round(share * 360 * 16))


def _bars(painter: QPainter) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(PAPER)
    painter.drawRoundedRect(QRectF(20, 20, 9, 24), 2, 2)
    painter.drawRoundedRect(QRectF(35, 20, 9, 24), 2, 2)


def _alarm(painter: QPainter) -> None:
    painter.setPen(QPen(PAPER, 3))
    painter.setBrush(ALARM)
    painter.drawEllipse(QPointF(46, 45), 17, 17)
    painter.setPen(QPen(PAPER, 6, c=Qt.PenCapStyle.RoundCap))
    painter.drawLine(QPointF(46, 36), QPointF(46, 46))
    painter.drawPoint(QPointF(46, 54))
