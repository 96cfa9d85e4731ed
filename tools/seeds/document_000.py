# SPDX-License-Identifier: Apache-2.0
"""Reference 000: the template of PyTorch's "Understanding GPU Memory 1" in six settings."""

import json
import pickle

import card
from document import Document, commands_and
from moments import highest_in_optimizer, of_category, of_kind
from tables import CATEGORIES, difference, mib, table

CARD = "a100-40gb"
DOCUMENT = Document("000", {"000": CARD})

# The document's rows: place, device, optimizer, whether gradients are accumulated; and the run of
# Strata's.
ROWS = (
    ("Local", "CPU", "SGD", "No", "local-cpu-sgd"),
    ("Remote", "CPU", "SGD", "No", "remote-cpu-sgd"),
    ("Remote", "GPU", "SGD", "No", "sgd"),
    ("Remote", "GPU", "SGD + Momentum", "No", "momentum"),
    ("Remote", "GPU", "Adam", "No", "adam"),
    ("Remote", "GPU", "Adam", "Yes", "adam-accumulation"),
)
ON_THE_CPU = {
    "local-cpu-sgd": ("000-resnet50-sgd", "backend.onednn=false"),
    "remote-cpu-sgd": ("000-resnet50-sgd", "plugins=[allocator_tracer, warmup_analyzer]"),
}


def grid(runs):
    return runs.grid("000", "--dry", CARD)


def cell_of(runs, label):
    return runs.run(*ON_THE_CPU[label]) if label in ON_THE_CPU else grid(runs)[label]


def blas_of(torch, device):
    if device != "cpu":
        return "cuBLAS, cuDNN"
    return f"MKL; oneDNN {'on' if torch['onednn_enabled'] else 'off'}" if "Math Kernel" in torch["blas"] else torch["blas"]


@DOCUMENT.block(measured=True, long=True)
def rows(runs):
    lines = []
    for where, hardware, optimizer, accumulated, label in ROWS:
        cell = cell_of(runs, label)
        manifest = json.loads((cell.folder / "manifest.json").read_text())
        lines.append(
            [where, hardware, optimizer, accumulated]
            + [manifest["host"]["processor"], blas_of(manifest["torch"], manifest["device"]), manifest["device"]]
            + [mib(cell.peak), cell.phase, f"[{label}](000/{label}.png)"]
        )
    header = ["environment", "hardware", "optimizer", "accumulation", "host", "BLAS", "device", "peak MiB", "in", "picture"]
    return commands_and(
        [
            "strata run configs/seeds/000-resnet50-sgd.yaml backend.onednn=false                # local CPU",
            "strata run configs/seeds/000-resnet50-sgd.yaml                                     # remote CPU",
            grid(runs).command + "    # the GPU's four, and two more",
            "strata plot RUN --what memory",
        ],
        table(header, lines),
    )


@DOCUMENT.block()
def gpu(runs):
    lines = []
    for *_, label in ROWS[2:]:
        cell = grid(runs)[label]
        lines.append([label, mib(cell.peak), mib(cell.reserved), *(mib(cell.categories[name]["max"]) for name in CATEGORIES)])
    return commands_and([grid(runs).command], table(["setting", "peak", "reserved", *CATEGORIES], lines))


def profiled_beside_ours(theirs, ours):
    lines = []
    for name in CATEGORIES:
        said, true = theirs["categories"][name]["max"], ours.categories[name]["max"]
        lines.append([name, mib(said), mib(true), difference(true / 2**20, said / 2**20)])
    said, true = sum(theirs["peak"].values()), ours.peak
    return [*lines, ["peak of the sum", mib(said), mib(true), difference(true / 2**20, said / 2**20)]]


@DOCUMENT.block(near=True, long=True)
def adam_profiled(runs):
    theirs = runs.profiled("profiled_resnet50", "--optimizer", "adam", "--steps", "3", dry=CARD)
    lines = profiled_beside_ours(theirs, grid(runs)["adam"])
    return commands_and(
        [f"strata exec --dry {CARD} --plugins none -- python tools/seeds/profiled_resnet50.py --optimizer adam --steps 3", grid(runs).command],
        table(["most of, in MiB", "torch.profiler", "Strata", "difference"], lines),
    )


@DOCUMENT.block(measured=True, long=True)
def cpu_profiled(runs):
    theirs = runs.profiled("profiled_resnet50", "--device", "cpu", "--onednn", "off", "--steps", "2")
    lines = profiled_beside_ours(theirs, cell_of(runs, "local-cpu-sgd"))
    return commands_and(
        [
            "python tools/seeds/profiled_resnet50.py --device cpu --onednn off --steps 2",
            "strata run configs/seeds/000-resnet50-sgd.yaml backend.onednn=false",
        ],
        table(["most of, in MiB", "torch.profiler", "Strata", "difference"], lines),
    )


@DOCUMENT.block()
def implementations(runs):
    lines = []
    for label in ("adam", "adam-loop", "adam-fused"):
        moment = highest_in_optimizer(runs, grid(runs)[label], 1)
        parameters = of_category(moment, "Parameter")
        parts = [
            parameters,
            of_category(moment, "Gradient"),
            of_category(moment, "Optimizer_State"),
            of_kind(moment, "optimizer_temp"),
            of_kind(moment, "workspace"),
        ]
        copies = (sum(parts) - parts[-1]) / parameters
        step = grid(runs)[label].summary["steps"][1]
        name = {"adam": "foreach"}.get(label, label.removeprefix("adam-"))
        lines.append([name, *map(mib, parts), f"{copies:.2f}", mib(step["peak_allocated_bytes"]), step["peak_phase"]])
    header = ["implementation", "parameters", "gradients", "moments", "temporaries", "workspaces", "copies", "peak of the step", "in"]
    return commands_and([grid(runs).command, "strata export RUN --format csv --what blocks --out blocks.csv"], table(header, lines))


@DOCUMENT.block(measured=True, long=True)
def first_step(runs):
    told = json.loads(runs.strata("report", cell_of(runs, "remote-cpu-sgd").folder, "--warm-up", "--json"))
    milliseconds = cell_of(runs, "remote-cpu-sgd").step_milliseconds
    lines = [["the first step", f"{milliseconds[0]:.0f}"], ["the median of the others", f"{sorted(milliseconds[1:])[2]:.0f}"]]
    shares = {cause["cause"]: cause["ns"] for cause in told["causes"]}
    known = [cause for cause in told["looked_for"] if cause["looked_for"]]
    lines += [[cause["title"], f"{shares.get(cause['cause'], 0) / 1e6:.0f}"] for cause in known]
    lines.append(["not attributed", f"{told['unattributed_ns'] / 1e6:.0f}"])
    return commands_and(
        ["strata run configs/seeds/000-resnet50-sgd.yaml 'plugins=[allocator_tracer, warmup_analyzer]' --out run", "strata report run --warm-up"],
        table(["of the first step", "ms"], lines),
    )


@DOCUMENT.block()
def on_a_card(runs):
    told = json.loads(runs.strata("report", grid(runs)["adam"].folder, "--warm-up", "--json"))
    lines = [[cause["title"], cause["certainty"], cause["detector"]] for cause in told["looked_for"] if cause["detector"] == "activities"]
    return table(["cause that only a card has", "how sure", "found by"], lines)


@DOCUMENT.block()
def snapshot(runs):
    file = runs.folder / "snapshot.pickle"
    runs.strata("export", grid(runs)["adam"].folder, "--format", "memory_viz", "--out", file)
    told = pickle.loads(file.read_bytes())
    entries = told["device_traces"][0]
    (second,) = (mark["time_us"] for mark in told["external_annotations"] if (mark["name"], mark["stage"]) == ("step 1", "START"))
    early = sum(entry["action"] == "segment_alloc" and entry["time_us"] < second for entry in entries)
    actions = sorted({entry["action"] for entry in entries})
    categories = {entry["category"] for entry in entries if entry["action"] == "alloc"}
    lines = [[action, sum(entry["action"] == action for entry in entries)] for action in actions]
    return commands_and(
        ["strata export RUN --format memory_viz --out snapshot.pickle", "python -m torch.cuda._memory_viz trace_plot snapshot.pickle -o snapshot.html"],
        table(["entries", "number"], [*lines, ["segment_alloc, before the second step", early], ["categories of allocations", len(categories)]]),
    )


@DOCUMENT.block()
def on_the_card(runs):
    return card.beside(DOCUMENT, runs)


def draw(label, where, what):
    """Draw a CPU run over time, which is real. A dry run's times are only the host's."""
    is_real = label in ON_THE_CPU
    title = f"ResNet-50, {where}, {what}"
    words = (title,) if is_real else (title + ": dry A100", "--over", "events")
    DOCUMENT.picture(f"{label}.png", measured=is_real)(lambda runs: runs.memory_picture(cell_of(runs, label), *words))


for place, hardware, optimizer, accumulated, setting in ROWS:
    draw(setting, f"{place.lower()} {hardware}", optimizer + (", accumulation 4" if accumulated == "Yes" else ""))
