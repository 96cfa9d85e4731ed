#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cost of tracing a training step: the quickstart with its plugins and without, side by side.

Two measurements, each a ratio from one run of this script:

* time: pairs of runs, with plugins and without (the order alternates), one ratio of median step
  times per pair. The median of the ratios and the upper end of its 95% interval (bootstrap over
  pairs) are printed. One thread computes: two threads would share their cores with other work on
  the machine, and a pair would differ by a quarter.
* instructions (--instructions): callgrind's count in the training thread for runs of two lengths,
  so that start and end cancel. This gives the instructions per step, for steps that wait for the
  window and for steps whose operators are traced. The mean is weighted by the configuration's
  number of steps of each kind. Here, too, one thread computes, so that the count is reproducible.

  The thread that writes the store is added as rows per step, counted in the stores of those runs,
  times instructions per row, from bench/store_write_cost.py. It is not counted in those runs: it
  looks for rows every 200 ms, and under valgrind a step takes minutes. It would find a thousand
  batches of two rows where a real step has one or two batches, and the fixed cost of a batch
  (34,000 instructions, as much as ten rows) would outweigh its rows. In a real run, looks that find
  nothing have no visible cost; they are left out, and so is the analysis after the run.

Exit code 0 if both are within the given limits, 1 otherwise.

    bench/quickstart_cost.py
    bench/quickstart_cost.py --pairs 20 --json
    bench/quickstart_cost.py --instructions
    bench/quickstart_cost.py --plugins allocator_tracer,cupti_timeline,nvtx_markers,warmup_analyzer \\
        --window --max-ratio 1.02
"""

import argparse
import json
import pathlib
import random
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile

import store_write_cost

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
DETACHED = ["plugins=[]"]
# Callgrind counts in the function that trains.
TRAINING = "strata_trainer_run"


def run(strata, config, overrides, out, prefix=()):
    command = [*prefix, str(strata), "run", str(config), "--json", "--out", str(out), *overrides]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\nended with {done.returncode}:\n{done.stderr[-2000:]}")
    return done


def attached(arguments):
    """Return the overrides that select the requested plugins; none means those of the
    configuration."""
    return [f"plugins=[{arguments.plugins}]"] if arguments.plugins else []


def window_of(steps):
    """Return the override that puts all of these steps into the window."""
    return f"schedule={{wait: 0, warmup: 0, active: {steps}}}"


def median_step_ns(strata, config, overrides, out, skip):
    summary = json.loads(run(strata, config, overrides, out).stdout)
    return statistics.median(step["duration_ns"] for step in summary["steps"][skip:])


def upper_bound(ratios, rounds=4000):
    generator = random.Random(0)
    medians = sorted(statistics.median(generator.choices(ratios, k=len(ratios))) for _ in range(rounds))
    return medians[int(0.975 * rounds)]


def time_ratio(arguments, scratch):
    ratios = []
    overrides = ["backend.threads=1", f"schedule.max_steps={arguments.steps}"]
    if arguments.window:
        overrides.append(window_of(arguments.steps))
    for pair in range(arguments.pairs):
        order = [("attached", attached(arguments)), ("detached", DETACHED)]
        if pair % 2:
            order.reverse()
        medians = {
            name: median_step_ns(arguments.strata, arguments.config, overrides + extra, scratch / f"{pair}-{name}", 5)
            for name, extra in order
        }
        ratios.append(medians["attached"] / medians["detached"])
        print(f"pair {pair + 1}/{arguments.pairs}: {ratios[-1]:.4f}", file=sys.stderr)
    return {"pairs": len(ratios), "median": statistics.median(ratios), "upper": upper_bound(ratios)}


def training_instructions(strata, config, overrides, scratch, name):
    out = scratch / f"{name}.callgrind"
    valgrind = ["valgrind", "--tool=callgrind", "--separate-threads=yes", f"--callgrind-out-file={out}"]
    counted = [f"--toggle-collect={TRAINING}", f"--log-file={scratch / name}.log"]
    run(strata, config, overrides, scratch / name, [*valgrind, *counted])
    threads = [int(re.search(r"^totals: (\d+)", file.read_text(), re.MULTILINE).group(1)) for file in thread_files(out)]
    if not threads or threads[0] == 0:
        sys.exit(f"callgrind saw no {TRAINING} in {strata}: is the program stripped?")
    return threads[0]


def rows_stored(run_directory):
    """Return the rows of all declared tables, including the host's own, which a run without plugins
    also stores."""
    rows = 0
    for database in run_directory.glob("rank*/*.sqlite"):
        with sqlite3.connect(database) as store:
            for (table,) in store.execute("SELECT name FROM table_info").fetchall():
                rows += store.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0]
    return rows


def thread_files(out):
    return sorted(out.parent.glob(f"{out.name}-*"))


def a_step(arguments, extra, scratch, name):
    """Return (instructions of the training thread, rows) of one step. `extra` is a list of
    overrides, or a function of the number of steps that returns one."""
    few, many = 1, 3
    extra_of = extra if callable(extra) else lambda steps: extra
    counts = []
    for steps in (few, many):
        overrides = ["backend.threads=1", f"schedule.max_steps={steps}", *extra_of(steps)]
        run_name = f"{name}-{steps}"
        training = training_instructions(arguments.strata, arguments.config, overrides, scratch, run_name)
        counts.append((training, rows_stored(scratch / run_name)))
    return [(more - less) / (many - few) for less, more in zip(*counts)]


def steps_of(config):
    """Return the number of the run's steps that (wait without operators, are traced with them)."""
    schedule = re.search(r"^schedule: {wait: (\d+), warmup: (\d+), active: (\d+)}", config.read_text(), re.MULTILINE)
    if schedule is None:
        sys.exit(f"{config}: no line `schedule: {{wait: ..., warmup: ..., active: ...}}`")
    wait, warmup, active = map(int, schedule.groups())
    first = min(wait, 1)
    return wait - first, first + warmup + active


def instruction_ratio(arguments, scratch):
    a_row = store_write_cost.instructions_a_row(arguments.build)
    detached, _ = a_step(arguments, DETACHED, scratch, "detached")
    waiting = a_step(arguments, ["trace.ops=window", *attached(arguments)], scratch, "waiting")
    traced = a_step(arguments, lambda steps: [window_of(steps), *attached(arguments)], scratch, "traced")
    waiting_steps, traced_steps = steps_of(arguments.config)
    added = {
        name: {"training": (training - detached) / detached, "writer": rows * a_row / detached}
        for name, (training, rows) in (("waiting", waiting), ("traced", traced))
    }
    mean = (waiting_steps * sum(added["waiting"].values()) + traced_steps * sum(added["traced"].values())) / (
        waiting_steps + traced_steps
    )
    return {
        "detached_a_step": detached,
        "rows": {"waiting": waiting[1], "traced": traced[1]},
        "instructions_a_row": a_row,
        "added": added,
        "steps": [waiting_steps, traced_steps],
        "added_mean": mean,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=REPOSITORY / "build/release")
    parser.add_argument("--strata", type=pathlib.Path, help="default: bin/strata of the build")
    parser.add_argument("--config", type=pathlib.Path, default=REPOSITORY / "configs/quickstart.yaml")
    parser.add_argument("--plugins", help="comma-separated, instead of those that the configuration names")
    parser.add_argument("--window", action="store_true", help="time steps of the window, whose operators are traced; default: steps that wait for it")
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--steps", type=int, default=25)
    parser.add_argument("--instructions", action="store_true", help="count instructions instead of time (minutes)")
    parser.add_argument("--max-ratio", type=float, default=1.03, help="limit for the upper bound of the time ratio")
    parser.add_argument("--max-added", type=float, default=0.01, help="limit for the share of instructions added")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    arguments.strata = arguments.strata or arguments.build / "bin/strata"

    with tempfile.TemporaryDirectory(prefix="strata-bench-") as folder:
        scratch = pathlib.Path(folder)
        if arguments.instructions:
            result = instruction_ratio(arguments, scratch)
            within = result["added_mean"] <= arguments.max_added
            lines = [f"instructions a step, detached: {result['detached_a_step']:.4g}; added by tracing:"]
            for (name, added), steps in zip(result["added"].items(), result["steps"]):
                lines.append(
                    f"  {steps:4} {name} steps: {added['training']:+.3%} in the training thread, "
                    f"{added['writer']:+.3%} in the writer's ({result['rows'][name]:.0f} rows of {result['instructions_a_row']:.0f})"
                )
            lines.append(f"  a step of the run: {result['added_mean']:+.3%} (limit {arguments.max_added:+.0%})")
            text = "\n".join(lines)
        else:
            result = time_ratio(arguments, scratch)
            within = result["upper"] <= arguments.max_ratio
            text = f"step time, attached / detached: median {result['median']:.4f}, upper bound {result['upper']:.4f} over {result['pairs']} pairs (limit {arguments.max_ratio})"
    print(json.dumps(result) if arguments.json else text)
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
