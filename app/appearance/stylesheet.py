"""The stylesheet of all widgets: rounded corners, padding, and a ring around whatever has the focus.

Plain Fusion draws what is not mentioned here, from the palette.
"""

from __future__ import annotations

from string import Template

_SHEET = Template("""
QToolTip { color: $text; background: $surface; border: 1px solid $line; padding: 4px 6px; }

QLabel[role="title"] { font-size: $title_points; font-weight: 600; }
QLabel[role="heading"] { font-size: $heading_points; font-weight: 600; }
QLabel[role="quiet"] { color: $muted; }
QLabel[role="bad"] { color: $bad; }

QFrame[role="card"] { background: $surface; border: 1px solid $line; border-radius: 10px; }
QFrame[role="notice"] { background: $surface; border: 1px solid $accent; border-radius: 8px; }

QPushButton, QToolButton {
    background: $surface; border: 1px solid $line; border-radius: 7px; padding: 6px 14px;
    outline: none;  /* Fusion's own frame of what has the focus is a tint upon the words */
}
QToolButton { padding: 5px 10px; }
QPushButton:hover, QToolButton:hover { border-color: $muted; background: $hover; }
QPushButton:pressed, QToolButton:pressed, QPushButton:checked, QToolButton:checked { background: $pressed; }
QPushButton:focus, QToolButton:focus { border: 2px solid $accent; padding: 5px 13px; }
QToolButton:focus { padding: 4px 9px; }
QPushButton:disabled, QToolButton:disabled { color: $muted; background: transparent; }
QPushButton::menu-indicator { subcontrol-position: right center; right: 8px; }

QPushButton[role="primary"], QToolButton[role="primary"] {
    background: $accent; color: $on_accent; border-color: $accent; font-weight: 600;
}
QPushButton[role="primary"]:hover, QToolButton[role="primary"]:hover { border-color: $text; }
QPushButton[role="primary"]:focus, QToolButton[role="primary"]:focus {
    border-color: $text; text-decoration: underline;  /* which is told from the accent where the ring hardly is */
}
QPushButton[role="primary"]:disabled, QToolButton[role="primary"]:disabled {
    background: $line; color: $muted; border-color: $line;
}
QPushButton[role="danger"] { color: $bad; }
QPushButton[role="link"], QToolButton[role="link"] {
    background: transparent; border-color: transparent; color: $accent; padding: 5px 8px;
}
QToolButton[role="link"]:disabled { color: $line; }
QPushButton[role="link"]:hover, QToolButton[role="link"]:hover { background: $hover; }
QPushButton[role="link"]:focus, QToolButton[role="link"]:focus {
    border: 2px solid $accent; padding: 4px 7px;
}

QLineEdit, QPlainTextEdit, QTextEdit {
    background: $surface; border: 1px solid $line; border-radius: 7px; padding: 6px 8px;
    selection-background-color: $accent; selection-color: $on_accent;
}
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus {
    border: 2px solid $accent; padding: 5px 7px;
}

QTextBrowser, QTextBrowser:focus { border: none; border-top: 2px solid $line; border-radius: 0; padding: 0; }
QTextBrowser:focus { border-top-color: $accent; }

QComboBox, QSpinBox {
    background: $surface; border: 1px solid $line; border-radius: 7px; padding: 4px 10px;
    selection-background-color: $accent; selection-color: $on_accent;
}
QSpinBox { padding-right: 2px; }
QComboBox { combobox-popup: 0; }  /* a list below it; Fusion's own hides entries behind arrows */
QComboBox:hover, QSpinBox:hover { border-color: $muted; }
QComboBox:focus, QSpinBox:focus { border: 2px solid $accent; padding: 3px 9px; }
QSpinBox:focus { padding-right: 1px; }
QComboBox:disabled, QSpinBox:disabled, QLineEdit:disabled { color: $muted; background: transparent; }
QComboBox::drop-down { border: none; width: 24px; }
QComboBox::down-arrow, QSpinBox::up-arrow, QSpinBox::down-arrow { image: none; width: 0; height: 0; }
QSpinBox::up-button, QSpinBox::down-button { border: none; background: transparent; width: 24px; }
QSpinBox::up-button:hover, QSpinBox::down-button:hover { background: $hover; border-radius: 5px; }
QComboBox QAbstractItemView {
    background: $surface; border: 1px solid $line; padding: 4px; outline: 0;
    selection-background-color: $accent; selection-color: $on_accent;
}
QComboBox QAbstractItemView::item { padding: 5px 8px; border-radius: 5px; }
QComboBox QAbstractItemView::item:selected { background: $accent; color: $on_accent; }

QCheckBox::indicator:unchecked {
    width: 12px; height: 12px; background: $surface; border: 1px solid $muted; border-radius: 2px;
}
QCheckBox::indicator:checked {
    width: 12px; height: 12px; background: $accent; border: 1px solid $accent; border-radius: 2px; image: url("$tick");
}
QCheckBox::indicator:checked:disabled { background: $muted; border-color: $muted; }
QRadioButton::indicator:unchecked {
    width: 12px; height: 12px; background: $surface; border: 1px solid $muted; border-radius: 7px;
}
QRadioButton::indicator:checked {
    width: 12px; height: 12px; border: 1px solid $muted; border-radius: 7px;
    background: qradialgradient(cx: 0.5, cy: 0.5, radius: 0.5, fx: 0.5, fy: 0.5,
        stop: 0 $accent, stop: 0.55 $accent, stop: 0.65 $surface, stop: 1 $surface);
}
QCheckBox::indicator:unchecked:focus, QRadioButton::indicator:unchecked:focus, QRadioButton::indicator:checked:focus {
    width: 10px; height: 10px; border: 2px solid $accent;
}
QCheckBox::indicator:checked:focus { width: 10px; height: 10px; border: 2px solid $text; }

QMenu { background: $surface; border: 1px solid $line; padding: 5px; }
QMenu::item { padding: 6px 26px 6px 18px; border-radius: 5px; }
QMenu::item:selected { background: $accent; color: $on_accent; }
QMenu::item:disabled { color: $muted; }
QMenu::separator { height: 1px; background: $line; margin: 5px 8px; }

QHeaderView::section { background: $window; border: none; border-bottom: 1px solid $line; padding: 5px 8px; }
QTabWidget::pane { border: 1px solid $line; border-radius: 8px; }
QTabBar::tab { padding: 7px 14px; border: 2px solid transparent; border-radius: 6px; color: $muted; }
QTabBar::tab:selected { color: $text; font-weight: 600; border-bottom-color: $accent; }
QTabBar::tab:focus { border-color: $accent; }

QScrollArea, QScrollArea > QWidget > QWidget { border: none; background: transparent; }
QScrollBar:vertical { background: transparent; width: 11px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 11px; margin: 0; }
QScrollBar::handle { background: $line; border-radius: 5px; min-height: 28px; min-width: 28px; }
QScrollBar::handle:hover { background: $muted; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QAbstractScrollArea::corner { background: transparent; border: none; }

QWidget#header { background: $surface; border-bottom: 1px solid $line; }
""")


def stylesheet(words: dict[str, str]) -> str:
    """The sheet with its colours and sizes filled in; raises KeyError if one is missing."""
    return _SHEET.substitute(words)
