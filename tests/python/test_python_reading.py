# SPDX-License-Identifier: Apache-2.0
"""strata.open(): a recorded run as dictionaries, tables and a page."""

import json
import sys

import nbclient
import nbformat
import pytest
import strata_profiler as strata
from training_programs import ATTACHED

from program_folder import PACKAGE


@pytest.fixture(scope="module")
def folder(module_programs):
    module_programs.write("train.py", ATTACHED)
    module_programs.exec("train.py", "cuda", options=["--dry", "a100-40gb"])
    return module_programs.folder / "out"


@pytest.fixture
def run(folder):
    return strata.open(folder)


@pytest.mark.smoke
def test_the_summary_and_the_peak(run, folder):
    assert run.summary == json.loads((folder / "summary.json").read_text())
    assert run.peak_bytes == run.peak["allocated_bytes"] == sum(run.peak["categories"].values())
    assert "MiB on cuda:0" in repr(run)


def test_steps(run):
    steps = run.steps()
    assert list(steps["index"]) == [0, 1, 2, 3]
    assert steps["peak_allocated_bytes"].max() == run.peak_bytes
    peaks = steps[[column for column in steps if column.startswith("peak.")]]
    assert list(peaks.sum(axis=1)) == list(steps["peak_allocated_bytes"])


def test_categories_add_up(run):
    categories = run.categories()
    assert list(categories.index) == ["mean", "min", "median", "max", "mean_over_time", "at_peak"]
    at_peak = categories.loc["at_peak"]
    assert at_peak.drop("Allocated").sum() == at_peak["Allocated"] == run.peak_bytes


def test_allocations(run):
    blocks = run.allocations()
    weights = blocks[(blocks["category"] == "Parameter") & (blocks["owner"] == "0.weight")]
    assert len(weights) == 1 and weights["bytes"].item() == 64 * 256 * 4 and weights["shape"].item() == "256x64"
    assert blocks["death_sequence"].isna().any() and blocks["owner"].notna().all()


def test_the_timelines_highest_point_is_the_peak(run):
    timeline = run.timeline()
    assert timeline["Allocated"].max() == run.peak_bytes
    assert timeline["time_ns"].is_monotonic_increasing


def test_layers(run):
    layers = run.layers()
    assert set(layers["path"]) >= {"", "0", "2"}
    assert layers.loc[layers["path"] == "", "bytes"].item() == run.peak_bytes


@pytest.mark.parametrize("table", ["steps", "categories", "allocations", "timeline", "layers"])
def test_arrow_has_what_pandas_has(run, table):
    pandas, arrow = getattr(run, table)(), getattr(run, table)(to="arrow")
    frame = pandas.reset_index() if table == "categories" else pandas
    assert arrow.column_names == list(frame.columns)
    assert arrow.num_rows == len(frame)
    for column in arrow.column_names:
        assert [value if value == value else None for value in arrow[column].to_pylist()] == [
            value if value == value else None for value in frame[column].tolist()
        ], column


@pytest.mark.parametrize(("to", "package"), [("pandas", "pandas"), ("arrow", "pyarrow")])
def test_a_library_that_is_not_there_is_named(run, monkeypatch, to, package):
    for module in ("pandas", "pyarrow"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(RuntimeError, match=f"pip install {package}"):
        run.steps(to=to)


def test_a_form_that_is_none_is_refused(run):
    with pytest.raises(RuntimeError, match='expected "pandas" or "arrow"'):
        run.steps(to="polars")


def test_another_device_has_its_own(folder):
    assert strata.open(folder, device="cpu").summary["device"] == "cpu"


def hostile(folder, name):
    if name == "no folder":
        return folder / "missing"
    if name == "a file":
        (folder / "file").write_text("text")
        return folder / "file"
    run = folder / name.replace(" ", "_")
    (run / "rank0").mkdir(parents=True)
    if name == "a store that is none":
        (run / "rank0/12.sqlite").write_text("no database")
    if name == "a summary that is none":
        (run / "summary.json").write_text("{")
    return run


@pytest.mark.parametrize("name", ["no folder", "a file", "no store", "a store that is none", "a summary that is none"])
def test_what_is_no_run_is_refused_in_one_message(tmp_path, name):
    run = hostile(tmp_path, name)
    with pytest.raises(strata.RunError, match=run.name) as refused:
        strata.open(run)
    assert "Traceback" not in str(refused.value)


def test_a_store_that_is_gone(folder, tmp_path):
    (tmp_path / "summary.json").write_text((folder / "summary.json").read_text())
    run = strata.open(tmp_path)
    assert run.peak_bytes > 0
    with pytest.raises(strata.RunError):
        run.allocations()


def test_a_notebook_shows_run_and_page(folder):
    notebook = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_code_cell(f"import sys; sys.path.insert(0, {str(PACKAGE)!r}); import strata_profiler as strata; run = strata.open({str(folder)!r}); run"),
            nbformat.v4.new_code_cell("run.report()"),
            nbformat.v4.new_code_cell("run.steps().shape"),
        ]
    )
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    shown = [cell.outputs[0]["data"] for cell in notebook.cells]
    assert "Parameter" in shown[0]["text/html"] and "MiB" in shown[0]["text/html"]
    assert "<iframe srcdoc=" in shown[1]["text/html"] and "strata" in shown[1]["text/html"]
    assert shown[2]["text/plain"].startswith("(4, ")
