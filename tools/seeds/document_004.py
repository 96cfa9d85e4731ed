# SPDX-License-Identifier: Apache-2.0
"""Reference 004: a thread that names the shapes of a memory timeline."""

import json

import card
from document import Document, commands_and
from tables import mib, table

CARD = "h100-80gb"
DOCUMENT = Document("004", {"004": CARD})


def grid(runs):
    return runs.grid("004", "--dry", CARD)


def shapes_of(runs, label):
    return json.loads(runs.strata("report", grid(runs)[label].folder, "--shapes", "--json"))["shapes"]


@DOCUMENT.block()
def shapes(runs):
    lines = [[shape["title"], shape["step"], mib(shape["bytes"]), shape["layer"], shape["sentence"]] for shape in shapes_of(runs, "foreach")]
    return commands_and([grid(runs).command, "strata report RUN --shapes"], table(["shape", "step", "MiB", "in", "what it is"], lines))


@DOCUMENT.block()
def settings(runs):
    labels = list(grid(runs).cells)
    found = {label: {shape["kind"]: mib(shape["bytes"]) for shape in shapes_of(runs, label)} for label in labels}
    kinds = sorted({kind for shapes in found.values() for kind in shapes})
    lines = [[f"`{kind}`", *(found[label].get(kind, "") for label in labels)] for kind in kinds]
    lines.append(["peak allocated", *(mib(grid(runs)[label].peak) for label in labels)])
    return commands_and([grid(runs).command, "strata report RUN --shapes"], table(["MiB", *labels], lines))


@DOCUMENT.block()
def on_the_card(runs):
    return card.beside(DOCUMENT, runs)


DOCUMENT.picture("steps.png")(
    lambda runs: runs.memory_picture(grid(runs)["foreach"], "GPT-2 small, vocabulary 151,936, three steps of foreach AdamW, checkpointed: dry H100", "--shapes", "--over", "events")
)

for file, setting, name in (
    ("step", "foreach", "foreach AdamW, checkpointed"),
    ("fused", "fused", "fused AdamW, checkpointed"),
    ("not-checkpointed", "foreach, not checkpointed", "foreach AdamW, not checkpointed"),
):
    DOCUMENT.picture(f"{file}.png")(
        lambda runs, label=setting, title=f"GPT-2 small, vocabulary 151,936, {name}: dry H100": runs.memory_picture(
            grid(runs)[label], title, "--step", "1", "--shapes", "--over", "events"
        )
    )
