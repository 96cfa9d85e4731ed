# SPDX-License-Identifier: Apache-2.0
"""A card's measurements appear beside the dry figures: here an invented card that needed half as
much again."""

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
        peak = {"allocated_bytes": mebibytes * MIB, "reserved_bytes": (mebibytes + 1) * MIB}
        self.cells = {"adam": Cell({"peak": peak, "categories": {}, "steps": steps}, folder)}

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

    def run(self, configuration, *words):
        assert (configuration, words) == ("009-small", ("--dry", "h200", "mode=forward"))
        return Grid(self.folder, 30)["adam"]


RECORDED = {
    "device": "NVIDIA H200",
    "driver": "580.1",
    "torch": "2.11.0",
    "date": "2026-11-28",
    "runs": [
        {"config": "009-small", "overrides": ["mode=forward"], "allocated": 31 * MIB, "reserved": 32 * MIB},
        {"config": "008-other", "overrides": [], "allocated": 1, "reserved": 1},
    ],
}


def test_a_page_holds_both(tmp_path):
    (tmp_path / "seeds.json").write_text(json.dumps(RECORDED))
    runs = TwoMachines(tmp_path)

    def told():
        return card.beside(DOCUMENT, runs, tmp_path, tmp_path / "seeds.json")

    assert "NVIDIA H200, driver 580.1, torch 2.11.0, 2026-11-28" in told()
    assert "| 009-small mode=forward | 30.0 | 31.0 | +1.0 | 31.0 | 32.0 | +1.0 |" in told()
    assert "008" not in told() and "cuda:0" not in told()
    card.measure(DOCUMENT, runs, tmp_path / "009/card.json")
    assert "The grids on cuda:0 with torch 2.11.0, 2026-11-23" in told()
    assert "| adam | 100.0 | 150.0 | +50.0 | 102.0 | 152.0 | +50.0 |" in told()
