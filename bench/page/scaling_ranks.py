#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cost of a job as its ranks increase: each is a process with its own dry GPU, and then a
report shows all of them side by side.

    bench/page/scaling_ranks.py --quick
"""

import sys

from command import bytes_in, run
from curve import Line, picture, written
from scaling_layers import CONFIG
from settings import say
from table import Table, run_alone

FILE = "benchmark-ranks.svg"
STEPS = 10
MIB = 1 << 20


def ranks(settings):
    return [1, 4] if settings.quick else [1, 2, 4, 8, 16, 32, 64]


def point(settings, count):
    folder = settings.folder(f"ranks-{count}")
    config, out = folder / "run.yaml", folder / "run"
    config.write_text(CONFIG.replace("LAYERS", "2").replace("STEPS", str(STEPS)))
    job = run([settings.strata, "run", config, "--dry", f"h100-80gb:{count}", "--out", out, *([f"world_size={count}"] if count > 1 else [])], folder)
    report = run([settings.strata, "report", out, *(["--ranks"] if count > 1 else [])], folder)
    return {
        "ranks": count,
        "job_seconds": job.seconds,
        "job_processor_seconds": job.processor_seconds,
        "rank_peak_bytes": job.peak_bytes,
        "store_bytes": bytes_in(out),
        "report_seconds": report.seconds,
        "report_processor_seconds": report.processor_seconds,
        "report_peak_bytes": report.peak_bytes,
    }


def measure(settings):
    points = []
    for count in ranks(settings):
        points.append(point(settings, count))
        say(f"scaling-ranks: {points[-1]}")
    return {"points": points}


def lines(result):
    named = {"training, CPU s per rank": "job_processor_seconds", "report, CPU s": "report_processor_seconds"}
    return [Line(name, [(found["ranks"], found[key] / (found["ranks"] if "per rank" in name else 1)) for found in result["points"]]) for name, key in named.items()]


HEADER = ["ranks", "the job, s", "CPU s per rank", "memory of the largest process, MiB", "files per rank, MB", "report, s", "report, CPU s", "its memory, MiB"]


def write(result):
    rows = [
        [
            found["ranks"],
            f"{found['job_seconds']:.1f}",
            f"{found['job_processor_seconds'] / found['ranks']:.2f}",
            f"{found['rank_peak_bytes'] / MIB:,.0f}",
            f"{found['store_bytes'] / found['ranks'] / 1e6:.1f}",
            f"{found['report_seconds']:.2f}",
            f"{found['report_processor_seconds']:.2f}",
            f"{found['report_peak_bytes'] / MIB:,.0f}",
        ]
        for found in result["points"]
    ]
    note = (
        "A rank's CPU time includes the start of its process, its training and its own report. With several ranks the report compares them (`--ranks`). One run each, without a spread."
    )
    return written(FILE, HEADER, rows, lines(result), note)


def pictures(result):
    return {FILE: picture("What a job costs as it gets more ranks", "ranks", "s of processor", lines(result))}


def tables():
    commands = [
        "./dev bench page scaling-ranks",
        f"strata run layers.yaml --dry h100-80gb:N world_size=N    # of the curve of layers, with 2 of them and {STEPS} steps",
        "strata report RUN --ranks",
    ]
    return [Table("scaling-ranks", "Ranks: 1 to 64, dry", measure, write, commands, pictures)]


if __name__ == "__main__":
    sys.exit(run_alone(__doc__, tables()))
