"""The file of a report: its usual name, which the command line and the window offer."""

from __future__ import annotations

FILE_NAME = "workerbee-report.txt"
