#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cost of `strata exec` per step of a user's Python program on the dry GPU, which computes
nothing, so that every call shows.

The program is a GPT of 6 layers with a width of 128 (AdamW). It runs bare, with only steps, phases
and owners (with a plugin that listens to nothing else), and with each of the common settings. Two
measurements:

* processor time: of the program's own steps, on all threads. Other processes disturb it less than
  wall-clock time. A round runs the settings one after the other, in an order that rotates. For each
  setting the median over the rounds of its step relative to that round's bare step is printed.
* instructions (--instructions): callgrind's count on all threads over 60 steps in the middle of a
  run, and the libraries that the added instructions are in. The kernel's are not included. Needs
  valgrind with its headers, and a C compiler.

Exit code 0 if phases and owners are within the limit, 1 otherwise.

    bench/drop_in_cost.py
    bench/drop_in_cost.py --rounds 20 --json
    bench/drop_in_cost.py --instructions
    bench/drop_in_cost.py --instructions --ways 'allocations; all plugins' --json
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = """
import time, torch
from torch import nn
torch.manual_seed(0)
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = nn.LayerNorm(128), nn.LayerNorm(128)
        self.qkv, self.out = nn.Linear(128, 384), nn.Linear(128, 128)
        self.feed = nn.Sequential(nn.Linear(128, 512), nn.GELU(), nn.Linear(512, 128))
    def forward(self, x):
        q, k, v = self.qkv(self.one(x)).view(4, 64, 3, 4, 32).permute(2, 0, 3, 1, 4)
        seen = (q @ k.transpose(-1, -2) / 32**0.5).softmax(-1) @ v
        x = x + self.out(seen.transpose(1, 2).reshape(4, 64, 128))
        return x + self.feed(self.two(x))
model = nn.Sequential(nn.Embedding(256, 128), *(Block() for _ in range(6)), nn.Linear(128, 256)).cuda()
optimizer = torch.optim.AdamW(model.parameters())
tokens = torch.randint(0, 256, (4, 64)).cuda()
for step in range(STEPS):
    if step == STEPS // 3:
        BEGIN
        begun = time.process_time()
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten()).backward()
    optimizer.step()
print((time.process_time() - begun) / (STEPS - STEPS // 3))
END
"""
# The last 60 steps of a run of 90 are counted, from step 30 on. Operators are recorded in step 50,
# or in all steps.
COUNTED_STEPS = 90
MARKS = """
#include <valgrind/callgrind.h>
void begin(void) { CALLGRIND_START_INSTRUMENTATION; }
void end(void) { CALLGRIND_STOP_INSTRUMENTATION; }
"""


# Name and options of each setting; the first is bare.
WAYS = {
    "bare": ["--plugins", "none"],
    "phases and owners": ["--plugins", "step_counter", "--set", "trace.ops=none"],
    "allocations": ["--set", "trace.ops=none"],
    "allocations, operators of some steps": [],
    "allocations, operators": ["--set", "trace.detail=all"],
    "all plugins": ["--plugins", "allocator_tracer,cupti_timeline,nvtx_markers,warmup_analyzer"],
}
# The part that instructions belong to, by the library's name. The first match counts.
PARTS = {
    "torch": r"libtorch|libc10",
    "Strata's torch source": r"strata/(sources|torch)",
    "Strata's runtime and plugins": r"libstrata|strata/plugins|sources/cupti",
    "the store's writer": r"libsqlite3",
    "the dry GPU": r"dry_gpu|lib(cuda|cublas|cudnn|cupti|nvrtc|nccl)",
    "Python": r"libpython|/python3",
    "other libraries": r"",
}


def run(command, environment=None):
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\nended with {done.returncode}:\n{done.stderr[-2000:]}")
    return done.stdout


def recorded(strata, words, out):
    return [str(strata), "exec", "--dry", "h100-80gb", "--no-layers", *words, *([] if "none" in words else ["--out", str(out)])]


def step_seconds(strata, words, program, out):
    return float(run([*recorded(strata, words, out), "--", sys.executable, str(program)]))


def by_part(profile):
    """Return the instructions of a callgrind profile by part. A line after "calls=" has the cost of
    a call in another function, and "cob=" names that function's library. A library's name is
    written once, with a number for later references."""
    sums = dict.fromkeys(PARTS, 0)
    names, part, is_call = {}, "other libraries", False
    for line in profile.read_text().splitlines():
        if line.startswith(("ob=", "cob=")):
            key, _, of = line.partition("=")
            number, _, name = of.partition(" ")
            names.setdefault(number, name)
            if key == "ob":
                part = next(part for part, pattern in PARTS.items() if re.search(pattern, names[number]))
        elif line.startswith("calls="):
            is_call = True
        elif re.match(r"[+*\d-]", line):
            if not is_call:
                sums[part] += int(line.split()[1])
            is_call = False
    return sums


def instructions_a_step(strata, words, scratch, name):
    program, out = scratch / f"{name}.py", scratch / f"{name}.callgrind"
    text = PROGRAM.replace("BEGIN", "marks.begin()").replace("END", "marks.end()").replace("STEPS", str(COUNTED_STEPS))
    program.write_text(f"import ctypes\nmarks = ctypes.CDLL({str(scratch / 'marks.so')!r})\n{text}")
    valgrind = ["valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={out}", f"--log-file={out}.log"]
    # Callgrind runs only the program, not `strata`. Helper threads of BLAS and OpenMP would wait in
    # loops, so there are none.
    command = [*recorded(strata, words, scratch / f"{name}-run"), "--", *valgrind, sys.executable, str(program)]
    run(command, {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"})
    sums = by_part(out)
    counted = COUNTED_STEPS - COUNTED_STEPS // 3
    print(f"{name}: {sum(sums.values()) // counted:,} instructions a step", file=sys.stderr, flush=True)
    return {part: of / counted for part, of in sums.items()}


def by_instructions(arguments, ways):
    with tempfile.TemporaryDirectory(prefix="strata-bench-") as folder:
        scratch = pathlib.Path(folder)
        (scratch / "marks.c").write_text(MARKS)
        run(["cc", "-shared", "-fPIC", "-o", str(scratch / "marks.so"), str(scratch / "marks.c")])
        strata = arguments.build / "bin/strata"
        parts = {name: instructions_a_step(strata, words, scratch, re.sub("[ ,]+", "-", name)) for name, words in ways.items()}
    steps = {name: sum(of.values()) for name, of in parts.items()}
    ratios = {name: of / steps["bare"] for name, of in steps.items()}
    if arguments.json:
        print(json.dumps({"instructions_a_step": steps, "ratios": ratios, "parts": parts}))
    else:
        for name, of in steps.items():
            print(f"{name}: {of / 1e6:.2f} million instructions a step, {ratios[name]:.3f} of a bare one")
            added = {part: parts[name][part] - parts["bare"][part] for part in PARTS}
            if name != "bare":
                print("  added, in thousands: " + ", ".join(f"{part} {of / 1e3:.0f}" for part, of in added.items()))
        print(f"limit for phases and owners: {arguments.max_ratio}")
    return 0 if ratios.get("phases and owners", 0.0) <= arguments.max_ratio else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=REPOSITORY / "build/release")
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--max-ratio", type=float, default=1.05, help="limit for phases and owners")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--instructions", action="store_true")
    parser.add_argument("--ways", type=ways_named, default=WAYS, help=f"beside bare, of: {'; '.join(list(WAYS)[1:])} [all]; separated by ;")
    arguments = parser.parse_args()
    return by_instructions(arguments, arguments.ways) if arguments.instructions else by_time(arguments, list(arguments.ways.items()))


def ways_named(words):
    chosen = ["bare", *(word.strip() for word in words.split(";"))]
    if unknown := set(chosen) - set(WAYS):
        raise argparse.ArgumentTypeError(f"there is no {', '.join(sorted(unknown))}")
    return {name: WAYS[name] for name in WAYS if name in chosen}


def by_time(arguments, ways):
    ratios = {name: [] for name, _ in ways[1:]}
    with tempfile.TemporaryDirectory(prefix="strata-bench-") as folder:
        scratch = pathlib.Path(folder)
        program = scratch / "program.py"
        program.write_text(PROGRAM.replace("BEGIN", "").replace("END", "").replace("STEPS", str(arguments.steps)))
        for turn in range(arguments.rounds):
            order = ways[turn % len(ways) :] + ways[: turn % len(ways)]
            seconds = {
                name: step_seconds(arguments.build / "bin/strata", words, program, scratch / f"{turn}-{index}")
                for index, (name, words) in enumerate(order)
            }
            for name, of in ratios.items():
                of.append(seconds[name] / seconds["bare"])
            print(f"round {turn + 1}/{arguments.rounds}: {', '.join(f'{of[-1]:.3f}' for of in ratios.values())}", file=sys.stderr)
    result = {name: statistics.median(of) for name, of in ratios.items()}
    quartiles = {name: statistics.quantiles(of, n=4) for name, of in ratios.items()} if arguments.rounds > 1 else {}
    if arguments.json:
        print(json.dumps({"median": result, "quartiles": quartiles, "rounds": ratios}))
    else:
        for name, ratio in result.items():
            spread = f" (quartiles {quartiles[name][0]:.3f} to {quartiles[name][2]:.3f})" if quartiles else ""
            print(f"{name}: {ratio:.3f} of a bare step{spread}")
        print(f"limit for phases and owners: {arguments.max_ratio}")
    return 0 if result.get("phases and owners", 0.0) <= arguments.max_ratio else 1


if __name__ == "__main__":
    sys.exit(main())
