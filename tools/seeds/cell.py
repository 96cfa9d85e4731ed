# SPDX-License-Identifier: Apache-2.0
"""One run's summary.json, with the figures that the pages need."""

import dataclasses
import pathlib


@dataclasses.dataclass(frozen=True)
class Cell:
    summary: dict
    folder: pathlib.Path | None = None  # of the run; None if only its summary was kept

    @property
    def peak(self):
        return self.summary["peak"]["allocated_bytes"]

    @property
    def reserved(self):
        return max(step["peak_reserved_bytes"] for step in self.summary["steps"])

    @property
    def reserved_at_peak(self):
        """The reserved bytes when the most was allocated; more may have been reserved at another
        time."""
        return self.summary["peak"]["reserved_bytes"]

    @property
    def requested(self):
        return max(step["peak_requested_bytes"] for step in self.summary["steps"])

    @property
    def phase(self):
        return self.summary["peak"]["phase"]

    @property
    def at_peak(self):
        """Bytes of each category at the peak."""
        return self.summary["peak"]["categories"]

    @property
    def categories(self):
        """Mean, min, median and max of each category over the window's allocations and frees."""
        return self.summary["categories"]

    @property
    def step_milliseconds(self):
        return [step["duration_ns"] / 1e6 for step in self.summary["steps"]]
