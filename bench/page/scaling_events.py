#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cost of an event as a run gets longer: recording it, its bytes in the store, and analysing
it, on a dry H100, as in bench/long_run.py.

    bench/page/scaling_events.py --quick
    bench/page/scaling_events.py --whole         # to 10^8: a quarter of an hour, 5 GB of disk and
                                                 # 16 GiB of memory
"""

import pathlib
import sqlite3
import sys

from command import run
from curve import Line, picture, written
from settings import REPOSITORY, say
from table import Table, run_alone

sys.path.insert(1, str(REPOSITORY / "bench"))
from long_run import CONFIG, EVENTS_A_STEP  # noqa: E402

MIB = 1 << 20
FILE = "benchmark-events.svg"


def sizes(settings):
    return [10**power for power in range(4, 6 if settings.quick else 9 if settings.whole else 8)]


def point(settings, events):
    folder = settings.folder(f"events-{events}")
    config, out = folder / "run.yaml", folder / "run"
    config.write_text(CONFIG.replace("STEPS", str(-(-events // EVENTS_A_STEP))))
    words = [settings.strata, "run", config, "--dry", "h100-80gb"]
    bare = run([*words, "--out", folder / "bare", "plugins=[]"], folder)
    recorded = run([*words, "--out", out], folder)
    (database,) = (out / "rank0").glob("*.sqlite")
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as store:
        (count,) = store.execute("SELECT count(*) FROM allocator_tracer_event").fetchone()
    report = run([settings.strata, "report", out], folder)
    found = {
        "events": count,
        "bare_processor_seconds": bare.processor_seconds,
        "recorded_processor_seconds": recorded.processor_seconds,
        "recorded_peak_bytes": recorded.peak_bytes,
        "store_bytes": database.stat().st_size,
        "report_processor_seconds": report.processor_seconds,
        "report_seconds": report.seconds,
        "report_peak_bytes": report.peak_bytes,
    }
    database.unlink()  # the largest one has 5 GB
    return found


def measure(settings):
    points = []
    for events in sizes(settings):
        points.append(point(settings, events))
        say(f"scaling-events: {points[-1]}")
    return {"points": points}


def recording_ns(found):
    added = found["recorded_processor_seconds"] - found["bare_processor_seconds"] - found["report_processor_seconds"]
    return added / found["events"] * 1e9


def reporting_ns(found):
    return found["report_processor_seconds"] / found["events"] * 1e9


def stored_bytes(found):
    return found["store_bytes"] / found["events"]


def ns(value):
    return f"{value:,.0f}" if value > 0 else "below the noise"


def lines(result):
    points = result["points"]
    named = {"recording, CPU ns per event": recording_ns, "report, CPU ns per event": reporting_ns, "store, bytes per event": stored_bytes}
    return [Line(name, [(found["events"], of(found)) for found in points if of(found) > 0]) for name, of in named.items()]


HEADER = ["events", "recording, CPU ns per event", "store, bytes per event", "`strata report`, CPU ns per event", "the report, s", "its memory, MiB"]


def write(result):
    rows = [
        [
            f"{found['events']:,}",
            ns(recording_ns(found)),
            f"{stored_bytes(found):.1f}",
            ns(reporting_ns(found)),
            f"{found['report_seconds']:.1f}",
            f"{found['report_peak_bytes'] / MIB:,.0f}",
        ]
        for found in result["points"]
    ]
    note = (
        "Recording is `strata run`, including the store's writer, minus the same run without plugins and minus a report. Recording and report include a run's fixed costs, which dominate in"
        " short runs. Each row is one run without a spread; recording, a difference of three runs, is the least certain column."
    )
    if result["points"][-1]["events"] < 5e7:
        most = result["points"][-1]
        disk, memory = (most[key] / most["events"] * 1e8 for key in ("store_bytes", "report_peak_bytes"))
        note += f" Longer runs were not measured for this page; 10^8 events would take {disk / 1e9:.0f} GB of disk and, if the report's memory goes on as it does, {memory / MIB / 1024:.0f} GiB: `./dev bench page scaling-events --whole` has them."
    return written(FILE, HEADER, rows, lines(result), note)


def pictures(result):
    return {FILE: picture("What an event costs as a run gets longer", "events of the run", "ns, or bytes, an event", lines(result))}


def tables():
    commands = [
        "./dev bench page scaling-events",
        "strata run long-run.yaml --dry h100-80gb    # bench/long_run.py has the file",
        "strata run long-run.yaml --dry h100-80gb plugins=[]",
        "strata report RUN",
    ]
    return [Table("scaling-events", "Events: 10^4 and up", measure, write, commands, pictures)]


if __name__ == "__main__":
    sys.exit(run_alone(__doc__, tables()))
