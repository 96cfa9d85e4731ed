# SPDX-License-Identifier: Apache-2.0
"""What a card measured stands beside the dry figures: here a made-up card, which needed half as much again."""

import json
import pathlib
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tools/seeds"))

import card  # noqa: E402
from cell import Cell  # noqa: E402
from document import Document  # noqa: E402

MIB = 1 << 20
DOCUMENT = Document("009", {"grid": "h200"})


class Grid:
    command = ""

    def __init__(self, folder, mebibytes):
        steps = [{"peak_reserved_bytes": mebibytes * MIB + 2 * MIB}]
        self.cells = {"adam": Cell({"peak": {"allocated_bytes": mebibytes * MIB}, "categories": {}, "steps": steps}, folder)}

    def __getitem__(self, label):
        return self.cells[label]


class TwoMachines:
    def __init__(self, folder):
        self.folder = folder
        told = {"device": "cuda:0", "begin_time": "2026-11-23T00:00:00Z", "torch": {"version": "2.11.0"}}
        (folder / "manifest.json").write_text(json.dumps(told))

    def grid(self, name, *words):
        assert (name, words) in (("grid", ("device=cuda",)), ("grid", ("--dry", "h200")))
        return Grid(self.folder, 150 if words == ("device=cuda",) else 100)


def test_a_page_holds_both(tmp_path):
    runs = TwoMachines(tmp_path)
    assert "Not run on a card yet" in card.beside(DOCUMENT, runs, tmp_path)
    card.measure(DOCUMENT, runs, tmp_path / "009/card.json")
    told = card.beside(DOCUMENT, runs, tmp_path)
    assert "Measured on cuda:0 with torch 2.11.0, 2026-11-23" in told
    assert "| adam | 100.0 | 150.0 | +50.0 | 102.0 | 152.0 | +50.0 |" in told
