"""The card of what this computer can lend: its GPU as NVML measures it now, or its CPU."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal

from app.appearance.line_breaks import breakable
from app.widgets.labels import Heading, Hint, Strong, Words
from app.widgets.layout.card import Card
from app.widgets.memory_bar import MemoryBar
from core.placeholders import fill_placeholders
from core.security.sanitize import sanitize_line
from core.texts import figures
from core.texts.device import name_of, unused_words

if TYPE_CHECKING:
    from app.widgets.device_selector import DeviceSelector
    from core.hardware.device import Device
    from core.hardware.monitor import DevicesSeen

_MOST_USERS = 4


class DeviceCard(Card):
    """Shows what this computer can lend; a choice is offered only where there is one.

    There is one with several GPUs, or where the settings name a device that is not the automatic one.

    Signals:
        device_chosen: train on that device, as the settings name it.
    """

    device_chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._name, self._state = Strong(), Words()
        self._bar, self._memory = MemoryBar(), Words()
        self._driver, self._users = Hint(), Hint()
        self.parts.addWidget(Heading(self.tr("What you can lend")))
        for part in (self._name, self._state, self._bar, self._memory, self._driver, self._users):
            self.parts.addWidget(part)
        self._show_nothing()

    @cached_property
    def choice(self) -> DeviceSelector:
        """The list of devices below the heading, made as soon as there is something to choose from."""
        from app.widgets.device_selector import DeviceSelector

        choice = DeviceSelector()
        choice.device_chosen.connect(self.device_chosen)
        self.parts.insertWidget(1, choice)
        return choice

    @property
    def text(self) -> str:
        """Everything that the card says, one part a line."""
        labels = (self._name, self._state, self._memory, self._driver, self._users)
        return "\n".join(label.text() for label in labels if label.text())

    def show_devices(self, seen: DevicesSeen, chosen: str) -> None:
        """Show the device that would train, and what there is to know about it."""
        from app.widgets.device_selector import AUTOMATIC, device_for

        gpus = [device for device in seen.devices if device.is_gpu]
        self.choice.show_devices(seen.devices, chosen)
        self.choice.setVisible(len(gpus) > 1 or (chosen != AUTOMATIC and bool(seen.devices)))
        device = device_for(seen.devices, chosen)
        if device is None and seen.devices:
            self._state.set_text(self._missing_words(device_for(seen.idle, chosen)))
        else:
            self._state.set_text(self._state_words(seen, gpus, device))
        if device is None:
            self._show_nothing()
        else:
            self._show_device(device, seen)

    def _show_device(self, device: Device, seen: DevicesSeen) -> None:
        is_stale = device.is_gpu and not seen.is_driver_answering
        self._name.set_text(breakable(name_of(device)))
        total, free = device.memory_total_bytes, device.memory_free_bytes
        self._bar.setVisible(bool(total) and free is not None)
        if total and free is not None:
            self._bar.show_shares(1.0 - free / total)
        self._memory.set_text(self._memory_words(device))
        self._driver.set_text("" if is_stale else self._driver_words(device))
        self._users.set_text("" if is_stale else self._user_words(device))

    def _show_nothing(self) -> None:
        for label in (self._name, self._memory, self._driver, self._users):
            label.set_text("")
        self._bar.hide()
        if not self._state.text():
            self._state.set_text(self.tr("Looking for a GPU…"))

    def _missing_words(self, idle: Device | None) -> str:
        """Why the chosen device cannot train; ``idle`` is that device where it is there, but the engine none for it."""
        if idle is None:
            return self.tr("The device that you chose is not there now. Choose another one, or plug it in.")
        words = self.tr("The training engine on this computer is none for %1, which you chose. Choose another device.")
        return fill_placeholders(words, breakable(name_of(idle)))

    def _state_words(self, seen: DevicesSeen, gpus: list[Device], device: Device | None) -> str:
        if not seen.is_driver_answering:
            return self.tr("NVIDIA's driver does not answer. Workerbee goes on asking; restart if it stays so.")
        if seen.idle and not gpus:
            words = self.tr(
                "%1 stays idle: the training engine on this computer is none for it. Workerbee "
                "offers another at its start, once there is one for this GPU and its driver."
            )
            return fill_placeholders(words, breakable(name_of(seen.idle[0])))
        if seen.unused and not gpus:
            return breakable(unused_words(seen.unused))
        if not gpus:
            return self.tr("No NVIDIA GPU: the CPU can help, slowly.")
        if device is not None and device.kind == "cpu":
            return self.tr("You chose the CPU: it helps more slowly than the GPU would.")
        return ""

    def _memory_words(self, device: Device) -> str:
        total, free = device.memory_total_bytes, device.memory_free_bytes
        if total is None or free is None:
            return self.tr("How much memory is free is not known.")
        sentence = self.tr("%1 of %2 memory free") if device.kind == "cpu" else self.tr("%1 of %2 GPU memory free")
        return fill_placeholders(sentence, figures.size(free), figures.size(total))

    def _driver_words(self, device: Device) -> str:
        known = []
        if device.driver:
            known.append(fill_placeholders(self.tr("driver %1"), sanitize_line(device.driver, 40)))
        if device.temperature_c is not None:
            known.append(fill_placeholders(self.tr("%1 °C"), figures.count(device.temperature_c)))
        return " · ".join(known)

    def _user_words(self, device: Device) -> str:
        """The other programs on it, the greediest first; nothing of a CPU, which everything uses.

        Of a GPU that is not NVIDIA's they are looked for only while it trains.
        """
        if device.kind == "cpu" or device.pci_address:
            return ""
        if device.users is None:
            return self.tr("NVIDIA's driver does not tell here what else is using it.")
        if not device.users:
            return self.tr("Nothing else is using it.")
        users = sorted(device.users, key=lambda user: user.memory_bytes or 0, reverse=True)
        names = []
        for user in users[:_MOST_USERS]:
            name = sanitize_line(user.name, 40) or self.tr("a program")
            names.append(f"{name} ({figures.size(user.memory_bytes)})" if user.memory_bytes else name)
        if len(users) > _MOST_USERS:
            names.append(self.tr("%n more", "", len(users) - _MOST_USERS))
        return breakable(fill_placeholders(self.tr("Also using it: %1"), ", ".join(names)))
