# SPDX-License-Identifier: Apache-2.0
"""The middle of several measurements, and how far they lie apart."""

import dataclasses
import statistics


@dataclasses.dataclass(frozen=True)
class Spread:
    median: float
    lower: float  # quartiles; of fewer than four values the least and the most
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
    """`ways`: of each name a value a round. Of each but the base its ratio to the base's value of the same round."""
    return {name: spread([value / of for value, of in zip(values, ways[base])]) for name, values in ways.items() if name != base}


def text(measured, form="{:.2f}", one="{} (one run)"):
    """`1.23 (1.20 to 1.30)`; a single run has no spread, and says that it is one."""
    if measured.count == 1:
        return one.format(form.format(measured.median))
    return f"{form.format(measured.median)} ({form.format(measured.lower)} to {form.format(measured.upper)})"
