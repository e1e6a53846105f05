"""The bench's simulated GPU keeps to its limits, and one that was not measured is not called good."""

from __future__ import annotations

from tests.bench.gpu_pacing import GpuPacingMeasured, gpu_pacing_deeds, gpu_pacing_rows


def test_power_temperature_and_bursts_are_measured_and_reached() -> None:
    measured = GpuPacingMeasured()
    assert [row.is_reached for row in gpu_pacing_rows(measured)] == [None] * 3
    gpu_pacing_deeds(measured)["gpu_pacing"]()
    assert [row.is_reached for row in gpu_pacing_rows(measured)] == [True] * 3
    too_hot = GpuPacingMeasured(power_error=0.031, celsius_error=2.1, burst_seconds=1.1)
    assert [row.is_reached for row in gpu_pacing_rows(too_hot)] == [False] * 3
