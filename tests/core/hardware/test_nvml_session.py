"""Where there is no NVIDIA driver, its library is not looked for again at every look."""

from __future__ import annotations

import pynvml
import pytest

from core.hardware.nvml_session import LIBRARY_RETRY_SECONDS, NvmlSession
from tests.support.computer.fake_clock import FakeClock


def test_a_missing_library_is_looked_for_once_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, tries, is_installed = FakeClock(1000.0), [0], [False]

    def init() -> None:
        tries[0] += 1
        if not is_installed[0]:
            raise pynvml.NVMLError_LibraryNotFound

    monkeypatch.setattr(pynvml, "nvmlInit", init)
    monkeypatch.setattr("core.hardware.nvml_session.time.monotonic", clock)
    session = NvmlSession()
    for _ in range(30):
        with pytest.raises(pynvml.NVMLError_LibraryNotFound) as told:
            session.opened()
        clock.now += 1
    assert tries == [1]
    assert len(told.traceback) < 10, "what is raised anew must not grow"
    is_installed[0] = True
    clock.now += LIBRARY_RETRY_SECONDS
    assert session.opened() is pynvml
    assert tries == [2]


def test_a_driver_that_fails_is_asked_again_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [pynvml.NVMLError_DriverNotLoaded, None]

    def init() -> None:
        if (error := answers.pop(0)) is not None:
            raise error

    monkeypatch.setattr(pynvml, "nvmlInit", init)
    session = NvmlSession()
    with pytest.raises(pynvml.NVMLError_DriverNotLoaded):
        session.opened()
    assert session.opened() is pynvml
