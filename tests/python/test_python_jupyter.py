# SPDX-License-Identifier: Apache-2.0
"""`%%strata` in a notebook: a cell is recorded, and its run is shown below it."""

import re

import pytest

from program_folder import PACKAGE

nbformat = pytest.importorskip("nbformat", reason="nbformat: third_party/requirements-workloads.txt")
nbclient = pytest.importorskip("nbclient", reason="nbclient: third_party/requirements-workloads.txt")

LOAD = f"import sys; sys.path.insert(0, {str(PACKAGE)!r})\n%load_ext strata_profiler"
TRAIN = """import torch
model = torch.nn.Linear(64, 64)
optimizer = torch.optim.AdamW(model.parameters())
for _ in range(3):
    model(torch.randn(8, 64)).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
"""


@pytest.fixture(scope="module")
def cells(tmp_path_factory):
    folder = tmp_path_factory.mktemp("notebook")
    texts = [
        LOAD,
        f"%%strata {folder}/run --page\n{TRAIN}",
        "len(_strata_run.steps()), model.in_features",
        f"%%strata {folder}/failed\ntorch.ones(1000)\nraise KeyError('mine')",
        "_strata_run.directory.name",
        f"%%strata {folder}/idle\n1",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in texts])
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", allow_errors=True).execute()
    return notebook.cells


def html(cell):
    return [output["data"]["text/html"] for output in cell.outputs if "text/html" in output.get("data", {})]


def test_the_run_and_its_page_are_shown(cells):
    peak, page = html(cells[1])
    assert re.search(r"peak [\d.]+ MiB", peak) and "Optimizer_State" in peak and "<iframe srcdoc=" in page


def test_its_tables_and_what_the_cell_made_are_there_afterwards(cells):
    assert cells[2].outputs[0]["data"]["text/plain"] == "(3, 64)"


def test_a_cell_that_fails_shows_its_run_and_fails_once(cells):
    assert len(html(cells[3])) == 1
    errors = [output for output in cells[3].outputs if output.output_type == "error"]
    assert [error["ename"] for error in errors] == ["KeyError"]
    assert cells[4].outputs[0]["data"]["text/plain"] == "'failed'"


def test_a_cell_that_allocates_nothing_says_so(cells):
    assert "nothing was recorded" in cells[5].outputs[0]["text"] and html(cells[5]) == []
