"""The gaps of a confinement: what it has to leave open on this computer."""

from __future__ import annotations

from typing import Literal

Gap = Literal["everything", "files", "truncation", "network", "signals", "sockets", "system_calls", "privileges"]
"""What a confined process can still do of what it should not:

- ``everything``: nothing is confined, as on other systems than Linux, or where a person has switched it off;
- ``files``: it reads and writes all files of the person (no Landlock);
- ``truncation``: it can empty other files of the person's (Landlock before ABI 3);
- ``network``: its processes can connect to more than they need (Landlock before ABI 4, or no seccomp);
- ``signals``: it can end the person's other programs, and use their abstract sockets (Landlock before ABI 6);
- ``sockets``: it can talk to the session bus and an SSH agent through their sockets (Landlock before ABI 9, where no
  mount namespace can be made either);
- ``system_calls``: it may use system calls that training does not need (no seccomp for this processor or kernel);
- ``privileges``: it could gain some by running a setuid program (no ``no_new_privs``).
"""
