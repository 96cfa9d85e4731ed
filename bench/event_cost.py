#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cost of an event, and of a call of the dry GPU, compared with its budget:
bench_event_fan_out, bench_nvtx_range, bench_trainer_marks, bench_allocation_event, bench_dry_gpu.

The fastest of many short repetitions counts, because the machine may be shared. For an allocation
event, which is the difference of two timings, the median counts.

Exit code 0 if all are within their budgets, 1 otherwise.

    bench/event_cost.py
    bench/event_cost.py --json
"""

import argparse
import json
import pathlib
import subprocess
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent

# ns per event or call, and their number in one iteration. One plugin has no budget of its own; four
# have one.
BUDGETS = {
    "memory_event/plugins:0": (5.0, 1),
    "memory_event/plugins:4": (100.0, 1),
    "op_begin_and_end/plugins:0": (5.0, 2),
    "op_begin_and_end/plugins:4": (100.0, 2),
    "phase_begin_and_end/plugins:0": (5.0, 2),
    "phase_begin_and_end/plugins:4": (100.0, 2),
    "nvtx_push_and_pop": (5.0, 1),  # the range as a whole
    "nvtx_phase/plugins:1": (5.0, 2),
    "mark_step": (1.0, 1),  # begin and end together, without a recording
    "mark_phase": (1.0, 1),
    "mark_module": (1.0, 1),
    "c_mark_phase": (1.0, 1),
    "allocation_event": (100.0, 1),
    "dry_launch": (50.0, 1),
    "dry_allocation_and_free/0": (500.0, 2),
    "dry_allocation_and_free/2000": (500.0, 2),
}


def measured_by(program, statistic):
    done = subprocess.run([program, "--benchmark_format=json"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{program} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    for entry in json.loads(done.stdout)["benchmarks"]:
        if entry.get("aggregate_name") == statistic and entry.get("threads", 1) == 1:
            assert entry["time_unit"] == "ns"
            yield entry["run_name"], entry["real_time"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=REPOSITORY / "build/release")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()

    measured = {}
    for name, statistic in (
        ("bench_event_fan_out", "min"),
        ("bench_nvtx_range", "min"),
        ("bench_trainer_marks", "min"),
        ("bench_allocation_event", "median"),
        ("bench_dry_gpu", "min"),
    ):
        for run_name, ns in measured_by(arguments.build / "bench" / name, statistic):
            budget = next((key for key in BUDGETS if run_name.startswith(key)), None)
            if budget:
                measured[budget] = ns / BUDGETS[budget][1]
    missing = BUDGETS.keys() - measured.keys()
    if missing:
        sys.exit(f"not measured: {', '.join(sorted(missing))}")
    within = all(ns <= BUDGETS[name][0] for name, ns in measured.items())
    if arguments.json:
        print(json.dumps({name: {"ns": ns, "budget_ns": BUDGETS[name][0]} for name, ns in measured.items()}))
    else:
        for name, ns in measured.items():
            budget = BUDGETS[name][0]
            print(f"{name:32} {ns:8.1f} ns an event, budget {budget:5.0f}{'' if ns <= budget else '  EXCEEDED'}")
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
