#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cost of analysing a run: callgrind's instructions per event of `strata report`, for a short
run and a longer one.

Instructions per event should not grow with the length of the run. Exit code 0 if they grow by less
than the limit, 1 otherwise.

    bench/analysis_cost.py
    bench/analysis_cost.py --steps 20 200 --json
"""

import argparse
import json
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
CONFIG = """\
model: {size: custom, layers: 4, d_model: 32, d_ff: 64, heads: 2, vocab: 256, context: 32}
data: {source: synthetic, batch_size: 2}
backend: {threads: 1}
plugins: [allocator_tracer]
"""


def checked(command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nended with {done.returncode}:\n{done.stderr[-2000:]}")
    return done.stdout


def instructions_of_report(strata, run, scratch):
    log = scratch / "callgrind.log"
    checked(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", f"--log-file={log}", strata, "report", run])
    return int(re.search(r"Collected : (\d+)", log.read_text()).group(1))


def measure(strata, steps, scratch):
    """Return (events, instructions) of a run of `steps` steps."""
    config = scratch / "run.yaml"
    config.write_text(CONFIG)
    run = scratch / str(steps)
    checked([strata, "run", config, "--out", run, f"schedule.active={steps}"])
    database = next((run / "rank0").glob("*.sqlite"))
    with sqlite3.connect(database) as store:
        (events,) = store.execute("SELECT count(*) FROM allocator_tracer_event").fetchone()
    return events, instructions_of_report(strata, run, scratch)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strata", type=pathlib.Path, default=REPOSITORY / "build/release/bin/strata")
    parser.add_argument("--steps", type=int, nargs=2, default=[25, 100])
    parser.add_argument("--max-growth", type=float, default=1.25, help="limit for instructions an event, long / short")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory(prefix="strata-bench-") as folder:
        short, long = (measure(arguments.strata, steps, pathlib.Path(folder)) for steps in arguments.steps)
    per_event = [instructions / events for events, instructions in (short, long)]
    result = {"events": [short[0], long[0]], "instructions_an_event": per_event, "growth": per_event[1] / per_event[0]}
    within = result["growth"] <= arguments.max_growth
    text = (
        f"strata report: {per_event[0]:,.0f} instructions an event over {short[0]:,} events, {per_event[1]:,.0f} over "
        f"{long[0]:,}: growth {result['growth']:.3f} (limit {arguments.max_growth})"
    )
    print(json.dumps(result) if arguments.json else text)
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
