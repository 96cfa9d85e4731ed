#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs of days, in minutes: ten million steps, a hundred million allocation events, and a day on
the clock, each in a store with a maximum size (store.max_mb).

    bench/long_runs.py
    bench/long_runs.py --short --json
    bench/long_runs.py events --max-mb 512

Exit code 0 if the process's memory stays flat, the store stays below its size, every event is
stored, thinned or counted as dropped, and reports and exports of a day equal those of the same run
in real time; 1 otherwise.
"""

import argparse
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import time

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
MIB = 1 << 20
# Allowed beyond the memory after a tenth of the run: maps of live blocks, and SQLite's cache.
RESIDENT_GROWTH = 16 * MIB
DAY_NS = 24 * 3600 * 10**9
DAY = """\
name: day
model: {name: transformer, size: custom, layers: 2, d_model: 32, d_ff: 64, heads: 2, vocab: 256, context: 32}
data: {source: synthetic, batch_size: 2}
backend: {threads: 1}
schedule: {wait: 0, warmup: 0, active: 12}
device: cuda
plugins: [allocator_tracer]
"""


def counted(database, table):
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as store:
        one = lambda sql: store.execute(sql).fetchone()[0] or 0
        return {
            "stored": one(f"SELECT count(*) FROM {table}"),
            "thinned": one(f"SELECT sum(rows) FROM thinned_rows WHERE table_name = '{table}'"),
            "dropped": one(f"SELECT sum(rows) FROM gap WHERE table_name = '{table}'"),
        }


def endless(arguments, folder, steps, events_a_step):
    # After a tenth, a short run has not yet warmed up: spools are touched for the first time.
    growth = RESIDENT_GROWTH + (arguments.max_mb * MIB // 2 if arguments.short else 0)
    program = arguments.build / "bench/bench_endless_run"
    command = [program, folder, steps, events_a_step, arguments.max_mb]
    result = json.loads(subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True).stdout)
    (database,) = (folder / "rank0").glob("*.sqlite")
    result["event_rows"] = counted(database, "allocator_tracer_event")
    result["step_rows"] = counted(database, "host_step_begin")
    begin = time.monotonic()
    report = subprocess.run([arguments.build / "bin/strata", "report", folder, "--json"], capture_output=True, text=True)
    result["report_seconds"] = time.monotonic() - begin
    summary = json.loads(report.stdout) if report.returncode == 0 else None
    result["thinned_steps"] = sum(interval["steps"] for interval in summary["thinned"]) if summary else 0
    limit = arguments.max_mb * MIB
    result["within"] = (
        summary is not None
        and result["resident_bytes_at_end"] - result["resident_bytes_at_tenth"] <= growth
        and result["most_bytes_on_disk"] <= limit
        and result["bytes_at_end"] <= limit
        and sum(result["event_rows"].values()) == result["events"]
        and sum(result["step_rows"].values()) == steps
    )
    return result


def day(arguments, folder):
    """A dry run whose times are stretched to a day: all results except times are the same."""
    config, run = folder.with_suffix(".yaml"), folder
    config.write_text(DAY)
    strata = arguments.build / "bin/strata"

    def said(*words):
        return subprocess.run([strata, *words], check=True, capture_output=True, text=True, cwd=folder.parent).stdout

    said("run", config, "--dry", "h100-80gb", "--out", run)
    before = json.loads(said("report", run, "--json"))
    (database,) = (run / "rank0").glob("*.sqlite")
    with sqlite3.connect(database) as store:
        first, last = store.execute("SELECT min(monotonic_ns), max(monotonic_ns) FROM host_clock").fetchone()
        columns = store.execute("SELECT table_name, name FROM column_info WHERE unit = 'ns' AND name IN ('monotonic_ns', 'begin_ns', 'end_ns')").fetchall()
        for table, column in columns:
            store.execute(f"UPDATE {table} SET {column} = {first} + ({column} - {first}) * {DAY_NS // max(last - first, 1)}")
    after = json.loads(said("report", run, "--json"))
    said("export", run, "--format", "chrome", "--out", folder.parent / "day.json")
    moments = [event["ts"] for event in json.loads((folder.parent / "day.json").read_text())["traceEvents"] if "ts" in event]
    hours = (max(moments) - min(moments)) / 3600e6
    spent = sum(step["duration_ns"] for step in after["steps"] if step["duration_ns"] is not None)
    same = all(before[key] == after[key] for key in ("peak", "categories", "window", "device")) if before else False
    return {"steps": len(after["steps"]), "hours_of_steps": spent / 3600e9, "hours_exported": hours, "same_bytes": same, "within": same and 23 < hours < 25}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", choices=["steps", "events", "day", []], help="all of them, unless named")
    parser.add_argument("--build", type=pathlib.Path, default=REPOSITORY / "build/release")
    parser.add_argument("--max-mb", type=int, default=256)
    parser.add_argument("--short", action="store_true", help="a hundredth of the steps and events, in a store of 48 MiB")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    share = 100 if arguments.short else 1
    if arguments.short:
        arguments.max_mb = 48
    what = arguments.what or ["steps", "events", "day"]
    results = {}
    with tempfile.TemporaryDirectory(prefix="strata-long-") as scratch:
        folder = pathlib.Path(scratch)
        if "steps" in what:
            results["steps"] = endless(arguments, folder / "steps", 10_000_000 // share, 0)
        if "events" in what:
            results["events"] = endless(arguments, folder / "events", 50_000 // share, 2000)
        if "day" in what:
            results["day"] = day(arguments, folder / "day")
    if arguments.json:
        print(json.dumps(results))
    else:
        for name, result in results.items():
            print(f"{name}: {'within' if result['within'] else 'BEYOND'} its limits: {json.dumps(result)}")
    return 0 if all(result["within"] for result in results.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
