"""What is said of a newer version of Workerbee."""

from __future__ import annotations

from core.texts.localization import translate
from core.updates.notice import UpdateNotice
from core.updates.portable_form import is_portable


def installation_words(notice: UpdateNotice) -> str:
    """How the portable form is replaced by that version; empty for another form, and where there is no .run file."""
    if notice.portable is None or not is_portable():
        return ""
    return translate("Updates", "To install it, quit Workerbee and type workerbee update in a terminal.")
