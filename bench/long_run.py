#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A run of ten million allocations and frees on a dry GPU: the size of its store, and the time and
memory to analyse it.

    bench/long_run.py
    bench/long_run.py --events 1000000 --json

Exit code 0 if store, time and memory are within the limits, 1 otherwise. The limits are for ten
million events and are scaled to the actual number.
"""

import argparse
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import time

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
# About 1,850 events per step.
CONFIG = """\
name: long-run
model: {name: transformer, size: custom, layers: 4, d_model: 32, d_ff: 64, heads: 2, vocab: 256, context: 32}
data: {source: synthetic, batch_size: 2}
backend: {threads: 1}
schedule: {wait: 0, warmup: 0, active: STEPS}
device: cuda
trace: {ops: none}
plugins: [allocator_tracer]
"""
EVENTS_A_STEP = 1850
MIB = 1 << 20
STORE_BYTES, ANALYSIS_SECONDS, ANALYSIS_BYTES = 600_000_000, 20.0, 2048 * MIB  # for ten million events


def resources_of(command, log):
    """Run the command to its end; return the resources it used."""
    with log.open("w") as errors:
        process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=errors)
    _, status, used = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(map(str, command))}\nfailed:\n{log.read_text()[-2000:]}")
    return used


def measure(strata, events, scratch):
    config, run, log = scratch / "run.yaml", scratch / "run", scratch / "log"
    config.write_text(CONFIG.replace("STEPS", str(-(-events // EVENTS_A_STEP))))
    resources_of([strata, "run", config, "--dry", "h100-80gb", "--out", run], log)
    (database,) = (run / "rank0").glob("*.sqlite")
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as store:
        (recorded,) = store.execute("SELECT count(*) FROM allocator_tracer_event").fetchone()
    begin = time.monotonic()
    used = resources_of([strata, "report", run], log)
    return {
        "events": recorded,
        "store_bytes": database.stat().st_size,
        "report_seconds": time.monotonic() - begin,
        "report_cpu_seconds": used.ru_utime + used.ru_stime,
        "report_peak_bytes": used.ru_maxrss * 1024,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strata", type=pathlib.Path, default=REPOSITORY / "build/release/bin/strata")
    parser.add_argument("--events", type=int, default=10_000_000)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="strata-bench-") as folder:
        result = measure(arguments.strata, arguments.events, pathlib.Path(folder))
    share = max(result["events"], arguments.events) / 10_000_000
    within = (
        result["store_bytes"] <= STORE_BYTES * share
        and result["report_seconds"] <= ANALYSIS_SECONDS * share
        and result["report_peak_bytes"] <= ANALYSIS_BYTES * share
    )
    text = (
        f"{result['events']:,} events: store {result['store_bytes'] / 1e6:,.0f} MB; report {result['report_seconds']:.1f} s "
        f"({result['report_cpu_seconds']:.1f} s of CPU), {result['report_peak_bytes'] / MIB:,.0f} MiB\n"
        f"limits for ten million: {STORE_BYTES / 1e6:,.0f} MB, {ANALYSIS_SECONDS:.0f} s, {ANALYSIS_BYTES / MIB:,.0f} MiB"
    )
    print(json.dumps(result) if arguments.json else text)
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
