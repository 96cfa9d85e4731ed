#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cost of a grid as its cells increase: planning them, without predictions and with, and
running each in a process, on a dry GPU.

    bench/page/scaling_cells.py --quick
    bench/page/scaling_cells.py --whole     # also runs 1,000 cells, which takes many minutes
"""

import json
import os
import sys

from command import run
from curve import Line, picture, written
from settings import say
from table import Table, run_alone

FILE = "benchmark-cells.svg"
CELLS = (1, 10, 100, 1000)
GRID = """\
grid: 1
name: cells
base:
  model: {name: transformer, size: custom, layers: 2, d_model: 32, d_ff: 64, heads: 2, vocab: 256, context: 32}
  data: {batch_size: 2}
  backend: {threads: 1}
  schedule: {wait: 0, warmup: 0, active: 3}
  device: {dry: h100-80gb}
  plugins: [allocator_tracer]
axes: {optimizer.lr: {from: 1, to: CELLS, step: 1}}
"""
NOT_RUN = {"predicted": "too long", "run": "too long", "report": "not run"}


def most_cells(settings, of_all):
    """Return the maximum number of cells of a grid, normally `of_all` of them."""
    return 10 if settings.quick else of_all


def point(settings, count):
    folder = settings.folder(f"cells-{count}")
    grid = folder / "grid.yaml"
    grid.write_text(GRID.replace("CELLS", str(count)))

    def used(*words):
        done = run([settings.strata, "grid", *words], folder)
        return {"seconds": done.seconds, "processor_seconds": done.processor_seconds, "peak_bytes": done.peak_bytes}

    found = {"cells": count, "plan": used("plan", grid, "--fast"), "predicted": None, "run": None, "report": None}
    if count <= most_cells(settings, 1000 if settings.whole else 10):
        found["predicted"] = used("plan", grid)
    if count <= most_cells(settings, 1000 if settings.whole else 100):
        found["run"] = used("run", grid, "--out", folder / "out")
        found["report"] = used("report", folder / "out")
        told = json.loads(run([settings.strata, "grid", "status", folder / "out", "--json"], folder).output)
        found["ok"] = told["counts"].get("ok", 0)
    return found


def measure(settings):
    points = []
    for count in CELLS:
        if count > most_cells(settings, 1000):
            break
        points.append(point(settings, count))
        say(f"scaling-cells: {points[-1]}")
    return {"points": points, "cores": os.cpu_count()}


WHAT = {"plan": "`plan --fast`", "predicted": "`plan`", "run": "`run`", "report": "`report`"}


def lines(result):
    found = [
        Line(
            f"{name.replace('`', '')}, CPU ms per cell",
            [(each["cells"], each[key]["processor_seconds"] / each["cells"] * 1e3) for each in result["points"] if each[key]],
        )
        for key, name in WHAT.items()
    ]
    return [line for line in found if line.points and min(y for _, y in line.points) > 0]


HEADER = ["cells", *(f"{name}, {unit} per cell" for unit in ("ms", "CPU ms") for name in WHAT.values())]


def write(result):
    rows = []
    for each in result["points"]:
        of_cell = [(each[key] and each[key][of] / each["cells"] * 1e3, NOT_RUN.get(key)) for of in ("seconds", "processor_seconds") for key in WHAT]
        rows.append([f"{each['cells']:,}", *(f"{ms:,.1f}" if ms else reason for ms, reason in of_cell)])
    note = (
        f"Each cell runs as its own `strata run` process, with its report; {result['cores']} run at once. `plan` runs two dry steps of each cell to predict its peak."
        " *Too long*: `./dev bench page scaling-cells --whole` measures it. One run each, without a spread."
    )
    return written(FILE, HEADER, rows, lines(result), note)


def pictures(result):
    return {FILE: picture("What a cell of a grid costs", "cells", "ms of processor a cell", lines(result))}


def tables():
    commands = ["./dev bench page scaling-cells", *(f"# grid.yaml: {line}" for line in GRID.strip().split("\n")), "strata grid plan grid.yaml --fast", "strata grid plan grid.yaml", "strata grid run grid.yaml", "strata grid report grids/cells"]
    return [Table("scaling-cells", "Cells of a grid: 1 to 1,000, dry", measure, write, commands, pictures)]


if __name__ == "__main__":
    sys.exit(run_alone(__doc__, tables()))
