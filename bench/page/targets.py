#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The project's targets compared with the measurements. Exit code 1 if one is missed, or was not
measured.
Apart from instructions, the figures come from the other tables.

    bench/page/targets.py                 # counts instructions: needs valgrind and minutes
    bench/page/targets.py --quick         # without counting
"""

import json
import shutil
import sys

import estimation
import recorders
from command import run
from markdown import MIB, table
from results import Results
from settings import REPOSITORY
from table import Table, run_alone

NAME = "targets"
ADDED_LIMIT = 0.01  # of a step's instructions
TIMES_LESS = 10.0  # than torch.profiler
COMPARED = "recorders-dry-llama-1b"


def instructions(settings):
    """Return the counts of bench/quickstart_cost.py, or why there are none."""
    if settings.quick:
        return {"reason": "not counted: valgrind takes minutes, and this is a quick page"}
    if not settings.valgrind:
        return {"reason": "not counted for this page (`--no-valgrind`): half an hour of a processor's time"}
    if shutil.which("valgrind") is None:
        return {"reason": "not counted: `apt-get install valgrind`"}
    words = [settings.python, REPOSITORY / "bench/quickstart_cost.py", "--instructions", "--json", "--build", settings.build]
    return json.loads(run(words, settings.folder("instructions"), statuses=(0, 1)).output)  # 1: above its limit, which this table shows


def measure(settings):
    return {"instructions": instructions(settings)}


# The figures that are compared: the figure's name, and the recorder.
COMPARED_BY = {
    "added to a run, including start, files and report": ("all_processor_seconds", "strata"),
    "added to a step alone": ("step_processor_seconds", "strata"),
    "added to a step alone, without operators (`--set trace.ops=none`)": ("step_processor_seconds", "strata, allocations"),
}
WITHIN_A_STEP = (
    "Within a step, ten times less is impossible while operators are recorded: torch calls a callback for each operator, and "
    "[an empty callback](costs.md#beside-pytorchs-own-recorders) already takes more than a tenth of what torch.profiler adds to a step. torch.profiler does most of "
    "its work when it stops."
)


def times_less(result):
    """Return the ratio of the processor time that torch.profiler adds to the time that Strata adds,
    for a whole run and within its steps.

    torch.profiler does part of each step's work when it stops, and there is nothing to read before.
    So both figures must meet the target.
    """
    rounds = result["rounds"]
    if not rounds.get("torch.profiler"):
        return None
    found = {}
    for name, (key, way) in COMPARED_BY.items():
        ours, theirs = (recorders.added(rounds, one, key).median for one in (way, "torch.profiler"))
        found[name] = theirs / ours if ours > 0 else None
    return found


def verdict(is_met):
    return "met" if is_met else "**missed**"


def verdict_by_the_clock(figures, machine):
    """If other work used the cores too, wall-clock time decides nothing, unless the target is met
    anyway."""
    if figures["seconds"] <= estimation.LIMIT_SECONDS or figures["processor_seconds"] > estimation.LIMIT_SECONDS or machine["load"] <= machine["cores"]:
        return verdict(figures["seconds"] <= estimation.LIMIT_SECONDS)
    return f"**not decided**: the load was {machine['load']:.1f} on {machine['cores']} cores"


def rows(result, told):
    """Return rows of (target, limit, measured, verdict). `told` is a function that returns a
    table's file by its name, or None."""

    def others(name):
        return told(name) and told(name)["result"]

    found = []
    counted = result["instructions"]
    if "reason" in counted:
        found.append(["added to a CPU step by the tracer, quickstart, instructions", f"at most {ADDED_LIMIT:.0%}", counted["reason"], "not measured"])
    else:
        added = counted["added_mean"]
        found.append(["added to a CPU step by the tracer, quickstart, instructions", f"at most {ADDED_LIMIT:.0%}", f"{added:+.2%}", verdict(added <= ADDED_LIMIT)])
    compared = others(COMPARED)
    less = times_less(compared) if compared else None
    peers = "`strata exec` compared with torch.profiler with memory, shapes and stacks, dry LLaMA-1B"
    limit = f"{TIMES_LESS:.0f} times less"
    for name in COMPARED_BY:
        times = less and less[name]
        name = f"{name}: {peers}"
        if less is None:
            found.append([name, limit, "not measured", "not measured"])
        elif times is None:
            found.append([name, limit, "less than the spread of the bare runs", verdict(True)])
        else:
            found.append([name, limit, f"{times:.1f} times", verdict(times >= TIMES_LESS)])
    estimated = others("estimation")
    if estimated is None:
        asked = (("a 7B step's peak without a GPU", f"at most {estimation.LIMIT_SECONDS:.0f} s"), ("its host memory", "at most 2 GiB"))
        found += [[what, limit, "not measured", "not measured"] for what, limit in asked]
    else:
        figures = estimation.figures_7b(estimated)
        took = f"{figures['seconds']:.1f} s (CPU time {figures['processor_seconds']:.1f} s)"
        name, limit = "a 7B step's peak without a GPU, by `strata run --dry`", f"at most {estimation.LIMIT_SECONDS:.0f} s"
        found.append([name, limit, took, verdict_by_the_clock(figures, told("estimation")["machine"])])
        found.append(["its host memory", "at most 2 GiB", f"{figures['bytes'] / MIB / 1024:.2f} GiB", verdict(figures["bytes"] <= estimation.LIMIT_BYTES)])
    return found


def of_results(results):
    """Return a function that returns a table's file by its name."""
    return lambda name: results.read(name) if results else None


def missed(results):
    """Return lines about targets that are missed or were not measured, from existing files."""
    told = results.read(NAME)
    if told is None:
        return [f"{NAME} was not made"]
    return [": ".join(row) for row in rows(told["result"], of_results(results)) if row[3] != "met"]


def write(result, results=None):
    found = rows(result, of_results(results))
    count = sum(row[3] == "met" for row in found)
    return table(["target", "limit", "measured", "result"], found) + f"\n\n{count} of {len(found)} are met. {WITHIN_A_STEP}"


def tables():
    commands = ["./dev bench page targets", "bench/quickstart_cost.py --instructions", f"./dev bench page estimation {COMPARED}"]
    return [Table(name=NAME, title="Targets", measure=measure, write=write, commands=commands, reads_others=True)]


if __name__ == "__main__":
    others = Results(REPOSITORY / "build/bench-page")
    sys.exit(run_alone(__doc__, tables(), others) or bool(missed(others)))
