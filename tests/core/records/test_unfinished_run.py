"""The run that goes on after the program was ended: what is kept of it, and how it goes on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from core.client.reducer import reduce
from core.client.session import Session
from core.errors import ErrorKind, UserError
from core.files.folders import Folders
from core.hardware.device import Device
from core.protocol.client_events import Asked, Pause, PauseAsked, PauseReason, WorkerExited
from core.protocol.commands import Join, Leave
from core.protocol.events import Failed, Left, RunFound
from core.records.consents import Consents
from core.records.settings import Settings
from core.records.unfinished_run import UnfinishedRun, UnfinishedRunFile, continuation
from core.run.manifest import RunManifest
from core.run.multiaddr import Multiaddr
from tests.support.cli_process import ADDRESS
from tests.support.computer.fake_clock import FakeClock
from tests.support.consents import consent_to
from tests.support.peers import fake_worker

RUN = RunFound(manifest=fake_worker.manifest(), organiser=fake_worker.ORGANISER, vouched=True)
CPU = Device("cpu", 0, None, "a CPU", 8 * 2**30, 4 * 2**30)
GPU = Device("cuda", 0, "GPU-1", "a GPU", 8 * 2**30, 4 * 2**30)


def training(device: str = "cpu") -> Session:
    """The session of a person who has agreed to the run."""
    session = reduce(Session(), Asked(Join(addresses=(Multiaddr(ADDRESS),), home="/nowhere")))
    return reduce(reduce(session, RUN), Asked(consent_to(RUN, device=device, micro_batch=4), shown=RUN))


def kept(folder: Path, session: Session) -> UnfinishedRun | None:
    """What the next start of the program finds of that session."""
    UnfinishedRunFile(folder / "run.json").follow(session)
    return UnfinishedRunFile(folder / "run.json").load()


@pytest.mark.parametrize(("reason", "is_kept"), [("person", True), ("epoch_finished", True), ("sleep", False)])
def test_only_a_pause_of_the_owner_outlasts_a_reboot(tmp_path: Path, reason: PauseReason, is_kept: bool) -> None:
    run = kept(tmp_path, reduce(training(), PauseAsked(Pause(reason, 1e9))))
    assert run is not None and (run.pause, run.until) == ((reason, 1e9) if is_kept else (None, None))


def test_a_session_that_ends_keeps_it_but_not_where_the_organiser_has_finished_the_run(tmp_path: Path) -> None:
    before = kept(tmp_path, training())
    assert before is not None and before.address.peers == (ADDRESS,)
    assert kept(tmp_path, reduce(training(), Asked(Leave()))) == before, "a goodbye says nothing of the owner's wish"
    done = replace(training(), chosen=RunFound(manifest=finished(), organiser=RUN.organiser, vouched=True))
    assert kept(tmp_path, reduce(done, Failed(problem=ErrorKind.RUN_NOT_OPEN.key))) is None
    assert kept(tmp_path, training()) is not None
    assert kept(tmp_path, reduce(reduce(done, Left()), WorkerExited(0))) is None, "it has left as all were asked to"


def test_a_run_that_its_owner_has_left_does_not_go_on_after_a_power_cut(
    tmp_path: Path, names_on_disk: dict[Path, set[str]]
) -> None:
    file = UnfinishedRunFile(tmp_path / "run.json")
    file.follow(training())
    assert names_on_disk[tmp_path] == {"run.json"}
    file.forget()
    assert names_on_disk[tmp_path] == set()


def finished() -> RunManifest:
    """The run, which its organiser has finished."""
    manifest = fake_worker.manifest()
    return msgspec.structs.replace(manifest, run=msgspec.structs.replace(manifest.run, state="finished"))


def test_what_a_gpu_has_trained_does_not_go_on_with_the_cpu_unasked(tmp_path: Path) -> None:
    run, folders, consents = (
        kept(tmp_path, training("cuda:0")),
        Folders.below(tmp_path),
        Consents(tmp_path / "consents"),
    )
    assert run is not None
    assert continuation(run, consents, Settings(), (CPU, GPU), folders) is None, "nothing was agreed to"
    consents.remember(RUN, 1.0)
    with pytest.raises(UserError) as caught:
        continuation(run, consents, Settings(), (CPU,), folders)
    assert caught.value.problem is ErrorKind.NO_SUCH_DEVICE
    event = continuation(run, consents, Settings(), (CPU, GPU), folders)
    assert event is not None and (event.consent.device, event.consent.micro_batch) == ("cuda:0", 4)
    chosen = continuation(run, consents, Settings(device="cpu"), (CPU, GPU), folders)
    assert chosen is not None and (chosen.consent.device, chosen.consent.micro_batch) == ("cpu", None)


def test_a_run_that_goes_on_tells_of_the_person_what_the_settings_say_now(tmp_path: Path) -> None:
    run, consents = kept(tmp_path, training()), Consents(tmp_path / "consents")
    consents.remember(RUN, 1.0)
    assert run is not None
    for settings in (Settings(public_name="Ada", may_be_named=True, country="DE"), Settings()):
        event = continuation(run, consents, settings, (CPU,), Folders.below(tmp_path))
        assert event is not None and event.consent.disclosure == settings.disclosure


def test_a_pause_that_the_disk_has_refused_is_kept_as_soon_as_it_takes_it(tmp_path: Path) -> None:
    folder, clock = tmp_path / "data", FakeClock()
    file = UnfinishedRunFile(folder / "run.json", clock)
    paused = reduce(training(), PauseAsked(Pause("person", 1e9)))
    file.follow(training())
    folder.rename(tmp_path / "gone")
    folder.touch()
    file.follow(paused)
    folder.unlink()
    for clock.now, is_asked in ((29.0, False), (30.0, True)):
        file.follow(paused)
        assert (UnfinishedRunFile(folder / "run.json").load() is not None) == is_asked
    run = UnfinishedRunFile(folder / "run.json").load()
    assert run is not None and (run.pause, run.until) == ("person", 1e9)


def test_a_change_after_one_that_the_disk_has_refused_is_kept_at_once(tmp_path: Path) -> None:
    (tmp_path / "data").touch()
    file = UnfinishedRunFile(tmp_path / "data" / "run.json", FakeClock())
    file.follow(training())
    (tmp_path / "data").unlink()
    file.follow(reduce(training(), PauseAsked(Pause())))
    run = UnfinishedRunFile(tmp_path / "data" / "run.json").load()
    assert run is not None and run.pause == "person"


def test_a_damaged_file_is_set_aside(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"addresses": ["nonsense"]}')
    assert UnfinishedRunFile(tmp_path / "run.json").load() is None
    assert (tmp_path / "run.json.broken-1").exists()
