# SPDX-License-Identifier: Apache-2.0
"""What a card measured, of the grids that the pages run dry: kept beside a page, and shown next to the dry figures."""

import json
import pathlib

from cell import Cell
from tables import difference, mib, table

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "docs/seeds"
MEASURED = ("peak", "categories", "steps")


def measure(document, runs, path):
    """Runs the document's grids on this machine's GPU and writes what pages show of them."""
    told = {"device": None, "grids": {}}
    for name in document.grids:
        cells = runs.grid(name, "device=cuda").cells
        manifest = json.loads((next(iter(cells.values())).folder / "manifest.json").read_text())
        told["device"] = {key: manifest[key] for key in ("device", "begin_time", "torch")}
        told["device"]["torch"] = told["device"]["torch"]["version"]
        told["grids"][name] = {label: {key: cell.summary[key] for key in MEASURED} for label, cell in cells.items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(told, indent=1) + "\n")


def beside(document, runs, folder=FOLDER):
    """The block `card` of a page: the peaks of each cell, dry and on a card, or that none has run it."""
    path = folder / document.number / "card.json"
    if not path.exists():
        return (
            f"Not run on a card yet. `./dev seeds {document.number} --card`, on a machine with a GPU, runs the same grids on it and puts its\n"
            "peaks here, beside the dry ones."
        )
    told = json.loads(path.read_text())
    rows = []
    for name, profile in document.grids.items():
        dry = runs.grid(name, "--dry", profile)
        for label, summary in told["grids"][name].items():
            measured = Cell(summary)
            rows.append(
                [
                    label,
                    mib(dry[label].peak),
                    mib(measured.peak),
                    difference(measured.peak / 2**20, dry[label].peak / 2**20),
                    mib(dry[label].reserved),
                    mib(measured.reserved),
                    difference(measured.reserved / 2**20, dry[label].reserved / 2**20),
                ]
            )
    device = told["device"]
    head = f"Measured on {device['device']} with torch {device['torch']}, {device['begin_time'][:10]}; MiB."
    header = ["cell", "allocated, dry", "on the card", "difference", "reserved, dry", "on the card", "difference"]
    return head + "\n\n" + table(header, rows)
