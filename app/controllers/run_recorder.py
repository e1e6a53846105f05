"""What the window notes down of a session: the curves, what was given, and the runs of before."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from core.client.session import Session
from core.errors import ErrorKind, UserError
from core.files.folders import Folders
from core.protocol.commands import Join
from core.records.contributions import Contribution, ContributionLog
from core.records.recent_runs import LastState, RecentRun, RecentRuns
from core.records.store import run_key
from core.records.time_series import Curve, History, Series
from core.security.known_organisers import KnownOrganisers

if TYPE_CHECKING:
    from core.hardware.device import Device

_NAME_CHARACTERS = 200


class RunRecorder:
    """A file that is damaged or cannot be written is told in ``trouble``, and all goes on in memory."""

    def __init__(self, folders: Folders) -> None:
        known = KnownOrganisers(folders.contents.known_organisers_file)
        self._history, _ = History.open(folders.contents.history_file, known.organisers())
        self._deeds = ContributionLog(self._history.store)
        self._recent = RecentRuns(folders.contents.recent_runs_file)
        self._noted: object = None
        self._noted_accuracy: object = None
        self._noted_scores: object = None
        self._last_state: tuple[str, LastState] | None = None

    @property
    def trouble(self) -> UserError | None:
        """Why something of it cannot be kept at the moment."""
        return self._history.trouble or self._recent.trouble

    @property
    def quarantined_paths(self) -> tuple[Path, ...]:
        """Where damaged files were put, now or while they were open."""
        return tuple(path for path in (self._history.store.aside, self._recent.aside) if path is not None)

    @property
    def recent(self) -> tuple[RecentRun, ...]:
        """The latest first."""
        return self._recent.all()

    def forget(self, run_id: str, organiser: str) -> None:
        """Strike it from the recent runs."""
        self._recent.forget(run_id, organiser)

    def deeds(self, session: Session) -> tuple[Contribution, Contribution]:
        """What was given to the session's run, and in all."""
        key = _run_key(session)
        return self._deeds.of(key) if key else Contribution(), self._deeds.total()

    def curve(self, session: Session, series: Series, period_seconds: float | None, now: float) -> Curve:
        """A curve of the session's run."""
        return self._history.curve(_run_key(session) or "", series, period_seconds, now)

    def note(self, session: Session, device: Device | None, at: float) -> None:
        """Once a second: whatever is new."""
        key = _run_key(session)
        if key is None:
            return
        if session.chosen:
            self._deeds.start_run(key, session.chosen.manifest.run.name[:_NAME_CHARACTERS])
        self._deeds.record(session, (device,) if device else (), at)
        if session.phase == "training":
            self._note_curves(key, session, device, at)

    def note_run(self, session: Session, at: float) -> bool:
        """After each event: remember the run as it was last; whether that is news."""
        run, opening, state = session.chosen, session.opening, _last_state(session)
        if run is None or state is None or not isinstance(opening, Join):
            return False
        key = (run.manifest.run.id, state)
        if key == self._last_state:
            return False
        self._last_state = key
        address = " ".join(opening.addresses)
        if opening.run_id:
            address += f" --run_id {opening.run_id}"
        self._recent.remember(
            RecentRun(
                run_id=run.manifest.run.id,
                name=run.manifest.run.name[:_NAME_CHARACTERS],
                organiser=run.organiser,
                address=address,
                last_state=state,
                at=at,
            )
        )
        return True

    def close(self) -> None:
        """Save everything."""
        self._history.close()

    def _note_curves(self, key: str, session: Session, device: Device | None, at: float) -> None:
        progress, evaluated = session.progress, session.evaluated
        values: dict[Series, float | None] = {}
        if progress is not None and progress is not self._noted:
            self._noted = progress
            values |= {
                "my_rate": progress.samples_per_second,
                "swarm_rate": progress.swarm_samples_per_second,
                "epoch": float(progress.epoch),
                "step": progress.samples / progress.target if progress.target else None,
                "loss": progress.loss,
                "peers": float(progress.peers),
            }
        if evaluated is not None and evaluated is not self._noted_accuracy:
            self._noted_accuracy = evaluated
            values["accuracy"] = evaluated.accuracy
        if session.scored is not None and session.scored is not self._noted_scores:
            self._noted_scores = session.scored
            for score in session.scored.scores:
                self._history.record(key, "run_loss", score.at, score.loss)
        if device is not None and device.kind == "cuda":
            values |= _gpu_values(device)
        for series, value in values.items():
            if value is not None:
                self._history.record(key, series, at, value)


def _gpu_values(device: Device) -> dict[Series, float | None]:
    total, free = device.memory_total_bytes, device.memory_free_bytes
    temperature = device.temperature_c
    return {
        "gpu_utilisation": device.utilisation,
        "gpu_memory": float(total - free) if total is not None and free is not None else None,
        "gpu_temperature": float(temperature) if temperature is not None else None,
        "gpu_power": device.power_watts,
    }


def _run_key(session: Session) -> str | None:
    return run_key(session.consent.run_id, session.consent.organiser) if session.consent else None


def _last_state(session: Session) -> LastState | None:
    """How the run will be remembered; nothing before anything has come of it."""
    if session.problem is ErrorKind.RUN_NOT_OPEN:
        return "finished"
    if session.problem is not None:
        return "failed" if session.consent else "refused"
    if session.consent is None or session.chosen is None:
        return None
    if session.chosen.manifest.run.state == "finished":
        return "finished"
    if session.pause is not None:
        return "paused"
    return "trained" if session.contributed_samples or session.phase == "training" else None
