#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The peak of a training step without a GPU: the time until it is known, the host memory needed,
and its accuracy compared with torch's allocator.

    bench/page/estimation.py
    bench/page/estimation.py --json
"""

import json
import pathlib
import re
import sys

from command import run
from markdown import MIB, seconds, table
from settings import REPOSITORY, say
from spread import spread, text
from table import Table, run_alone

PROGRAM = pathlib.Path(__file__).with_name("program.py")
CARD = "h100-80gb"
ROUNDS = 5
SIZES = {"llama-1b": ("1b", 16, 256), "llama-7b": ("7b", 1, 2048)}
CONFIG = """\
model: {{name: llama, size: {size}, context: {tokens}}}
data: {{batch_size: {sequences}}}
precision: bf16
attention: sdpa
optimizer: {{name: adamw, impl: foreach}}
schedule: {{wait: 0, warmup: 0, active: 2}}
device: cuda
plugins: [allocator_tracer]
"""
LIMIT_SECONDS, LIMIT_BYTES = 5.0, 2048 * MIB  # for the 7B model's estimate


def config_of(model):
    size, sequences, tokens = SIZES[model]
    return CONFIG.format(size=size, sequences=sequences, tokens=tokens)


def python_words(settings, model, *more):
    return [settings.python, PROGRAM, model, "--loss", "logits", "--steps", 2, *more]


def result_of(used, **more):
    return {"seconds": used.seconds, "processor_seconds": used.processor_seconds, "peak_resident_bytes": used.peak_bytes, **more}


def strata_run(settings, model, folder):
    config, out = folder / "run.yaml", folder / "run"
    config.write_text(config_of(model))
    used = run([settings.strata, "run", config, "--dry", CARD, "--out", out], folder)
    return result_of(used, estimated_bytes=json.loads((out / "summary.json").read_text())["peak"]["allocated_bytes"])


def strata_exec(settings, model, folder):
    out = folder / "run"
    used = run([settings.strata, "exec", "--dry", CARD, "--out", out, "--", *python_words(settings, model, "--device", "cuda")], folder)
    return result_of(used, estimated_bytes=json.loads((out / "summary.json").read_text())["peak"]["allocated_bytes"])


def strata_fit(settings, model, folder):
    config = folder / "run.yaml"
    config.write_text(config_of(model))
    used = run([settings.strata, "fit", config, "--device", CARD, "--json"], folder)
    told = json.loads(used.output)
    return result_of(used, estimated_bytes=None, largest=told["largest"], tried=len(told["tried"]))


def mem_tracker(settings, model, folder):
    told = folder / "told.json"
    used = run(python_words(settings, model, "--recorder", "MemTracker", "--told", told), folder)
    return result_of(used, estimated_bytes=json.loads(told.read_text())["estimated_bytes"])


def truth(settings, model, folder):
    """Return torch's own count in the same program, without a recorder, and the resources that the
    program used."""
    told = folder / "told.json"
    words = [settings.strata, "exec", "--dry", CARD, "--plugins", "none", "--", *python_words(settings, model, "--device", "cuda", "--told", told)]
    used = run(words, folder)
    told = json.loads(told.read_text())
    return result_of(used, estimated_bytes=told["allocated_bytes"], import_seconds=told["import_seconds"])


# Name, text on the page, function that measures it, and whether a single round is enough.
WAYS = {
    "strata run": ("`strata run --dry`: the configuration's model, with its report and page", strata_run, False),
    "strata exec": ("`strata exec --dry -- python`: transformers' model, with report and page", strata_exec, False),
    "strata fit": ("`strata fit`: the largest batch that fits", strata_fit, False),
    "MemTracker": ("MemTracker under FakeTensorMode: transformers' model", mem_tracker, True),
    "torch": ("`torch.cuda.max_memory_allocated()` on the dry H100: the reference", truth, False),
}


def measure(settings):
    result = {}
    for model in SIZES:
        rounds = result[model] = {name: [] for name in WAYS}
        for turn in range(settings.rounds(ROUNDS)):
            for name, (_, way, once) in WAYS.items():
                if turn > 0 and (once or (name in ("strata exec", "torch") and turn > 2)):
                    continue
                if settings.quick and once and model == "llama-7b":
                    continue
                rounds[name].append(way(settings, model, settings.folder(f"estimation-{model}-{name.replace(' ', '-')}-{turn}")))
                last = rounds[name][-1]
                say(f"estimation, {model}, {name}: {last['seconds']:.1f} s, {last['processor_seconds']:.1f} s of processor, {last['peak_resident_bytes'] / MIB:.0f} MiB")
    return result


def error(estimated, true):
    return f"{estimated - true:+,} bytes, {(estimated - true) / true:+.4%}" if estimated != true else "none"


def row(name, rounds):
    what = WAYS[name][0]
    own = rounds[name]
    if not own:
        return [what, "not measured: minutes, and this is a quick page", *["–"] * 4]
    took = text(spread([each["seconds"] for each in own]), "{:.1f}")
    processor = text(spread([each["processor_seconds"] for each in own]), "{:.1f}")
    resident = f"{max(each['peak_resident_bytes'] for each in own) / MIB:,.0f}"
    if name == "strata fit":
        said = f"a batch of {own[0]['largest']}, by {own[0]['tried']} runs"
        return [what, took, processor, resident, said, "not comparable: the largest batch ran, and the next one did not fit"]
    estimated = own[0]["estimated_bytes"]
    (true,) = {each["estimated_bytes"] for each in rounds["torch"]}
    return [what, took, processor, resident, f"{estimated / MIB:,.2f}", "– (reference)" if name == "torch" else error(estimated, true)]


HEADER = ["method", "wall time, s", "CPU time, s", "host memory, MiB", "peak of the step, MiB", "error"]


def figures_7b(result):
    """Return median seconds and peak memory of the case that the project's target is about."""
    own = result["llama-7b"]["strata run"]
    return {
        "seconds": spread([each["seconds"] for each in own]).median,
        "processor_seconds": spread([each["processor_seconds"] for each in own]).median,
        "bytes": max(each["peak_resident_bytes"] for each in own),
    }


# A table of docs/seeds/003.md has the maximum of each category on its author's card, and Strata's.
RECORDED = re.compile(r"^\| max \| (the document|\*\*Strata\*\*) \| (.*) \|$", re.MULTILINE)


def recorded_elsewhere(page=None):
    """Return rows of (category, theirs, Strata's), in MiB, of LLaMA-100M with AdamW; none if the
    page has no such table."""
    page = page if page is not None else (REPOSITORY / "docs/seeds/003.md").read_text()
    header = re.search(r"^\| MiB \| of \| (.*) \|$", page, re.MULTILINE)
    rows = dict(RECORDED.findall(page.split("## GaLore")[0]))
    if header is None or len(rows) != 2:
        return []
    names, theirs, ours = header.group(1).split(" | "), rows["the document"].split(" | "), rows["**Strata**"].split(" | ")
    return [(name, one, other) for name, one, other in zip(names, theirs, ours) if name in ("Parameter", "Optimizer_State", "Gradient", "Autograd_Detail")]


def write(result):
    parts = []
    for model, rounds in result.items():
        size, sequences, tokens = SIZES[model]
        parts += [f"LLaMA-{size.upper()}, bfloat16, AdamW (foreach), {sequences} x {tokens} tokens:", table(HEADER, [row(name, rounds) for name in WAYS])]
    importing = spread([each["import_seconds"] for rounds in result.values() for each in rounds["torch"]]).median
    parts.append(
        f"Rows that run Python include importing torch and transformers: {seconds(importing)} s of wall time. **None of these ran on a real card** ([parity.md](parity.md) lists the runs that did)."
        " The reference is the count of PyTorch's own allocator in a dry run. The error of `strata exec` shows whether anything is lost between the allocator and the report; the error of the"
        " others, how much another way to run the same step differs. MemTracker adds up the sizes of tensors, without cuBLAS's workspaces and the rounding of blocks."
        " [dry-gpu.md](dry-gpu.md#what-it-does-not-know) lists what a dry card does not know, such as the libraries' own memory."
    )
    if rows := recorded_elsewhere():
        parts += [
            "Figures from a real card: the author of [a document about LLaMA-100M with AdamW](seeds/003.md) ran torch.profiler on one. The table shows the maximum of each category, in MiB."
            " The document gives no total, and torch.profiler's labels for the other categories differ from run to run.",
            table(["category", "on the author's card", "`strata run --dry a100-40gb`"], [list(each) for each in rows]),
        ]
    return "\n\n".join(parts)


def tables():
    size, sequences, tokens = SIZES["llama-7b"]
    commands = [
        "./dev bench page estimation",
        *(f"# 7b.yaml: {line}" for line in CONFIG.format(size=size, sequences=sequences, tokens=tokens).strip().split("\n")),
        f"strata run 7b.yaml --dry {CARD}",
        f"strata fit 7b.yaml --device {CARD}",
        f"strata exec --dry {CARD} -- python bench/page/program.py llama-7b --device cuda --loss logits --steps 2",
        "python bench/page/program.py llama-7b --recorder MemTracker --loss logits --steps 2",
    ]
    return [Table(name="estimation", title="The peak without a GPU", measure=measure, write=write, commands=commands)]


if __name__ == "__main__":
    sys.exit(run_alone(__doc__, tables()))
