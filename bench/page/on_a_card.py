#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of the cost that recorders add to a step on a card (bench/on_a_card.py), or on a dry
card if there is none.

    bench/page/on_a_card.py
    bench/page/on_a_card.py --quick --json
"""

import json
import sys

from command import run
from markdown import mb, seconds, table
from settings import REPOSITORY
from table import Table, run_alone

NAME = "on-a-card"
HEADER = ["recorder", "a step, ms", "ratio to the bare program", "limit", "after step 50", "start to first step, s", "last step to report, s", "store, MB a step"]


def measure(settings):
    out = settings.folder(NAME)
    words = ["--rounds", settings.rounds(3), "--minutes", 4, *(["--steps", 12, "--programs", "small"] if settings.quick else [])]
    program = [settings.python, REPOSITORY / "bench/on_a_card.py", "--strata", settings.strata, "--json", out / "cost.json", *words]
    run(program, out, statuses=(0, 1))  # 1: above a limit, which the table shows
    return json.loads((out / "cost.json").read_text())


def row(way):
    spread = f" ({min(way['ratios']):.2f} to {max(way['ratios']):.2f})" if len(way["ratios"]) > 1 else " (one run)"
    limit = f"{way['limit']:.2f}: {'met' if way['ratio'] <= way['limit'] else '**missed**'}" if way["limit"] else "–"
    late = f"{way['late_ratio']:.2f}" if way["late_ratio"] else "–"
    store = mb(way["store_bytes_a_step"]) if way["store_bytes_a_step"] else "none"
    return [way["what"], f"{way['step_ms']:.2f}", f"{way['ratio']:.2f}{spread}", limit, late, seconds(way["start_seconds"]), seconds(way["end_seconds"]), store]


def write(result):
    where = f"Dry {result['card']}: nothing is computed, so every instruction of a recorder shows." if result["dry"] else f"{result['card']}."
    parts = [f"{where} Measured {result['date']}."]
    for program in result["programs"].values():
        parts += [f"**{program['title']}**", table(HEADER, [row(way) for way in program["ways"].values()])]
        for key, what in (("losses_equal", "losses"), ("peak_equal", "peaks of torch's allocator")):
            differ = [way["what"] for way in program["ways"].values() if not way[key]]
            parts.append(f"The {what} of all runs are equal to the last bit." if not differ else f"The {what} differ under {', '.join(differ)}.")
    if result["missing"]:
        parts.append("Could not run: " + "; ".join(f"{name} ({reason})" for name, reason in result["missing"].items()) + ".")
    return "\n\n".join(parts)


def tables():
    return [Table(name=NAME, title="What a step costs on a card", measure=measure, write=write, commands=["bench/on_a_card.py --minutes 4"])]


if __name__ == "__main__":
    sys.exit(run_alone(__doc__, tables()))
