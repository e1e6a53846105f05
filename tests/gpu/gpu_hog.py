"""Another program that computes on a GPU: `python -m tests.gpu.gpu_hog DEVICE SECONDS` says its process id, then `on`.

It leaves the family of whoever starts it, as a game or a film editor would not belong to it.
"""

from __future__ import annotations

import os
import sys
import time

_SIDE = 4096


def main() -> None:
    """Multiply matrices until the time is over."""
    if os.fork():
        os._exit(0)
    os.setsid()
    print(os.getpid(), flush=True)
    import torch

    device, until = torch.device(sys.argv[1]), time.monotonic() + float(sys.argv[2])
    matrix = torch.randn(_SIDE, _SIDE, device=device)
    print("on", flush=True)
    while time.monotonic() < until:
        matrix = torch.nn.functional.normalize(matrix @ matrix)
        torch.cuda.synchronize()


if __name__ == "__main__":
    main()
