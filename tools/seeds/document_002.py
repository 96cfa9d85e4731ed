# SPDX-License-Identifier: Apache-2.0
"""Reference 002: two scripts that measure one DistilBERT and disagree."""

import json

import card
from document import Document, commands_and
from owners import PROJECTOR, STATE, asked_for
from tables import MIB, difference, mib, table

CARD = "a100-40gb"
DOCUMENT = Document("002", {"002": CARD, "002-accumulation": CARD})
SCOPES = ("batch 1", "batch 32", "batch 32 x 4")
EFFECTIVE = {"batch 1": (1, 1), "batch 32": (32, 1), "batch 32 x 4": (32, 4)}
TRAINED_BYTES = 1_916_697_600  # in the document's epoch_peak_memory.csv
TOKENS = 200_000


def grid(runs):
    return runs.grid("002", "--dry", CARD)


def reset_peaks(runs, cell, *resets):
    told = json.loads(runs.strata("report", cell.folder, "--scopes", "--json", *(word for reset in resets for word in ("--reset", reset))))
    return told


@DOCUMENT.block(long=True)
def parts(runs):
    cell = grid(runs)["rank 4, batch 1"]
    at = reset_peaks(runs, cell)["reconciliation"]["requested_by_category"]
    lines = [
        ["Parameters", 255.41, at["Parameter"] / MIB],
        ["Optimizer states", 2.92, asked_for(cell, STATE, PROJECTOR) / MIB],
        ["Activations", 37.51, cell.summary["layer_outputs"]["estimated_bytes"] / MIB],
        ["Gradients", 255.41, at["Gradient"] / MIB],
    ]
    lines.append(["Total components", 551.25, sum(ours for *_, ours in lines)])
    lines.append(["Peak allocated", 790.54, cell.peak / MIB])
    lines.append(["CUDA allocated, after the step", 790.16, allocated_after_step(runs, cell) / MIB])
    trained = grid(runs)["rank 4, batch 32 x 4"]
    lines.append(["Peak of the epoch", TRAINED_BYTES / MIB, trained.peak / MIB])
    rows = [[name, f"{theirs:,.2f}", f"{ours:,.2f}", difference(ours, theirs, 2)] for name, theirs, ours in lines]
    return commands_and([grid(runs).command, "strata report RUN --scopes"], table(["rank 4, MiB", "the document", "Strata", "difference"], rows))


def allocated_after_step(runs, cell):
    steps = [scope for scope in reset_peaks(runs, cell)["scopes"] if scope["kind"] == "step"]
    return steps[-1]["allocated"]["end_bytes"]


@DOCUMENT.block(long=True)
def batches(runs):
    lines = []
    for scope in SCOPES:
        cell = grid(runs)[f"rank 4, {scope}"]
        batch, accumulation = EFFECTIVE[scope]
        outputs = cell.summary["layer_outputs"]
        lines.append(
            [batch, accumulation, batch * accumulation, mib(outputs["estimated_bytes"], 2), mib(outputs["activation_bytes"], 2)]
            + [mib(cell.categories["Gradient"]["max"]), mib(cell.peak), mib(cell.reserved), cell.phase]
        )
    header = ["batch", "accumulation", "effective batch", "sum of layers' outputs", "kept for backward"]
    return commands_and([grid(runs).command], table([*header, "gradients, most", "peak allocated", "peak reserved", "in"], lines))


@DOCUMENT.block()
def accumulation(runs):
    cells = runs.grid("002-accumulation", "--dry", CARD)
    lines = []
    for label, cell in cells.cells.items():
        before = lines[-1][4] if lines else None
        peak = cell.peak / MIB
        lines.append([label, 32 * int(label), mib(cell.categories["Gradient"]["max"]), mib(cell.at_peak["Activation"]), peak])
        lines[-1].append(difference(peak, before) if before else "")
    rows = [[*line[:4], f"{line[4]:,.1f}", line[5]] for line in lines]
    header = ["accumulation", "effective batch", "gradients, most", "activations at the peak", "peak allocated", "more than the row above"]
    return commands_and([cells.command], table(header, rows))


@DOCUMENT.block(long=True)
def ranks(runs):
    lines = []
    for label in ("adam", "rank 4", "rank 8", "rank 16", "rank 64", "rank 128"):
        cells = [grid(runs)[f"{label}, {scope}"] for scope in SCOPES]
        state = asked_for(cells[1], STATE, PROJECTOR)
        lines.append([label, "2.92" if label == "rank 4" else "", mib(state, 2), *(mib(cell.peak) for cell in cells)])
    header = ["optimizer", "state, the document", "state, Strata", *(f"peak, {scope}" for scope in SCOPES)]
    return commands_and([grid(runs).command], table(header, lines))


@DOCUMENT.block()
def epoch(runs):
    tokens = runs.folder / "tokens.txt"
    tokens.write_text("a" * TOKENS)
    data = f"data={{source: text, path: {tokens}, batch_size: 32}}"
    schedule = "schedule={wait: 0, warmup: 0, active: 20, epochs: 1}"
    cell = runs.run("002-distilbert-rsvd", "--dry", CARD, "accumulation=4", data, schedule)
    told = reset_peaks(runs, cell)
    lines = [[scope["label"], *(mib(scope[name]["peak_bytes"], 2) for name in ("allocated", "reserved"))] for scope in told["scopes"]]
    return commands_and(
        [
            f"head -c {TOKENS} /dev/zero | tr '\\0' a > tokens.txt",
            f"strata run configs/seeds/002-distilbert-rsvd.yaml --dry {CARD} accumulation=4 \\",
            f"  'data={{source: text, path: tokens.txt, batch_size: 32}}' '{schedule}' --out run",
            "strata report run --scopes    # and run/epoch_peak_memory.csv",
        ],
        table(["peak since a reset at the begin of", "allocated", "reserved"], lines),
    )


@DOCUMENT.block(long=True)
def reconciled(runs):
    cell = grid(runs)["rank 4, batch 32 x 4"]
    moment = reset_peaks(runs, cell)["reconciliation"]
    lines = [[name, mib(moment[key])] for name, key in (
        ("device used (nvidia-smi)", "device_used_bytes"), ("of that outside the allocator: the context", "outside_bytes"),
        ("reserved", "reserved_bytes"), ("of that unused", "unused_bytes"),
        ("allocated", "allocated_bytes"), ("of that rounding", "rounding_bytes"), ("requested", "requested_bytes"),
    )]  # fmt: skip
    lines += [[f"of that {name}", mib(amount)] for name, amount in moment["requested_by_category"].items() if amount]
    return commands_and([grid(runs).command, "strata report RUN --scopes"], table(["at the peak of the training", "MiB"], lines))


@DOCUMENT.block()
def on_the_card(runs):
    return card.beside(DOCUMENT, runs)
