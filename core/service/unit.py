"""The text of the systemd unit (systemd.unit(5), systemd.service(5), systemd.exec(5))."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

STOP_SECONDS = 30
RESTART_SECONDS = 60
CPU_AND_IO_WEIGHT = 10
"""Of the processor and the disks, where a program of the person's has 100 (systemd.resource-control(5))."""
ORGANISERS_CODES = (5, 6)
"""The exit codes of what only the organiser or a person can mend: a closed run, and one that has changed."""


def unit_text(command: Sequence[str], environment: Mapping[str, str]) -> str:
    """The unit that runs that command, with those variables.

    SIGTERM goes to the command alone (``KillMode=mixed``), which then has its worker say goodbye; sent to everybody, it
    would end p2pd first, and others would wait for a peer that is gone.
    """
    lines = (
        "[Unit]",
        "Description=Workerbee, which lends this computer to a collaborative training run",
        "Documentation=man:workerbee(1)",
        "StartLimitIntervalSec=1h",
        "StartLimitBurst=10",
        "",
        "[Service]",
        "Type=exec",
        f"ExecStart={_command_line(command)}",
        *(f"Environment={_quoted(f'{name}={value}')}" for name, value in sorted(environment.items())),
        "Restart=on-failure",
        f"RestartSec={RESTART_SECONDS}",
        f"RestartPreventExitStatus={' '.join(map(str, ORGANISERS_CODES))}",
        f"CPUWeight={CPU_AND_IO_WEIGHT}",
        f"IOWeight={CPU_AND_IO_WEIGHT}",
        "KillMode=mixed",
        f"TimeoutStopSec={STOP_SECONDS}",
        "",
        "[Install]",
        "WantedBy=default.target",
    )
    return "\n".join(lines) + "\n"


def _command_line(command: Sequence[str]) -> str:
    """A command line, in which a dollar sign would begin a variable; but not in the path of the program."""
    program, *words = command
    return " ".join([_quoted(program), *(_quoted(word.replace("$", "$$")) for word in words)])


def _quoted(word: str) -> str:
    """One word; a percent sign would begin a specifier."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'
