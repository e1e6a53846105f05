"""The examinations of this computer by `doctor`: one function each, which returns a finding."""

from __future__ import annotations

import ctypes
import platform
import shutil
import socket
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from core.engine.pythons import PYTHONS, this_python
from core.errors import ErrorKind, UserError
from core.files.folders import Folders
from core.hardware.device import Device
from core.hardware.pci_gpus import find_pci_gpus
from core.hardware.unused_gpus import find_unused_gpus
from core.observers.upload_limits import can_limit_uploads
from core.protocol.events import EngineChecked
from core.run.multiaddr import USUAL_PORT
from core.security.confinement.gaps import Gap
from core.texts.confinement import confinement_words
from core.texts.device import advice_on_unused, why_unused
from core.texts.errors import advice_of, title_of
from core.texts.figures import count, size, time
from core.wsl import MIRRORED_COMMAND, RESTART_COMMAND, SYSTEMD_COMMAND, Lack, Wsl, firewall_command

_OPEN_FILES = 4096
_SHARED_MEMORY_BYTES = 64 << 20
_LITTLE_DISK_BYTES, _NO_DISK_BYTES = 2_000_000_000, 200_000_000
_STA_UNSYNC = 0x0040  # <sys/timex.h>
_SYSTEM_NAMES = {"Darwin": "macOS"}
_TIMEX_BYTES, _TIMEX_MAXERROR, _TIMEX_STATUS = 256, 24, 40


@dataclass(frozen=True)
class Finding:
    """The result of one examination; the advice is empty where all is well."""

    state: Literal["good", "doubtful", "bad"]
    subject: str
    text: str
    advice: str = ""


def python() -> Finding:
    """Examine whether this Python is one that the engine is pinned to."""
    text = ".".join(str(part) for part in sys.version_info[:3])
    if this_python() in PYTHONS:
        return Finding("good", "Python", text)
    return Finding("bad", "Python", text, f"Use Python {PYTHONS[0]} to {PYTHONS[-1]}.")


def system() -> Iterator[Finding]:
    """Examine whether anybody has tried Workerbee on this system; nothing to say of Linux, inside Windows or not."""
    name = platform.system()
    if name == "Linux":
        return
    advice = "What Workerbee asks of Linux alone is absent: see “Other systems” in the documentation's Installation."
    yield Finding("doubtful", "system", f"untried on this system: {_SYSTEM_NAMES.get(name, name or 'unknown')}", advice)


def folders_writable(folders: Folders) -> Finding:
    """Examine whether settings, keys and checkpoints can be written."""
    try:
        folders.prepare()
    except UserError as error:
        return Finding("bad", "folders", f"{title_of(error.problem)} {error.detail}", advice_of(error.problem))
    return Finding("good", "folders", f"{folders.data} and the others can be written")


def engine(checked: EngineChecked | None, error: UserError | None) -> Finding:
    """Examine whether the worker starts and its libraries load."""
    if checked is not None:
        return Finding("good", "engine", f"torch {checked.torch}, hivemind {checked.hivemind}")
    error = error or UserError(ErrorKind.ENGINE_MISSING)
    return Finding("bad", "engine", f"{title_of(error.problem)} {error.detail}".strip(), advice_of(error.problem))


def confinement(gaps: Sequence[Gap]) -> Finding:
    """Examine how far the worker could confine itself, as it has just said."""
    if not gaps:
        return Finding("good", "confinement", confinement_words(gaps))
    advice = "Linux 7.1 can do all of it, 6.12 where users may make namespaces; containers often forbid it."
    return Finding("doubtful", "confinement", confinement_words(gaps), advice)


def gpus(devices: Sequence[Device], checked: EngineChecked | None, root: Path = Path("/")) -> Iterator[Finding]:
    """Examine the GPUs that are known, whether the engine can use them, and the others below ``root``."""
    known = [device for device in devices if device.is_gpu]
    unused = find_unused_gpus(devices, root)
    if not known and not unused:
        yield _no_gpu(root)
    for device in known:
        memory = f", {size(device.memory_total_bytes)}" if device.memory_total_bytes else ""
        driver = f", driver {device.driver}" if device.driver else ""
        yield Finding("good", "GPU", f"{device.label}: {device.name or 'unnamed'}{memory}{driver}")
    of_cuda = [device for device in known if device.kind == "cuda"]
    if checked is not None and len(checked.cuda_devices) < len(of_cuda):
        text = f"the engine can use {len(checked.cuda_devices)} of {len(of_cuda)}"
        advice = "Update the driver, look at CUDA_VISIBLE_DEVICES, or install a torch with CUDA."
        yield Finding("doubtful", "GPU", text, advice)
    for gpu in unused:
        yield Finding("doubtful", "GPU", why_unused(gpu, is_beside_others=bool(known)), advice_on_unused(gpu))


def _no_gpu(root: Path) -> Finding:
    """A processor's own GPU is nothing that its owner would lend, and a computer without another is in order."""
    integrated = [gpu.name for gpu in find_pci_gpus(root) if gpu.is_integrated]
    if integrated:
        return Finding("good", "GPU", f"the processor's own ({', '.join(integrated)}), so the CPU trains")
    return Finding("doubtful", "GPU", "none found", "The CPU trains; an NVIDIA GPU would need NVIDIA's driver.")


def wsl(found: Wsl | None) -> Iterator[Finding]:
    """Examine a Linux inside Windows; nothing to say of any other system."""
    if found is None:
        return
    if found.version == 2:
        yield Finding("good", "WSL", f"version 2, network {found.networking or 'not told'}")
    for lack in found.lacks():
        yield _wsl_finding(lack)


def _wsl_finding(lack: Lack) -> Finding:
    match lack:
        case "version 2":
            advice = "In PowerShell: wsl --list --verbose, then wsl --set-version NAME 2."
            return Finding("bad", "WSL", "version 1, which has no Linux kernel", advice)
        case "gpu":
            advice = f"Install NVIDIA's driver in Windows, none inside WSL; then in PowerShell: {RESTART_COMMAND}"
            return Finding("doubtful", "WSL", "Windows shares no GPU (/dev/dxg)", advice)
        case "mirrored network":
            advice = f"In PowerShell of Windows 11 (22H2 or newer): {MIRRORED_COMMAND}; {RESTART_COMMAND}"
            return Finding("doubtful", "WSL", "its network is not mirrored: others cannot reach it", advice)
        case "firewall rule":
            text = "Windows lets others in only by a rule of the Hyper-V firewall, which cannot be seen from here"
            return Finding("doubtful", "WSL", text, f"In an administrator's PowerShell: {firewall_command(USUAL_PORT)}")
        case "systemd":
            advice = f"{SYSTEMD_COMMAND}; then in PowerShell: {RESTART_COMMAND}"
            return Finding("doubtful", "WSL", "no systemd, so no service", advice)


def clock() -> Finding:
    """Examine whether the kernel knows the right time; hivemind refuses peers that are 3 seconds off."""
    error_seconds = _clock_error_seconds()
    advice = "Set the clock from the network: timedatectl set-ntp true; peers more than 3 seconds apart fail."
    if error_seconds is None:
        return Finding("doubtful", "clock", "not known whether it is right", advice)
    if error_seconds < 0:
        return Finding("doubtful", "clock", "the system does not keep it right by itself", advice)
    if error_seconds > 3:
        return Finding("doubtful", "clock", f"it may be up to {time(error_seconds)} wrong", advice)
    return Finding("good", "clock", f"kept right by the network, to {error_seconds:.2f} s")


def ports() -> Iterator[Finding]:
    """Examine whether a program may listen at all, so that others can reach us."""
    for family, host, name in ((socket.AF_INET, "0.0.0.0", "IPv4"), (socket.AF_INET6, "::", "IPv6")):
        try:
            with socket.socket(family, socket.SOCK_STREAM) as listener:
                listener.bind((host, 0))
                listener.listen(1)
        except OSError as error:
            state: Literal["doubtful", "bad"] = "bad" if family == socket.AF_INET else "doubtful"
            advice = "Without it use --network client." if state == "bad" else "Without it the other one is enough."
            yield Finding(state, "ports", f"{name}: cannot listen, {error.strerror or error}", advice)
        else:
            yield Finding("good", "ports", f"{name}: can listen")


def upload_limits() -> Finding:
    """Examine whether an owner's limit to uploads can be kept."""
    if can_limit_uploads():
        return Finding("good", "upload limits", "can be kept")
    advice = "It needs Linux 5.6, kernel.yama.ptrace_scope 0 or 1, and a container that allows pidfd_getfd."
    return Finding("doubtful", "upload limits", "cannot limit here", advice)


def disk(folders: Folders) -> Finding:
    """Examine whether there is disk space for checkpoints."""
    place = next(each for each in (folders.data, *folders.data.parents) if each.exists())
    free = shutil.disk_usage(place).free
    text, advice = f"{size(free)} free in {place}", "Free some space for checkpoints."
    if free < _NO_DISK_BYTES:
        return Finding("bad", "disk", text, advice)
    return Finding("doubtful" if free < _LITTLE_DISK_BYTES else "good", "disk", text, advice)


def shared_memory(place: Path = Path("/dev/shm")) -> Finding | None:
    """Examine whether processes can share tensors; only Linux has such a place."""
    if not sys.platform.startswith("linux"):
        return None
    advice = "Mount a tmpfs on /dev/shm; in a container, give it --shm-size=1g."
    if not place.is_dir():
        return Finding("bad", "shared memory", f"there is no {place}", advice)
    total = shutil.disk_usage(place).total
    state: Literal["good", "bad"] = "good" if total >= _SHARED_MEMORY_BYTES else "bad"
    return Finding(state, "shared memory", f"{size(total)} in {place}", advice)


def open_files() -> Finding | None:
    """Examine whether the worker may open as many files as a large swarm needs."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return None
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    enough = hard == resource.RLIM_INFINITY or hard >= _OPEN_FILES
    text = "no limit" if hard == resource.RLIM_INFINITY else f"at most {count(hard)}"
    advice = f"Raise the hard limit to {_OPEN_FILES}: ulimit -Hn, or /etc/security/limits.conf."
    return Finding("good" if enough else "doubtful", "open files", text, advice)


def _clock_error_seconds() -> float | None:
    """The kernel's bound of the clock's error; negative where nobody keeps it right, None if not told."""
    try:
        adjtimex = ctypes.CDLL(None, use_errno=True).adjtimex
    except (AttributeError, OSError, TypeError):
        return None
    record = ctypes.create_string_buffer(_TIMEX_BYTES)  # mode 0: only ask
    if ctypes.sizeof(ctypes.c_long) != 8 or adjtimex(record) < 0:
        return None
    status = ctypes.c_int.from_buffer(record, _TIMEX_STATUS).value
    maximal_error_us = ctypes.c_long.from_buffer(record, _TIMEX_MAXERROR).value
    return -1.0 if status & _STA_UNSYNC else maximal_error_us / 1e6
