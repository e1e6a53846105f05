"""Start at login on a real desktop, with a real run: after a reboot the work goes on as its owner had it, unasked."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec
import psutil
import pytest

from app.desktop.autostart import autostart_entry
from core.protocol.events import Progress, RoundFinished
from core.run.spec.recipe import ArithmeticGPT
from tests.integration.desktop.test_window import TRAINING, Stage
from tests.support.computer.loopback import free_port
from tests.support.environment.x11_desktop import PROGRAMS, Desktop, Launched, wait_for
from tests.support.fault_injection import kill
from tests.support.peers import slow_computer
from tests.support.real_peers import LIMIT_SECONDS, PeerGroup, averaged, peer_group, tiny

MISSING = [program for program in PROGRAMS if shutil.which(program) is None]
HOME = "home"
RUN = tiny().run.name

pytestmark = [
    pytest.mark.real,
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(bool(MISSING), reason=f"needs {', '.join(MISSING)}"),
]


class Computer:
    """A computer that is switched on again and again, beside an organiser who goes on meanwhile."""

    def __init__(self, folder: Path, group: PeerGroup) -> None:
        self.folder, self._group = folder, group
        self._listen = (f"/ip4/127.0.0.1/tcp/{free_port()}",)
        self.organiser = group.organiser(listen=self._listen)
        program = folder / "bin" / "workerbee"
        program.parent.mkdir()
        program.write_text(f'#!/bin/sh\nexec {shlex.join(slow_computer.WINDOW)} "$@"\n')
        program.chmod(0o755)
        line = next(line for line in autostart_entry(program).splitlines() if line.startswith("Exec="))
        self._login = shlex.split(line.removeprefix("Exec="))

    def session(self, name: str) -> Desktop:
        """A desktop of that name, which a person logs in to."""
        return Desktop(self.folder / name)

    def stage(self, desktop: Desktop) -> Stage:
        """What can be done on it."""
        return Stage(desktop, self.organiser, self.folder, self.folder / "pictures")

    def log_in(self, desktop: Desktop) -> Launched:
        """What the desktop starts at login, as the autostart file has it."""
        return desktop.launch(self._login, "autostarted", WORKERBEE_HOME=str(self.folder / HOME))

    def phase(self, desktop: Desktop) -> str:
        """What `workerbee status` says of the window's program."""
        status = self.stage(desktop).start(HOME, "status", "--json")
        status.ended()
        return next((word for word in ("training", "paused", "found") if f'"phase":"{word}"' in status.words), "")

    def cut_the_power(self, desktop: Desktop, app: Launched) -> None:
        """Everything ends at once, without a goodbye."""
        kill([psutil.Process(app.pid), *app.offspring])
        desktop.crash()

    def change_the_run(self) -> None:
        """The organiser publishes the run with another model, untrained, at the same address and with the same key."""
        self.organiser.leave()
        for checkpoint in self.organiser.home.rglob("checkpoint*.safetensors"):
            checkpoint.unlink()  # of a model that the new one does not take
        wider = msgspec.structs.replace(tiny(), recipe=ArithmeticGPT(layers=1, width=64, heads=2))
        self.organiser = self._group.organiser(manifest=wider, listen=self._listen)


@pytest.fixture
def computer(tmp_path: Path) -> Iterator[Computer]:
    """A computer whose owner has joined the run already, and whose power was then cut."""
    with peer_group(tmp_path) as group:
        computer = Computer(tmp_path, group)
        with computer.session("first") as desktop:
            stage = computer.stage(desktop)
            app = stage.start(HOME)
            stage.train(app)
            computer.cut_the_power(desktop, app)
        yield computer


def no_windows(desktop: Desktop, app: Launched) -> bool:
    """Whether nothing of it is on the screen but its icon."""
    return all(seen.is_icon for seen in desktop.windows(app))


def test_after_a_power_cut_the_work_goes_on_hidden_and_a_pause_outlasts_the_next_one(computer: Computer) -> None:
    with computer.session("second") as desktop:
        app = computer.log_in(desktop)
        wait_for(lambda: computer.phase(desktop) == "training", "training without a click", LIMIT_SECONDS)
        here = len(computer.organiser.said)
        computer.organiser.wait_for(RoundFinished, averaged, since=here)
        desktop.tray_icon(app)
        assert no_windows(desktop, app)
        assert computer.stage(desktop).start(HOME, "pause").ended() == 0
        wait_for(app.is_alone, "the end of the worker and of its family")
        computer.cut_the_power(desktop, app)
    with computer.session("third") as desktop:
        app = computer.log_in(desktop)
        wait_for(lambda: computer.phase(desktop) == "paused", "the pause of before", LIMIT_SECONDS)
        desktop.tray_icon(app)
        wait_for(app.is_alone, "no worker, once whatever the window asks at its start has answered")
        assert no_windows(desktop, app)
        assert computer.stage(desktop).start(HOME, "quit").ended() == 0
        assert app.ended() == 0


@pytest.mark.faults
def test_a_run_that_has_changed_meanwhile_is_shown_and_not_trained_before_its_owner_agrees(computer: Computer) -> None:
    computer.change_the_run()
    with computer.session("second") as desktop:
        app = computer.log_in(desktop)
        window = desktop.window(app, "The run has changed", LIMIT_SECONDS)
        assert computer.phase(desktop) == "found"
        here = len(computer.organiser.said)
        computer.organiser.reaches(computer.organiser.epoch + 1)
        assert {event.peers for event in computer.organiser.all(Progress, since=here)} == {1}, "nobody trains beside it"
        desktop.until(lambda: desktop.type(window, "Return"), lambda: computer.phase(desktop) != "found", "a start")
        desktop.window(app, TRAINING, LIMIT_SECONDS)
        computer.organiser.wait_for(RoundFinished, averaged, since=here)
