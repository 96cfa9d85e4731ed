# SPDX-License-Identifier: Apache-2.0
"""Reference 001: memory of CS336's 2.7B model."""

import json
import re

import card
from allocations import alike, blocks, detail
from document import Document, commands_and
from tables import difference, mib, table

CARD = "h200"
DOCUMENT = Document("001", {"001": CARD})
MODES = ("forward", "forward_grad", "train")
PRECISIONS = ("fp32", "bf16_autocast")
CONTEXTS = (128, 256, 512)
STACKS = ("--dry", CARD, "mode=forward", "plugins=[{allocator_tracer: {stacks_above_mib: 70}}]")


def grid(runs):
    return runs.grid("001", "--dry", CARD)


def cell_of(runs, mode, precision, context):
    return grid(runs)[f"{mode}, {precision}, {context}"]


@DOCUMENT.block(long=True)
def peaks(runs):
    lines = []
    for context in CONTEXTS:
        for precision in PRECISIONS:
            cells = [cell_of(runs, mode, precision, context) for mode in MODES]
            lines.append([context, precision, *(mib(cell.peak) for cell in cells), mib(cells[-1].reserved), cells[-1].phase])
    header = ["context", "precision", "forward, inference", "forward, with its graph", "training step", "reserved", "its peak is in"]
    return commands_and([grid(runs).command], table(header, lines))


@DOCUMENT.block(long=True)
def mixed(runs):
    lines = []
    for mode in MODES:
        for context in CONTEXTS:
            plain, autocast = (cell_of(runs, mode, precision, context) for precision in PRECISIONS)
            share = f"{100 * (autocast.peak / plain.peak - 1):+.1f}"
            copies = autocast.at_peak["Activation"] - plain.at_peak["Activation"]
            lines.append([mode, context, difference(autocast.peak / 2**20, plain.peak / 2**20), share, difference(copies / 2**20, 0)])
    header = ["mode", "context", "autocast less fp32, MiB", "%", "of that Activation"]
    return commands_and([grid(runs).command], table(header, lines))


@DOCUMENT.block(long=True)
def stages(runs):
    resets = [word for phase in ("forward", "backward", "optimizer") for word in ("--reset", f"step=2,phase={phase}")]
    lines = []
    for precision in PRECISIONS:
        for context in CONTEXTS:
            told = json.loads(runs.strata("report", cell_of(runs, "train", precision, context).folder, "--scopes", "--json", *resets))
            since = [scope for scope in told["scopes"] if scope["kind"] == "reset"]
            at_begin = since[0]["allocated"]["begin_bytes"]
            lines.append([context, precision, mib(at_begin), *(mib(scope["allocated"]["peak_bytes"]) for scope in since)])
    header = ["context", "precision", "before the step", "peak in forward", "in backward", "in the optimizer"]
    return commands_and([grid(runs).command, f"strata report RUN --scopes {' '.join(resets)}"], table(header, lines))


@DOCUMENT.block(long=True)
def residual(runs):
    size = 4 * 512 * 2560 * 4
    cell = cell_of(runs, "train", "fp32", 512)
    found = [block for block in blocks(runs, cell) if int(block["bytes"]) == size and block["category"] == "Activation" and block["step"] == "2"]
    lines = [[op, module, count, mib(amount, 2)] for (amount, _, op, module), count in alike(found)]
    return commands_and(
        [grid(runs).command, "strata export RUN --format csv --what blocks --out blocks.csv"],
        table(["made by", "in", "blocks of one step", "each, MiB"], lines),
    )


@DOCUMENT.block(long=True)
def largest(runs):
    found = detail(blocks(runs, cell_of(runs, "forward", "fp32", 512)), 0.1)
    lines = [[mib(size, 2), category, op, module or "(model)", count] for (size, category, op, module), count in alike(found)]
    return commands_and(
        [grid(runs).command, "strata export RUN --format csv --what blocks --out blocks.csv"],
        table(["MiB", "category", "made by", "in", "allocations"], lines),
    )


@DOCUMENT.block(measured=True, long=True)
def stacks(runs):
    cell = runs.run("001-cs336-2.7b", *STACKS)
    lines = [
        [amount, blocks_of, what, " < ".join(f"`{frame}`" for frame in frames[:3])]
        for amount, blocks_of, what, frames in program_stacks(runs.strata("report", cell.folder, "--stacks", "8"))
    ]
    words = " ".join(f"'{word}'" if "[" in word else word for word in STACKS)
    return commands_and(
        [f"strata run configs/seeds/001-cs336-2.7b.yaml {words} --out run", "strata report run --stacks 8"],
        table(["MiB", "blocks", "what", "the program's innermost three functions"], lines),
    )


def program_stacks(text):
    """Return MiB, blocks, the largest block's content and the trainer's frames of each stack that
    `strata report --stacks` prints."""
    for paragraph in text.split("\n\n"):
        found = re.search(r"^ *([\d,.]+) +[\d.]+% +(\d+) +(\S.*)$", paragraph, re.MULTILINE)
        if found:
            frames = re.findall(r"^ {14}(\S.*?) +([\w]+\.cpp:\d+)$", paragraph, re.MULTILINE)
            yield *found.groups(), [f"{name.removeprefix('strata::trainer::')} {place}" for name, place in frames]


@DOCUMENT.block()
def on_the_card(runs):
    return card.beside(DOCUMENT, runs)


for file, mode, name in (
    ("train", "train", "a training step"),
    ("forward", "forward", "forward as inference"),
    ("forward-grad", "forward_grad", "forward with its graph"),
):
    DOCUMENT.picture(f"{file}.png")(
        lambda runs, mode=mode, title=f"CS336 2.7B, context 512, fp32, {name}: dry H200": runs.memory_picture(
            cell_of(runs, mode, "fp32", 512), title, "--over", "events"
        )
    )
