"""Who tells the rule about the GPU's other programs what they compute: a line of `doctor`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from core.availability.rules import AvailabilityRules
from core.cli.commands.diagnostics import Finding
from core.client.computer_watch import ComputerWatch, gpus_of
from core.hardware.device import Device
from core.observers.gpu import GpuObserver
from core.texts.settings.unobserved_rules import tellers

_SUBJECT = "GPU use"
_PATIENCE_SECONDS = 5.0  # with a driver that hangs


def gpu_use(devices: Sequence[Device], rules: AvailabilityRules, root: Path = Path("/")) -> Finding:
    """Examine who tells it of the GPUs among those devices, any of which may train; ``root`` is as for the observer."""
    gpus = gpus_of(devices)
    if not gpus:
        return Finding("good", _SUBJECT, "no GPU trains here, so nobody's use of one is a reason for a pause")
    watch = ComputerWatch(partial(GpuObserver, gpus, root), lambda: rules)
    watch.start()
    watch.await_first_look(_PATIENCE_SECONDS)
    seen = watch.seen({})
    watch.stop()
    if seen is not None and seen.gpu_uses is not None:
        is_on_bus = any(device.pci_address for device in devices)
        teller = "the kernel, of your own programs (/proc/<pid>/fdinfo)" if is_on_bus else "NVIDIA's driver"
        return Finding("good", _SUBJECT, f"told by {teller}")
    if rules.gpu_share is None:
        return Finding("good", _SUBJECT, "nobody tells it, and no rule of yours asks")
    return Finding("doubtful", _SUBJECT, "nobody tells it", f"It would be told by {tellers('gpu')}.")
