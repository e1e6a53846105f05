"""A disk or a quota without room is no accident of the program: what has no room is named."""

from __future__ import annotations

import errno
import os

import pytest

from core.errors import ErrorKind
from core.worker.__main__ import _failure


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_what_has_no_room_is_named(number: int) -> None:
    failed = _failure(OSError(number, os.strerror(number), "/data/memory"))
    assert ErrorKind.from_key(failed.problem) is ErrorKind.DISK_FULL
    assert failed.detail == f"/data/memory: {os.strerror(number)}."
    assert _failure(OSError(number, os.strerror(number))).detail == f"{os.strerror(number)}."
