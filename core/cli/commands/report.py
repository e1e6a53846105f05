"""`report`: what helps others to find a problem, without anybody's name in it, shown before it is saved."""

from __future__ import annotations

from core.cli.commands.doctor import findings
from core.cli.options.shared_options import require_new_file
from core.cli.parser.report_arguments import MakeReport
from core.cli.runner.consent import confirm
from core.cli.runner.context import CommandContext
from core.files.atomic import save_file
from core.problem_report.contents import report_text


def report(command: MakeReport, context: CommandContext) -> int:
    """Print the report, ask, and write it to the file, which its owner alone may read; nothing is sent."""
    require_new_file(command.file, "--to")
    lines = [f"{each.state}: {each.subject}: {each.text}" for each in findings(context)]
    text = report_text(context.folders, lines, context.known_devices())
    if not command.yes:
        print(text, flush=True)
        if not confirm(f"Save this as {command.file}? Read it first; what names somebody should be gone.", False):
            print("Nothing was saved.")
            return 0
    save_file(command.file, text.encode())
    print(f"Saved as {command.file.absolute()}. Nothing was sent: attach it where you ask for help.")
    return 0
