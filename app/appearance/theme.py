"""How Workerbee looks: palettes for light, dark and high contrast, colours with a meaning, one stylesheet.

A widget asks ``colours(self.palette())`` whenever it paints and never keeps the answer, since the theme may
change. What a widget is for, is said with ``give_role``; the stylesheet draws it so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from app.appearance.stylesheet import stylesheet
from app.desktop.color_scheme import PortalColorScheme
from core.files.resources import RESOURCES

Choice = Literal["system", "light", "dark"]
Role = Literal["title", "heading", "quiet", "bad", "card", "notice", "primary", "danger", "link"]
"""``title`` and ``heading`` are larger texts, ``quiet`` a lesser one, ``bad`` says what is wrong; frames are
``card`` or ``notice``; a ``primary`` button is the page's one, ``danger`` ends something, a ``link`` is
flat."""


@dataclass(frozen=True)
class Colours:
    """Colours by what they mean. ``muted`` is for lesser words, ``line`` for frames and grids.

    ``on_accent`` is for words upon ``accent``; ``curves`` are told apart by colour-blind people too.
    """

    window: QColor
    surface: QColor
    text: QColor
    muted: QColor
    line: QColor
    accent: QColor
    on_accent: QColor
    good: QColor
    warning: QColor
    bad: QColor
    curves: tuple[QColor, ...]


_ICONS = RESOURCES / "icons"
_SINGLE = ("window", "surface", "text", "muted", "line", "accent", "on_accent", "good", "warning", "bad")


def _colours(names: str, curves: str) -> Colours:
    single = dict(zip(_SINGLE, (QColor(name) for name in names.split()), strict=True))
    return Colours(**single, curves=tuple(QColor(name) for name in curves.split()))


#                window  surface text    muted   line    accent  on_acc. good    warning bad
LIGHT = _colours(
    "#f6f5f1 #ffffff #1f2328 #565c64 #d6d3ca #a84f05 #ffffff #1a7033 #875700 #c11c28",
    "#a84f05 #0067a8 #00755a #8a3fa0 #5a5f00 #b02a5b",
)
DARK = _colours(
    "#1c1d1f #26282b #ececea #a6abb2 #43464b #f5b83d #221a00 #56c46a #e6b23a #ff7b72",
    "#f5b83d #62b8ee #3fcfa3 #d59be0 #d3d35a #ff8fab",
)
LIGHT_CONTRAST = _colours(
    "#ffffff #ffffff #000000 #262626 #000000 #6b2e00 #ffffff #00450f #4f3300 #8a0010",
    "#6b2e00 #003f70 #004b38 #5a1470 #3b3f00 #7a0f38",
)
DARK_CONTRAST = _colours(
    "#000000 #000000 #ffffff #e0e0e0 #ffffff #ffd24d #000000 #7dff96 #ffd24d #ffa099",
    "#ffd24d #7fd0ff #6dffd2 #f2b8ff #f2f27a #ffb0c6",
)

# the sign of Workerbee itself, which is the same upon every panel
HONEY, INK, ASH = QColor("#f6b221"), QColor("#33270a"), QColor("#8d9196")
PAPER, ALARM = QColor("#ffffff"), QColor("#d3202e")

_THEMES = (LIGHT, DARK, LIGHT_CONTRAST, DARK_CONTRAST)


def colours(palette: QPalette) -> Colours:
    """The colours that go with that palette; of one that is not ours, the light or the dark ones.

    Told by the links' colour, since a stylesheet writes other colours into the palettes of its widgets.
    """
    link = palette.color(QPalette.ColorRole.Link)
    ours = (theme for theme in _THEMES if theme.accent == link)
    return next(ours, DARK if _is_dark(palette) else LIGHT)


def palette_of(theme: Colours) -> QPalette:
    """The palette with which Qt's own widgets are painted in a theme."""
    roles = QPalette.ColorRole
    palette = QPalette(theme.surface, theme.window)
    for role, colour in (
        (roles.WindowText, theme.text),
        (roles.Text, theme.text),
        (roles.ButtonText, theme.text),
        (roles.ToolTipText, theme.text),
        (roles.Base, theme.surface),
        (roles.AlternateBase, theme.window),
        (roles.ToolTipBase, theme.surface),
        (roles.Highlight, theme.accent),
        (roles.HighlightedText, theme.on_accent),
        (roles.Accent, theme.accent),
        (roles.Link, theme.accent),
        (roles.LinkVisited, theme.accent),
        (roles.PlaceholderText, theme.muted),
        (roles.Mid, theme.line),
    ):
        palette.setColor(role, colour)
    for role in (roles.WindowText, roles.Text, roles.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, theme.muted)
    return palette


def give_role(widget: QWidget, role: Role | None) -> None:
    """Set what a widget is for; the stylesheet draws it so, now and after a change of theme."""
    widget.setProperty("role", role)
    style = widget.style()
    style.unpolish(widget)
    style.polish(widget)


class Theme(QObject):
    """Dresses the application in the chosen theme, or in the one that the system has at the moment.

    Signals:
        changed: the application has been dressed in other colours.
    """

    changed = Signal()

    def __init__(self, application: QApplication) -> None:
        super().__init__(application)
        self._application = application
        self._system_is_dark = _is_dark(application.palette())
        self._choice: Choice = "system"
        self._worn: Colours | None = None
        self._portal: PortalColorScheme | None = None
        application.setStyle("Fusion")
        application.styleHints().colorSchemeChanged.connect(self._wear)

    def choose(self, choice: Choice) -> None:
        """Dress the application in that theme from now on."""
        self._choice = choice
        self._wear()

    def follow(self, portal: PortalColorScheme) -> None:
        """Prefer what the desktop's portal says to what Qt says of the system's theme."""
        self._portal = portal
        portal.changed.connect(self._wear)

    def _wear(self) -> None:
        theme = self._wanted()
        if theme is self._worn:
            return
        self._worn = theme
        self._application.setPalette(palette_of(theme))
        self._application.setStyleSheet(stylesheet(sheet_words(theme, self._application.font())))
        self.changed.emit()

    def _wanted(self) -> Colours:
        is_dark = self._choice == "dark" or (self._choice == "system" and self._is_system_dark())
        if self._wants_contrast():
            return DARK_CONTRAST if is_dark else LIGHT_CONTRAST
        return DARK if is_dark else LIGHT

    def _is_system_dark(self) -> bool:
        """By what the desktop says; one that says nothing may still have given us a dark palette."""
        if self._portal is not None and self._portal.is_dark is not None:
            return self._portal.is_dark
        scheme = self._application.styleHints().colorScheme()
        if scheme is Qt.ColorScheme.Unknown:
            return self._system_is_dark
        return scheme is Qt.ColorScheme.Dark

    def _wants_contrast(self) -> bool:
        hints = self._application.styleHints()
        if not hasattr(hints, "accessibility"):  # before Qt 6.10 nobody could ask
            return False
        preference = hints.accessibility().contrastPreference()
        return preference is Qt.ContrastPreference.HighContrast


def _is_dark(palette: QPalette) -> bool:
    text, window = palette.color(QPalette.ColorRole.WindowText), palette.color(QPalette.ColorRole.Window)
    return text.lightness() > window.lightness()


def sheet_words(theme: Colours, font: QFont) -> dict[str, str]:
    """What the stylesheet leaves blank."""
    points = max(font.pointSizeF(), 8.0)
    tint = f"rgba({theme.text.red()}, {theme.text.green()}, {theme.text.blue()},"
    return {
        **{name: getattr(theme, name).name() for name in _SINGLE},
        "tick": (_ICONS / f"tick-{'light' if theme.on_accent.lightness() > 127 else 'dark'}.svg").as_posix(),
        "hover": f"{tint} 18)",
        "pressed": f"{tint} 40)",
        "title_points": f"{points * 1.6:.1f}pt",
        "heading_points": f"{points * 1.2:.1f}pt",
    }
