# SPDX-License-Identifier: Apache-2.0
"""docs/seeds/003/galore_memory_analysis.ipynb runs from its first cell to its last on the grid that
it names, and prints the same."""

import pathlib
import sys

import pytest

nbformat = pytest.importorskip("nbformat", reason="nbformat: third_party/requirements-workloads.txt")
nbclient = pytest.importorskip("nbclient", reason="nbclient: third_party/requirements-workloads.txt")
for needed in ("ipykernel", "matplotlib", "pandas"):
    pytest.importorskip(needed, reason=f"{needed}: third_party/requirements-workloads.txt")

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tools/seeds"))

from runs import Runs  # noqa: E402

NOTEBOOK = REPOSITORY / "docs/seeds/003/galore_memory_analysis.ipynb"


def printed(notebook):
    """Return each cell's output as text: tables to the last digit; for a picture only that there is
    one."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    return [output["data"]["text/plain"] for output in outputs if output["output_type"] in ("execute_result", "display_data")]


def test_it_runs_and_says_what_it_said(tmp_path, monkeypatch):
    runs = Runs(REPOSITORY, tmp_path)
    monkeypatch.setenv("GRID", str(runs.grid("003", "--dry", "a100-40gb").folder))
    notebook = nbformat.read(NOTEBOOK, 4)
    before = printed(notebook)
    assert len(before) == 8
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    assert printed(notebook) == before
