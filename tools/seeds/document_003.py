# SPDX-License-Identifier: Apache-2.0
"""Reference 003: LLaMA-100M with AdamW and with GaLore, by torch.profiler."""

import json

import card
import theirs_003
from document import Document, commands_and
from moments import highest_in_optimizer, of_category, of_kind
from tables import CATEGORIES, MIB, difference, mib, table

CARD = "a100-40gb"
DOCUMENT = Document("003", {"003": CARD})
SVD_RUN = ("model.size=60m", "model.context=64", "data.batch_size=1", "schedule.active=3", "plugins=[allocator_tracer, warmup_analyzer]")


def grid(runs):
    return runs.grid("003", "--dry", CARD)


def side_by_side(runs, theirs, label, *words):
    """Return rows of all categories: the document's, torch.profiler's for the same program today,
    and Strata's."""
    again = runs.profiled("profiled_llama", *words, dry=CARD)["categories"]
    ours = grid(runs)[label].categories
    lines = []
    for statistic in ("mean", "min", "median", "max"):
        profiled = [again[name][statistic] / MIB for name in CATEGORIES]
        if theirs:
            lines.append([statistic, "the document", *(f"{value:,.1f}" for value in theirs[statistic])])
        lines.append([statistic, "torch.profiler again", *(f"{value:,.1f}" for value in profiled)])
        if theirs:
            lines.append([statistic, "difference", *(difference(new, old) for new, old in zip(profiled, theirs[statistic]))])
        lines.append([statistic, "**Strata**", *(mib(ours[name][statistic]) for name in CATEGORIES)])
    script = " ".join(["python tools/seeds/profiled_llama.py", *words])
    return commands_and(
        [f"strata exec --dry {CARD} --plugins none -- {script}", f"{grid(runs).command}    # {label}"],
        table(["MiB", "of", *CATEGORIES], lines),
    )


@DOCUMENT.block(near=True, long=True)
def adamw_profiled(runs):
    return side_by_side(runs, theirs_003.ADAMW, "adamw", "--optimizer", "adamw")


@DOCUMENT.block(near=True, long=True)
def galore_128_profiled(runs):
    return side_by_side(runs, theirs_003.GALORE_128, "galore-128", "--optimizer", "galore", "--rank", "128")


@DOCUMENT.block(near=True, long=True)
def galore_64_profiled(runs):
    return side_by_side(runs, None, "galore-64", "--optimizer", "galore", "--rank", "64")


@DOCUMENT.block()
def projectors(runs):
    lines = []
    for label in ("adamw", "galore-128", "galore-128-cut", "galore-64", "galore-64-cut"):
        cell = grid(runs)[label]
        moment = highest_in_optimizer(runs, cell, 1)
        lines.append(
            [label, "false" if label.endswith("-cut") else "true" if label.startswith("galore") else ""]
            + [mib(of_kind(moment, kind), 2) for kind in ("state", "projector")]
            + [mib(of_category(moment, "Parameter"), 2), mib(cell.peak), mib(cell.reserved)]
        )
    header = ["setting", "keep_factor", "moments", "projectors", "parameters", "peak allocated", "peak reserved"]
    return commands_and([grid(runs).command], table(header, lines))


@DOCUMENT.block(measured=True, long=True)
def first_projection(runs):
    cell = runs.run("003-llama-100m-galore", *SVD_RUN)
    told = json.loads(runs.strata("report", cell.folder, "--warm-up", "--json"))
    first = told["steps"][0]
    seconds = [step / 1e3 for step in cell.step_milliseconds]
    optimizer = next(phase for phase in first["phases"] if phase["name"] == "optimizer")
    causes = {cause["cause"]: cause for cause in first["causes"]}
    waiting = causes.get("processor_wait", {"ns": 0})["ns"]
    projector = causes["projector_svd"]
    lines = [[f"step {at}", f"{value:.1f}"] for at, value in enumerate(seconds)]
    lines += [
        ["optimizer, of step 0", f"{optimizer['ns'] / 1e9:.1f}"],
        ["optimizer, of a later one", f"{(optimizer['ns'] - optimizer['excess_ns']) / 1e9:.1f}"],
        ["of the difference: SVD", f"{projector['ns'] / 1e9:.1f}"],
        ["of the difference: waiting for a processor", f"{waiting / 1e9:.1f}"],
    ]
    words = " ".join(f"'{word}'" if " " in word else word for word in SVD_RUN)
    return commands_and(
        [f"strata run configs/seeds/003-llama-100m-galore.yaml {words} --out run", "strata report run --warm-up"],
        table(["", "seconds"], lines),
    )


@DOCUMENT.block()
def on_the_card(runs):
    return card.beside(DOCUMENT, runs)


for setting, name in (("adamw", "AdamW"), ("galore-128", "GaLore, rank 128"), ("galore-64", "GaLore, rank 64")):
    DOCUMENT.picture(f"{setting}.png")(
        lambda runs, label=setting, title=f"LLaMA-100M, {name}: dry A100": runs.memory_picture(grid(runs)[label], title, "--over", "events")
    )
