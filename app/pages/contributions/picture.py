"""A picture of what was given, to share: sums and bars, and nothing that tells whose they are unless that is wished."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QBuffer, QIODevice, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QImage, QPainter

from app.appearance.theme import LIGHT
from app.charts.bar_chart import paint_bars
from app.pages.contributions.bars import bars_of, measures
from core.placeholders import fill_placeholders
from core.records.contribution_report import ContributionReport, Tariff
from core.texts import figures
from core.texts.localization import translate

SIZE = QSize(1200, 630)  # what pages and messengers show whole beside a link (the Open Graph protocol's og:image)
_EDGE = 60.0
_STRIPE = 14.0
_GAP = 28.0
_SMALLEST_PIXELS = 18


@dataclass(frozen=True)
class PictureContents:
    """What is painted: the months, how many runs they were for, and what the person has ticked.

    ``name`` is empty and ``runs`` are none unless a person wants them to be seen.
    """

    months: ContributionReport
    run_count: int
    tariff: Tariff
    name: str = ""
    runs: tuple[str, ...] = ()


def paint_contributions(contents: PictureContents, font: QFont) -> QImage:
    """The picture, always in light colours, since nobody knows upon what it will be seen."""
    image = QImage(SIZE, QImage.Format.Format_RGB32)
    image.fill(LIGHT.surface)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.fillRect(QRectF(0, 0, SIZE.width(), _STRIPE), LIGHT.accent)
    width = SIZE.width() - 2 * _EDGE
    painter.setPen(LIGHT.text)
    _write(painter, QRectF(_EDGE, 48, width, 60), _title(contents), _sized(font, 38, is_bold=True))
    _paint_figures(painter, contents, font)
    measured = measures(contents.tariff)["training"]
    bars = bars_of(contents.months, measured)
    paint_bars(painter, QRectF(_EDGE, 280, width, 250), bars, measured.words, LIGHT, _sized(font, 20))
    painter.setPen(LIGHT.muted)
    _write(painter, QRectF(_EDGE, 560, width, 40), _footer(contents), _sized(font, 22))
    painter.end()
    return image


def as_png(image: QImage) -> bytes:
    """The picture as a PNG file, which holds nothing but its pixels."""
    for key in image.textKeys():
        image.setText(key, "")
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(buffer.data().data())


def _paint_figures(painter: QPainter, contents: PictureContents, font: QFont) -> None:
    total, tariff = contents.months.total, contents.tariff
    about = "~" if total.estimated_joules(tariff) else ""
    said = (
        (figures.time(total.given.seconds), translate("ContributionPicture", "of training")),
        (figures.count(total.given.samples), translate("ContributionPicture", "samples")),
        (about + figures.energy(total.joules(tariff)), translate("ContributionPicture", "of energy")),
        (figures.count(contents.run_count), translate("ContributionPicture", "run(s)", "", contents.run_count)),
    )
    room = (SIZE.width() - 2 * _EDGE) / len(said)
    large = _sized(font, 38, is_bold=True)
    for number, _ in said:
        _shrink(large, number, room - _GAP)
    for place, (number, words) in enumerate(said):
        left = _EDGE + place * room
        painter.setPen(LIGHT.accent)
        _write(painter, QRectF(left, 132, room - _GAP, 62), number, large)
        painter.setPen(LIGHT.muted)
        _write(painter, QRectF(left, 196, room - _GAP, 36), words, _sized(font, 22))


def _title(contents: PictureContents) -> str:
    if contents.name:
        return fill_placeholders(translate("ContributionPicture", "What %1 has given"), contents.name)
    return translate("ContributionPicture", "What my computer has given")


def _footer(contents: PictureContents) -> str:
    words = translate("ContributionPicture", "To models that many people train together, with Workerbee")
    return f"{words}: {_listed(contents.runs)}" if contents.runs else words


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)


def _write(painter: QPainter, place: QRectF, text: str, font: QFont) -> None:
    """One line, smaller or cut short where there is no room for it."""
    _shrink(font, text, place.width())
    painter.setFont(font)
    text = QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideRight, place.width())
    painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)


def _shrink(font: QFont, text: str, width: float) -> None:
    while QFontMetricsF(font).horizontalAdvance(text) > width and font.pixelSize() > _SMALLEST_PIXELS:
        font.setPixelSize(font.pixelSize() - 1)


def _sized(font: QFont, pixels: int, *, is_bold: bool = False) -> QFont:
    sized = QFont(font)
    sized.setPixelSize(pixels)
    sized.setBold(is_bold)
    return sized
