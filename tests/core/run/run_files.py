"""Run files for tests: the template with something changed."""

from __future__ import annotations

from core.run.run_file import template


def changed(old: str, new: str) -> str:
    """The template with one thing changed."""
    assert old in template()
    return template().replace(old, new, 1)


def with_local_updates(**changed: str) -> str:
    """The template with local updates and some options changed."""
    wanted = {"use_local_updates": "true", "delay_grad_averaging": "false", "delay_optimizer_step": "false", **changed}
    return "\n".join(
        f"{name} = {wanted[name]}" if (name := line.split(" = ")[0]) in wanted else line
        for line in template().split("\n")
    )


def in_local_sgd(**options: str) -> str:
    """The template in mode local-sgd, with only what that knows, and these options."""
    collaboration = {"mode": '"local-sgd"', "target_batch_size": "4096", **options}
    lines = "\n".join(f"{name} = {value}" for name, value in collaboration.items())
    before, _, rest = template().partition("[collaboration]\n")
    _, _, after = rest.partition("\n[")
    return f"{before}[collaboration]\n{lines}\n\n[{after}"
