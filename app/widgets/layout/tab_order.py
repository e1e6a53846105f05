"""The order in which Tab leads through widgets that are made later than those below them."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget


def put_in_tab_order(place: QWidget, *widgets: QWidget) -> None:
    """Have Tab lead through the widgets one after the other, where it comes by ``place``, which may be a label."""
    before = place.previousInFocusChain()
    while before is not None and before is not place and (before in widgets or not _is_tab_stop(before)):
        before = before.previousInFocusChain()
    for earlier, later in pairwise((before or place, *widgets)):
        QWidget.setTabOrder(earlier, later)


def _is_tab_stop(widget: QWidget) -> bool:
    return bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
