"""The review page: what the run is, what it requires of this computer, what strangers will see; then Start."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QPalette, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from app.appearance.theme import give_role
from app.pages.review.consent_bar import ConsentBar
from app.pages.review.run_details import RunDetails
from app.pages.review.run_selector import RunSelector
from app.presentation.fit import measured_words
from app.widgets.device_selector import AUTOMATIC, device_for
from app.widgets.layout.page_column import PageColumn
from core.client.session import Session
from core.files.disk_space import DiskSpace
from core.hardware.fit import Fits, fits
from core.hardware.monitor import DevicesSeen
from core.protocol.commands import Join
from core.protocol.events import RunFound
from core.records.settings import Settings
from core.run.manifest import RunManifest
from core.texts.experts import role_words
from core.texts.run import closed_words
from core.texts.traffic import download_of, known_line, swarm_speed, traffic_of

_WIDEST = 900


class ReviewPage(QWidget):
    """Shows what a finished search has found: one run, or several to choose from.

    Signals:
        opened: the page has become visible.
        start_requested: train in that run (a RunFound).
        later_requested: agree to that run, and help it after the others of the order (a RunFound).
        back_requested: go back to the page before.
        watch_requested: watch the peers of that run (a RunFound), whether it is started or not.
        dry_run_requested: measure that run on that device (RunFound, Device).
        further_devices_chosen: train on these beside the first device (their labels, and that of the first).
    """

    opened = Signal()
    start_requested = Signal(object)
    later_requested = Signal(object)
    back_requested = Signal()
    watch_requested = Signal(object)
    dry_run_requested = Signal(object, object)
    further_devices_chosen = Signal(object, str)

    def __init__(self) -> None:
        super().__init__()
        self._session, self._dry_run = Session(), Session()
        self._settings = Settings()
        self._seen: DevicesSeen | None = None
        self._chosen_device = AUTOMATIC
        self._further: tuple[str, ...] = ()
        self._disk = DiskSpace()
        self._fits: Fits | None = None
        self._picked: tuple[str, str] | None = None
        self._agreed: RunManifest | None = None
        self.offer, self.choice, self.bar = RunDetails(), RunSelector(), ConsentBar(_WIDEST)
        self.others = QPushButton(self.tr("Other runs at this address"))
        self.watch = QPushButton(self.tr("&Watch its peers"))
        for button, act in ((self.others, self._show_all), (self.watch, self._watch)):
            give_role(button, "link")
            button.clicked.connect(act)
        self.choice.run_chosen.connect(self._pick)
        self.offer.further_devices.devices_chosen.connect(self._choose_further)
        self.bar.start_requested.connect(self._start)
        self.bar.later_requested.connect(self._defer)
        self.bar.back_requested.connect(self._go_back)
        self._lay_out()

    def show_session(self, session: Session) -> None:
        """Show what was found; a new search forgets what was picked in the one before."""
        if session.opening is not self._session.opening and session.consent is None:
            self._picked = None
        self._session = session
        self._show()

    @property
    def run(self) -> RunFound | None:
        """The run that is shown in full, if it is one."""
        return self._run()

    def show_agreed(self, manifest: RunManifest | None) -> None:
        """Show what has changed in the run that is shown since the person agreed to that ``manifest``."""
        if manifest != self._agreed:
            self._agreed = manifest
            self._show()

    def show_dry_run(self, dry_run: Session) -> None:
        """Show what was measured on the device, or that it is being measured; nobody need wait for it."""
        if dry_run is not self._dry_run:
            self._dry_run = dry_run
            self._show()

    def show_devices(self, seen: DevicesSeen, chosen: str) -> None:
        """Compare the run with these devices; ``chosen`` is the one that the settings name."""
        if (seen, chosen) != (self._seen, self._chosen_device):
            self._seen, self._chosen_device = seen, chosen
            self._show()

    def show_further_devices(self, chosen: tuple[str, ...]) -> None:
        """Show which further devices are chosen, by their labels."""
        if chosen != self._further:
            self._further = chosen
            self._show()

    def show_disk(self, room: DiskSpace) -> None:
        """Compare the run with the free space where the data folder is."""
        self._disk = room
        self._show()

    def show_settings(self, settings: Settings) -> None:
        """Show what strangers will see with these settings."""
        if settings != self._settings:
            self._settings = settings
            self._show()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Start with Enter where Start is the default; go back with Escape."""
        if event.key() == Qt.Key.Key_Escape:
            self._go_back()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.bar.start.isDefault():
            self.bar.start.click()
        else:
            super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Emit that the page is opened, and put the focus where a person decides."""
        super().showEvent(event)
        self.opened.emit()
        self._focus()

    def _show(self) -> None:
        run = self._run()
        runs = self._runs()
        self.others.setVisible(run is not None and len(runs) > 1)
        self.choice.show_runs(runs)
        is_changed = self._stack.currentIndex() != (0 if run else 1)
        self._stack.setCurrentIndex(0 if run else 1)
        if run is None:
            self.bar.hide_start()
        else:
            self._show_run(run)
        if is_changed and self.isVisible():
            self._focus()

    def _show_run(self, run: RunFound) -> None:
        self.offer.show_run(run, self._agreed)
        connected = self._session.connected
        name = self._settings.public_name
        self.offer.visible_card.show_names(connected.peer_id if connected else None, name, self._settings.disclosure)
        confined = self._session.confined
        self.offer.visible_card.show_confinement(confined.gaps if confined else ())
        devices = self._seen.devices if self._seen else ()
        device = device_for(devices, self._chosen_device)
        limit = self._settings.memory_limit_bytes
        fit = fits(run.manifest, device, devices, self._disk, limit) if device else None
        if self._is_measuring and self._fits is not None and fit is not None:
            fit = self._fits  # what the dry run takes is not taken by others
        self._fits = fit
        self.offer.needs.show_fits(device, fit)
        self.offer.needs.show_download(download_of(fit.download_bytes, self._settings) if fit else "")
        self.offer.needs.show_measured(measured_words(self._dry_run, run.samples_per_second))
        role = role_words(run, self._settings.expert_role, self._settings.hosted_experts)
        self.offer.needs.show_traffic("\n".join(filter(None, (role, self._traffic_words(run)))))
        self.offer.further_devices.show_devices(device, devices, self._further, run.manifest)
        obstacle = self._obstacle(run)
        if obstacle or device is None or fit is None:
            self.bar.show_obstacle(obstacle or self.tr("First choose a device that is there."))
            return
        found = self._dry_run.fit
        self.bar.show_fit("too_little" if found is not None and found.micro_batch == 0 else fit.verdict)
        if fit.may_be_tried:
            self.dry_run_requested.emit(run, device)

    def _traffic_words(self, run: RunFound) -> str:
        """What the run sends, and what the line leaves of the computing, as soon as that can be said."""
        measured = self._dry_run.fit
        speed = swarm_speed(run.samples_per_second, measured.samples_per_second if measured else None)
        line = known_line(self._settings, self._session.upload, self._session.download)
        told = traffic_of(run.manifest, speed, line)
        if line is not None:
            return told
        hint = self.tr(
            "Tell the settings how fast your line is, to see what it leaves of the computing; "
            "its upload is measured when training has begun."
        )
        return f"{told}. {hint}"

    @property
    def _is_measuring(self) -> bool:
        return self._dry_run.phase in ("starting", "leaving")

    def _obstacle(self, run: RunFound) -> str:
        """Why Start cannot be pressed now, if it cannot."""
        if closed := closed_words(run):
            return closed
        if self._session.restarting is not None or self._session.is_crashed:
            return self.tr("The training process ended unexpectedly; it is started again…")
        if self._session.phase != "found":
            return self.tr("The connection to this run has ended. Go back, and join again.")
        return ""

    def _runs(self) -> tuple[RunFound, ...]:
        """Those that were asked for: the one that the address names, or all."""
        opening = self._session.opening
        wanted = opening.run_id if isinstance(opening, Join) else None
        return tuple(run for run in self._session.runs if wanted in (None, run.manifest.run.id))

    def _run(self) -> RunFound | None:
        """The picked one; or the only one, or the only one of that name that the address vouches for."""
        if self._picked is not None:
            return self._session.found(*self._picked) if self._picked != _ALL else None
        if self._session.is_changed and (agreed := self._session.agreed) is not None:
            return self._session.found(agreed.manifest.run.id, agreed.organiser)
        runs = self._runs()
        if len({run.manifest.run.id for run in runs}) == 1 and len(runs) > 1:
            runs = tuple(run for run in runs if run.vouched)
        return runs[0] if len(runs) == 1 else None

    def _pick(self, run: RunFound) -> None:
        self._picked = (run.manifest.run.id, run.organiser)
        self._show()

    def _choose_further(self, chosen: tuple[str, ...]) -> None:
        device = device_for(self._seen.devices if self._seen else (), self._chosen_device)
        if device is not None:
            self._further = chosen
            self.further_devices_chosen.emit(chosen, device.label)

    def _show_all(self) -> None:
        self._picked = _ALL
        self._show()

    def _start(self) -> None:
        if run := self._run():
            self.start_requested.emit(run)

    def _defer(self) -> None:
        if run := self._run():
            self.later_requested.emit(run)

    def _watch(self) -> None:
        if run := self._run():
            self.watch_requested.emit(run)

    def _go_back(self) -> None:
        """To the other runs, if there are any to choose from; or else to the page before."""
        if self._picked not in (None, _ALL) and len(self._runs()) > 1:
            self._show_all()
        else:
            self.back_requested.emit()

    def _focus(self) -> None:
        (self.bar.start if self.bar.start.isDefault() else self.bar.back).setFocus()

    def _lay_out(self) -> None:
        self._stack, links = QStackedWidget(), QHBoxLayout()
        links.addWidget(self.others)
        links.addStretch(1)
        links.addWidget(self.watch)
        for number, part in enumerate((self.offer, self.choice)):
            column = PageColumn(_WIDEST)
            if number == 0:
                column.parts.addLayout(links)
            column.parts.addWidget(part, 1)
            self._stack.addWidget(column)
        self._stack.setCurrentIndex(1)
        line = QFrame()
        line.setFrameStyle(QFrame.Shape.HLine | QFrame.Shadow.Plain)
        line.setForegroundRole(QPalette.ColorRole.Mid)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        rows.addWidget(self._stack, 1)
        rows.addWidget(line)
        rows.addWidget(self.bar)


_ALL = ("", "")  # picked on purpose: none, but all to choose from
