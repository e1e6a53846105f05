"""PySide's import hook, which this program does without.

WORKAROUND: ``import PySide6`` replaces ``builtins.__import__``, so that modules may write ``from __feature__ import
snake_case``. The replacement reads the source of every module that is imported afterwards with ``inspect.getsource``,
and ``linecache`` keeps all the lines: 9 MiB of a window's memory and a sixth of the time that its imports take.
"""

from __future__ import annotations

import builtins


def remove_import_hook() -> None:
    """Import PySide6, and give Python its own ``__import__`` back; call it before whatever else is imported.

    ``from __feature__ import …`` does not work afterwards. Raises ImportError without PySide6.
    """
    import PySide6.QtCore  # noqa: F401  it replaces the function

    builtins.__import__ = getattr(builtins, "__orig_import__", builtins.__import__)
