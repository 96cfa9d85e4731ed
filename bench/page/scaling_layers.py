#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cost of tracing as a model gets deeper: dry steps of different depths with the tracer and
without, with about the same total number of events.

    bench/page/scaling_layers.py --quick
"""

import sqlite3
import sys

from command import run
from curve import Line, picture, written
from settings import say
from spread import spread, text
from table import Table, run_alone

FILE = "benchmark-layers.svg"
ROUNDS = 3


CONFIG = """\
name: layers
model: {name: transformer, size: custom, layers: LAYERS, d_model: 32, d_ff: 64, heads: 2, vocab: 256, context: 32}
data: {batch_size: 2}
backend: {threads: 1}
schedule: {wait: 0, warmup: 0, active: STEPS}
device: cuda
trace: {ops: none}
plugins: [allocator_tracer]
"""


def layers(settings):
    return [2, 8] if settings.quick else [2, 4, 8, 16, 32, 64, 128]


def steps_of(count):
    return max(4, 400 // count)


def once(settings, count, turn):
    folder = settings.folder(f"layers-{count}-{turn}")
    config, out = folder / "run.yaml", folder / "run"
    config.write_text(CONFIG.replace("LAYERS", str(count)).replace("STEPS", str(steps_of(count))))
    words = [settings.strata, "run", config, "--dry", "h100-80gb"]
    ways = [("bare", [*words, "--out", folder / "bare", "plugins=[]"]), ("recorded", [*words, "--out", out])]
    seconds = {name: run(way, folder).processor_seconds for name, way in (ways if turn % 2 else reversed(ways))}
    seconds["report"] = run([settings.strata, "report", out], folder).processor_seconds
    return {"events": allocations(out), "processor_seconds": seconds}


def allocations(out):
    (database,) = (out / "rank0").glob("*.sqlite")
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as store:
        return store.execute("SELECT count(*) FROM allocator_tracer_event").fetchone()[0]


def measure(settings):
    points = []
    for count in layers(settings):
        rounds = [once(settings, count, turn) for turn in range(settings.rounds(ROUNDS))]
        points.append({"layers": count, "rounds": rounds})
        say(f"scaling-layers, {count}: {rounds[-1]}")
    return {"points": points}


def recording_ns(each):
    seconds = each["processor_seconds"]
    return (seconds["recorded"] - seconds["bare"] - seconds["report"]) / each["events"] * 1e9


def reporting_ns(each):
    return each["processor_seconds"]["report"] / each["events"] * 1e9


def lines(result):
    named = {"recording, CPU ns per event": recording_ns, "report, CPU ns per event": reporting_ns}
    points = {name: [(found["layers"], spread(map(of, found["rounds"])).median) for found in result["points"]] for name, of in named.items()}
    found = [Line(name, [point for point in line if point[1] > 0]) for name, line in points.items()]
    return [line for line in found if line.points]


HEADER = ["layers", "events per step", "run without plugins, CPU s", "recording, CPU ns per event", "`strata report`, CPU ns per event"]


def write(result):
    rows = []
    for found in result["points"]:
        rounds = found["rounds"]
        rows.append(
            [
                found["layers"],
                f"{rounds[0]['events'] / steps_of(found['layers']):,.0f}",
                f"{spread([each['processor_seconds']['bare'] for each in rounds]).median:.2f}",
                text(spread(map(recording_ns, rounds)), "{:,.0f}"),
                text(spread(map(reporting_ns, rounds)), "{:,.0f}"),
            ]
        )
    return written(FILE, HEADER, rows, lines(result), "All runs have about the same number of events: 200 steps with 2 layers, 4 steps with 128. Recording is the run minus the same run without plugins and minus a report.")


def pictures(result):
    return {FILE: picture("What an event costs as a model gets deeper", "layers", "ns of processor an event", lines(result))}


def tables():
    config = "strata run layers.yaml --dry h100-80gb model.layers=N schedule.active=STEPS"
    lines_of_file = [f"# layers.yaml: {line}" for line in CONFIG.strip().replace("LAYERS", "2").replace("STEPS", "200").split("\n")]
    commands = ["./dev bench page scaling-layers", *lines_of_file, config, f"{config} plugins=[]", "strata report RUN"]
    return [Table("scaling-layers", "Layers: 2 to 128", measure, write, commands, pictures)]


if __name__ == "__main__":
    sys.exit(run_alone(__doc__, tables()))
