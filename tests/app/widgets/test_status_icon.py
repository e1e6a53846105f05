"""The icon beside a sentence: told apart by its shape and by its name, not only by its colour."""

from __future__ import annotations

from typing import get_args

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.appearance.theme import DARK, LIGHT, Colours, colours, palette_of
from app.presentation.severity import Severity
from app.widgets.status_icon import StatusIcon, colour_of
from tests.app.support.language_context import speaking

SEVERITIES: tuple[Severity, ...] = get_args(Severity)


@pytest.fixture
def icon(qtbot: QtBot) -> StatusIcon:
    icon = StatusIcon()
    qtbot.addWidget(icon)
    icon.resize(icon.sizeHint())
    return icon


def shape(icon: StatusIcon) -> bytes:
    """Which pixels differ from the ground, whatever their colour is."""
    image = icon.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    ground = image.pixel(0, 0)
    return bytes(image.pixel(x, y) != ground for x in range(image.width()) for y in range(image.height()))


def test_each_severity_has_a_shape_and_a_name_of_its_own(icon: StatusIcon) -> None:
    shapes, names = set(), set()
    for severity in SEVERITIES:
        icon.set_severity(severity)
        shapes.add(shape(icon))
        names.add(icon.accessibleName())
    assert len(shapes) == len(names) == len(SEVERITIES)
    assert all(any(known) for known in shapes) and all(names)


@pytest.mark.parametrize("severity", SEVERITIES)
@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_it_is_painted_in_the_colour_that_means_it_in_each_theme(
    icon: StatusIcon, severity: Severity, theme: Colours
) -> None:
    icon.setPalette(palette_of(theme))
    icon.set_severity(severity)
    image = icon.grab().toImage()
    wanted = colour_of(severity, colours(icon.palette())).rgb()
    assert any(image.pixel(x, y) == wanted for x in range(image.width()) for y in range(image.height()))


def test_its_name_follows_the_language(icon: StatusIcon, qapp: QApplication) -> None:
    icon.set_severity("bad")
    with speaking("de"):
        QApplication.sendEvent(icon, QEvent(QEvent.Type.LanguageChange))
        assert icon.accessibleName() == "Fehler"
    QApplication.sendEvent(icon, QEvent(QEvent.Type.LanguageChange))
    assert icon.accessibleName() == "Error"
