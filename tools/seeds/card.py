# SPDX-License-Identifier: Apache-2.0
"""Peaks that a card measured, next to those of the dry card.

Each configuration of configs/seeds ran once on an H200 (tests/data/card-h200/seeds.json). A page's
whole grids can also run on a card (`--card`); docs/seeds/<page>/card.json has their measurements.
"""

import json
import pathlib

from cell import Cell
from tables import MIB, difference, mib, table

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "docs/seeds"
RECORDED = FOLDER.parents[1] / "tests/data/card-h200/seeds.json"
PROFILE = "h200"  # the dry profile of that card
MEASURED = ("peak", "categories", "steps")


def measure(document, runs, path):
    """Run the document's grids on this machine's GPU and write the figures that pages show."""
    told = {"device": None, "grids": {}}
    for name in document.grids:
        cells = runs.grid(name, "device=cuda").cells
        manifest = json.loads((next(iter(cells.values())).folder / "manifest.json").read_text())
        told["device"] = {key: manifest[key] for key in ("device", "begin_time", "torch")}
        told["device"]["torch"] = told["device"]["torch"]["version"]
        told["grids"][name] = {label: {key: cell.summary[key] for key in MEASURED} for label, cell in cells.items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(told, indent=1) + "\n")


def beside(document, runs, folder=FOLDER, recorded=RECORDED):
    """Return the block `on-the-card` of a page: the peaks of its configurations on the recorded
    card, and of its grids if a card has run them."""
    parts = [configurations(document, runs, json.loads(recorded.read_text()))]
    path = folder / document.number / "card.json"
    if path.exists():
        parts.append(grids(document, runs, json.loads(path.read_text())))
    return "\n\n".join(parts)


def configurations(document, runs, told):
    """Return a row for one run of each configuration."""
    rows = []
    for measured in told["runs"]:
        if measured["config"].startswith(document.number):
            dry = runs.run(measured["config"], "--dry", PROFILE, *measured["overrides"])
            label = " ".join([measured["config"], *measured["overrides"]])
            rows.append(row(label, (dry.peak, measured["allocated"]), (dry.reserved_at_peak, measured["reserved"])))
    head = f"`strata run configs/seeds/NAME.yaml` on an {told['device']}, driver {told['driver']}, torch {told['torch']}, {told['date']}, and with `--dry {PROFILE}`: the most that was allocated, and what was reserved then; MiB."
    return head + "\n\n" + table(header("configuration"), rows)


def grids(document, runs, told):
    """Return a row for each cell of the page's grids."""
    rows = []
    for name, profile in document.grids.items():
        dry = runs.grid(name, "--dry", profile)
        for label, summary in told["grids"][name].items():
            measured = Cell(summary)
            rows.append(row(label, (dry[label].peak, measured.peak), (dry[label].reserved, measured.reserved)))
    device = told["device"]
    head = f"The grids on {device['device']} with torch {device['torch']}, {device['begin_time'][:10]}; MiB."
    return head + "\n\n" + table(header("cell"), rows)


def header(what):
    return [what, "allocated, dry", "on the card", "difference", "reserved, dry", "on the card", "difference"]


def row(label, allocated, reserved):
    """Return a row. `allocated` and `reserved` are pairs: on the dry card, on the card."""
    cells = [label]
    for simulated, measured in (allocated, reserved):
        cells += [mib(simulated), mib(measured), difference(measured / MIB, simulated / MIB)]
    return cells
