#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cost of a row for the thread that moves it into SQLite, in callgrind's instructions, compared
with its budget.

bench_store_write fills a spool with rows of an allocator event's size (14 columns), and the writer
commits them batch by batch. Only WriterThread::write is counted, which moves a batch, without looks
that found nothing. Two numbers of batches are counted, so that the first batch, which creates the
tables, cancels.

Exit code 0 if a row is within its budget, 1 otherwise.

    bench/store_write_cost.py
    bench/store_write_cost.py --rows 200 --json
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
# The writer commits every 200 ms; in that time a step of the quickstart at full speed adds about
# this many rows.
ROWS_A_BATCH = 1000
BUDGET = 2100
FEW, MANY = 3, 23


def instructions(program, batches, rows, scratch):
    log = scratch / "callgrind.log"
    valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", f"--log-file={log}"]
    # The pattern ends before the parameters, because otherwise it must match the whole name as
    # callgrind writes it.
    counted = ["--collect-atstart=no", "--toggle-collect=strata::WriterThread::write(*"]
    command = [*valgrind, *counted, program, "--batches", batches, rows]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nended with {done.returncode}:\n{done.stderr[-2000:]}")
    count = int(re.search(r"Collected : (\d+)", log.read_text()).group(1))
    if count == 0:
        sys.exit(f"callgrind saw no WriterThread::write in {program}: is the program stripped?")
    return count


def instructions_a_row(build, rows=ROWS_A_BATCH):
    program = build / "bench/bench_store_write"
    if not program.exists():
        sys.exit(f"no {program}: run ./dev bench, or build the target bench_store_write")
    with tempfile.TemporaryDirectory(prefix="strata-bench-") as folder:
        few, many = (instructions(program, batches, rows, pathlib.Path(folder)) for batches in (FEW, MANY))
    return (many - few) / ((MANY - FEW) * rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=REPOSITORY / "build/release")
    parser.add_argument("--rows", type=int, default=ROWS_A_BATCH, help=f"in a batch (default {ROWS_A_BATCH})")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()

    a_row = instructions_a_row(arguments.build, arguments.rows)
    within = a_row <= BUDGET
    if arguments.json:
        print(json.dumps({"instructions_a_row": a_row, "budget": BUDGET, "rows_a_batch": arguments.rows}))
    else:
        print(f"{a_row:.0f} instructions a row, {arguments.rows} a batch, budget {BUDGET}{'' if within else '  EXCEEDED'}")
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
