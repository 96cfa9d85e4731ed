# SPDX-License-Identifier: Apache-2.0
"""The median of several measurements, and their spread."""

import dataclasses
import statistics


@dataclasses.dataclass(frozen=True)
class Spread:
    median: float
    lower: float  # quartiles; with fewer than four values the minimum and the maximum
    upper: float
    count: int


def spread(values):
    values = sorted(values)
    if not values:
        raise ValueError("nothing was measured")
    if len(values) < 4:
        return Spread(statistics.median(values), values[0], values[-1], len(values))
    lower, median, upper = statistics.quantiles(values, n=4, method="inclusive")
    return Spread(median, lower, upper, len(values))


def ratios(ways, base):
    """Return the ratios of each name's values to the base's of the same round. `ways` has one value
    per round for each name."""
    return {name: spread([value / of for value, of in zip(values, ways[base])]) for name, values in ways.items() if name != base}


def text(measured, form="{:.2f}", one="{} (one run)"):
    """Return `1.23 (1.20 to 1.30)`; a single run has no spread, and the text says so."""
    if measured.count == 1:
        return one.format(form.format(measured.median))
    return f"{form.format(measured.median)} ({form.format(measured.lower)} to {form.format(measured.upper)})"
