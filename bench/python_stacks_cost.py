#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cost that Python stacks add to an operator that a Python program calls, by the number of
frames.

One small operator on the CPU, repeated, in a process that records its own run with the C++ stack of
every allocation, with and without `python_stacks`. The runs take turns, and the fastest batch of
each counts, because the machine may be shared. It needs the target record_python.

    bench/python_stacks_cost.py
    bench/python_stacks_cost.py --frames 5 100 --rounds 7 --json
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
RECORDER = REPOSITORY / "build/release/tests/record_python.so"

PROGRAM = """\
import ctypes, sys, time, torch
library, folder, stacks, frames = sys.argv[1:]
torch.set_num_threads(1)
recorder = ctypes.CDLL(library)
recorder.open_run.argtypes = [ctypes.c_char_p, ctypes.c_char_p]
assert recorder.open_run(folder.encode(), stacks.encode()) == 0
small = torch.ones(64)

def work(deeper):
    if deeper:
        return work(deeper - 1)
    batches = []
    for _ in range(15):
        begin = time.process_time()
        for _ in range(2000):
            small.exp()
        batches.append((time.process_time() - begin) / 2000)
    return min(batches)

print(work(int(frames) - 2) * 1e6)
assert recorder.close_run() == 0
"""


def operator_us(stacks, frames):
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-c", PROGRAM, RECORDER, folder, stacks, str(frames)]
        return float(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def measure(frames, rounds):
    without, with_them = [], []
    for _ in range(rounds):
        without.append(operator_us("false", frames))
        with_them.append(operator_us("true", frames))
    return {"frames": frames, "without_us": min(without), "with_us": min(with_them), "added_us": min(with_them) - min(without)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--frames", type=int, nargs="+", default=[5, 20, 60], help="depths of the program's stack, 2 and up")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    rows = [measure(frames, arguments.rounds) for frames in arguments.frames]
    if arguments.json:
        print(json.dumps(rows))
        return
    print("frames  without     with    added   (µs an operator)")
    for row in rows:
        print(f"{row['frames']:>6}  {row['without_us']:7.2f}  {row['with_us']:7.2f}  {row['added_us']:7.2f}")


if __name__ == "__main__":
    main()
