#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cost of an event when many threads allocate at once: a TorchScript program on the CPU, under
`strata exec` and alone.

    bench/page/scaling_threads.py --quick
"""

import json
import os
import pathlib
import sqlite3
import sys

from command import run
from curve import Line, picture, written
from settings import say
from spread import spread, text
from table import Table, run_alone

FILE = "benchmark-threads.svg"
PROGRAM = pathlib.Path(__file__).with_name("allocating_threads.py")
ADDITIONS, ROUNDS = 64_000, 3


def threads(settings):
    return [1, 4] if settings.quick else [1, 2, 4, 8, 16, 32, 64]


def once(settings, count, turn):
    folder = settings.folder(f"threads-{count}-{turn}")
    out = folder / "run"
    program = [settings.python, PROGRAM, count, ADDITIONS]
    bare = json.loads(run(program, folder).output)
    recorded = json.loads(run([settings.strata, "exec", "--set", "trace.ops=none", "--out", out, "--", *program], folder).output)
    (database,) = (out / "rank0").glob("*.sqlite")
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as store:
        (events,) = store.execute("SELECT count(*) FROM allocator_tracer_event").fetchone()
        (seen,) = store.execute("SELECT count(DISTINCT thread) FROM allocator_tracer_event").fetchone()
    return {"bare": bare, "recorded": recorded, "events": events, "threads_seen": seen}


def measure(settings):
    points = []
    for count in threads(settings):
        rounds = [once(settings, count, turn) for turn in range(settings.rounds(ROUNDS))]
        points.append({"threads": count, "rounds": rounds})
        say(f"scaling-threads, {count}: {rounds[-1]}")
    return {"points": points, "cores": os.cpu_count()}


def added_ns(found, key):
    return spread([(each["recorded"][key] - each["bare"][key]) / each["events"] * 1e9 for each in found["rounds"]])


def lines(result):
    points = [(found["threads"], added_ns(found, "processor_seconds").median) for found in result["points"]]
    return [Line("CPU ns per event, including the store's writer", [point for point in points if point[1] > 0])]


HEADER = ["threads", "events", "threads in the store", "CPU ns per event", "wall ns per event"]


def write(result):
    rows = []
    for found in result["points"]:
        last = found["rounds"][-1]
        rows.append([found["threads"], f"{last['events']:,}", last["threads_seen"], text(added_ns(found, "processor_seconds"), "{:,.0f}"), text(added_ns(found, "seconds"), "{:,.0f}")])
    note = (
        f"The machine has {result['cores']} cores, so more than {result['cores']} threads share them. Each thread writes to its own spool. Both times are the recorded program's minus the bare"
        " program's, divided by the events."
    )
    return written(FILE, HEADER, rows, lines(result), note)


def pictures(result):
    return {FILE: picture("What an event costs where many threads allocate", "threads", "ns of processor an event", lines(result))}


def tables():
    program = f"python bench/page/allocating_threads.py THREADS {ADDITIONS}"
    return [Table("scaling-threads", "Threads: 1 to 64", measure, write, ["./dev bench page scaling-threads", program, f"strata exec --set trace.ops=none -- {program}"], pictures)]


if __name__ == "__main__":
    sys.exit(run_alone(__doc__, tables()))
