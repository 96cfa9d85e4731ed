# SPDX-License-Identifier: Apache-2.0
"""Grids of real, small dry runs: each cell is a process, there is one table, and interruptions do
not change the result."""

import csv
import io
import json
import time

import pytest

GRID = """\
grid: 1
name: tiny
base:
  model: {size: custom, layers: 1, d_model: 32, d_ff: 64, heads: 2, vocab: 256, context: 32}
  data: {source: synthetic, batch_size: 2}
  schedule: {wait: 0, warmup: 0, active: 2}
  device: {dry: h100-80gb, clock: modelled}
axes:
  model.layers: [1, 2]
  optimizer: [{name: adamw}, {name: sgd}]
plugins: [allocator_tracer]
"""


@pytest.fixture
def grid(workspace):
    workspace.write("g.yaml", GRID)
    return workspace


def status(workspace, folder="out"):
    result = workspace.strata("grid", "status", folder, "--json")
    assert result.returncode == 0, result.stderr
    return {cell["id"]: cell for cell in json.loads(result.stdout)["cells"]}


def table(workspace, folder="out"):
    """Return every number that does not depend on this machine's speed."""
    result = workspace.strata(
        "grid", "export", folder, "--columns", "id,model.layers,optimizer,status,parameters,peak_allocated,peak_reserved,peak_requested"
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def finished_grid(tmp_path_factory):
    from workspaces import Workspace

    workspace = Workspace(tmp_path_factory.mktemp("grid"))
    workspace.write("g.yaml", GRID)
    workspace.result = workspace.strata("grid", "run", "g.yaml", "--out", "out")
    assert workspace.result.returncode == 0, workspace.result.stderr
    return workspace


@pytest.mark.smoke
def test_every_cell_is_run_and_in_the_table(finished_grid):
    cells = status(finished_grid)
    assert [cell["status"] for cell in cells.values()] == ["ok"] * 4
    assert "4 of 4 cells" in finished_grid.result.stdout
    rows = list(csv.DictReader(io.StringIO(table(finished_grid))))
    assert [row["id"] for row in rows] == list(cells)
    assert [(row["model.layers"], row["optimizer"]) for row in rows] == [("1", "adamw"), ("1", "sgd"), ("2", "adamw"), ("2", "sgd")]
    peaks = [int(row["peak_allocated_bytes"]) for row in rows]
    assert peaks[0] > peaks[1] and peaks[2] > peaks[3] and peaks[2] > peaks[0]


def test_a_cell_is_what_the_same_run_alone_is(finished_grid):
    """Running its configuration by hand gives the same bytes."""
    cell = next(iter(status(finished_grid).values()))
    alone = finished_grid.strata("run", f"out/cells/{cell['id']}/config.yaml", "--out", "alone", "--json")
    assert alone.returncode == 0, alone.stderr
    assert json.loads(alone.stdout)["peak"]["allocated_bytes"] == cell["measures"]["peak_allocated"]


def test_a_grid_is_not_reported_as_a_run(finished_grid):
    result = finished_grid.strata("report", "out")
    assert (result.returncode, result.stdout) == (2, "")
    assert "out is a grid, not a run: `strata grid report out` shows its table" in result.stderr


def test_what_is_finished_is_not_run_again(finished_grid):
    before = {id: cell["ended"] for id, cell in status(finished_grid).items()}
    for command in (("resume", "out"), ("run", "g.yaml", "--out", "out")):
        result = finished_grid.strata("grid", *command)
        assert result.returncode == 0, result.stderr
        assert "0 of 4 cells to run" in result.stderr
    assert {id: cell["ended"] for id, cell in status(finished_grid).items()} == before


def test_a_grid_that_changed_runs_what_is_new(grid):
    assert grid.strata("grid", "run", "g.yaml", "--out", "out", "optimizer={name: sgd}").returncode == 0
    result = grid.strata("grid", "run", "g.yaml", "--out", "out", "optimizer={name: sgd}", "model.layers=[2, 3]")
    assert result.returncode == 0, result.stderr
    assert "1 cells are in both, 1 are new, 1 are no longer in it" in result.stderr
    assert "1 of 2 cells to run" in result.stderr


def test_plan_shows_what_will_be_run(grid):
    result = grid.strata("grid", "plan", "g.yaml", "model.layers=1", "--json")
    assert result.returncode == 0, result.stderr
    plan = json.loads(result.stdout)
    assert [cell["optimizer"] for cell in plan["cells"]] == ["adamw", "sgd"]
    assert all(cell["parameters"] > 10_000 for cell in plan["cells"])
    assert grid.names() == ["g.yaml"]  # no other file is left
    assert grid.strata("grid", "run", "g.yaml", "model.layers=1", "--out", "out").returncode == 0
    for cell in plan["cells"]:
        assert cell["predicted_peak_bytes"] == status(grid)[cell["id"]]["measures"]["peak_allocated"]


def test_plan_says_all_that_is_wrong_at_once(grid):
    grid.write("g.yaml", GRID.replace("[1, 2]", "[1, -2]") + "limits: {timeout: soon}\nset: {accumulation: 0}\n")
    for command in ("plan", "run"):
        result = grid.strata("grid", command, "g.yaml")
        assert result.returncode == 2
        assert "g.yaml:12:19: limits.timeout: expected a time" in result.stderr
        assert "g.yaml:13:21: accumulation: expected an integer" in result.stderr
        assert "g.yaml:9:21: model.layers: expected an integer" in result.stderr
        assert "(in 2 cells, such as model.layers=-2 optimizer=adamw)" in result.stderr
    assert grid.names() == ["g.yaml"]


def test_out_of_memory_is_a_result(grid):
    result = grid.strata(
        "grid", "run", "g.yaml", "--out", "out", "optimizer={name: sgd}", "model.layers=1", "data.batch_size=[2, 500000, 1000000]", "model.vocab=8192",
        "limits.skip_dominated=[data.batch_size]", "engine.slots=1",
    )
    assert result.returncode == 0, result.stderr
    cells = list(status(grid).values())
    assert [cell["status"] for cell in cells] == ["ok", "oom", "skipped"]
    assert "requested" in cells[1]["reason"] and "MiB" in cells[1]["reason"]
    assert cells[2]["dominated_by"] == cells[1]["id"]
    again = grid.strata("grid", "retry", "out", "--status", "oom", "--json")
    assert again.returncode == 0, again.stderr
    assert [cell["attempt"] for cell in json.loads(again.stdout)["cells"]] == [1, 2, 0]


def test_a_cell_that_fails_says_why_and_the_others_go_on(grid):
    # The data disappears between the plan and the run.
    grid.write("words.txt", "x" * 4000)
    arguments = ["data={source: text, path: words.txt, batch_size: 2}", "optimizer={name: sgd}"]
    assert grid.strata("grid", "run", "g.yaml", "--out", "out", "model.layers=1", *arguments).returncode == 0
    (grid.folder / "words.txt").unlink()
    result = grid.strata("grid", "retry", "out", "--status", "ok")
    assert result.returncode == 1
    (cell,) = status(grid).values()
    assert cell["status"] == "failed" and "words.txt" in cell["reason"]


def test_two_grids_do_not_write_one_folder(grid):
    first = grid.start("grid", "run", "g.yaml", "--out", "out")
    try:
        while "being written by process" not in grid.strata("grid", "status", "out").stdout:
            assert first.poll() is None
            time.sleep(0.05)
        for command in (("run", "g.yaml", "--out", "out"), ("resume", "out"), ("retry", "out")):
            second = grid.strata("grid", *command)
            assert second.returncode == 2
            assert f"is being written by process {first.pid}" in second.stderr
    finally:
        first.communicate(timeout=300)
    assert first.returncode == 0
    assert {cell["status"] for cell in status(grid).values()} == {"ok"}


def test_a_folder_of_something_else_is_left_alone(grid):
    (grid.folder / "mine").mkdir()
    (grid.folder / "mine/thesis.txt").write_text("x")
    result = grid.strata("grid", "run", "g.yaml", "--out", "mine")
    assert result.returncode == 2 and "contains no grid" in result.stderr
    result = grid.strata("grid", "resume", "mine")
    assert result.returncode == 2 and "contains no grid" in result.stderr


def test_the_report_takes_seeds_together_and_draws(grid):
    assert grid.strata("grid", "run", "g.yaml", "--out", "out", "model.layers=1", "repeats=2").returncode == 0
    columns = "id,model.layers,optimizer,seed,status,step_time,modelled_step_time"
    result = grid.strata("grid", "report", "out", "--format", "svg,png", "--columns", columns)
    assert result.returncode == 0, result.stderr
    files = result.stdout.splitlines()
    assert files[-1].endswith("report.html")
    page = (grid.folder / "out/report/report.html").read_text()
    assert page.count("<img") == 2 and "http" not in page.replace("http://www.w3.org", "")
    assert (grid.folder / "out/report/pareto.png").read_bytes().startswith(b"\x89PNG")
    assert "no heat map" in result.stderr
    rows = list(csv.DictReader(io.StringIO((grid.folder / "out/report/table.csv").read_text())))
    assert [row["cells"] for row in rows] == ["2", "2"]
    each = list(csv.DictReader(io.StringIO(grid.strata("grid", "export", "out", "--each", "--columns", columns).stdout)))
    assert [row["seed"] for row in each] == ["0", "1", "0", "1"]
    steps = sorted(int(row["step_time_ns"]) for row in each[:2])
    assert [int(rows[0]["step_time_ns_least"]), int(rows[0]["step_time_ns_most"])] == steps
    assert int(rows[0]["modelled_step_time_ns"]) > 0


def test_the_time_of_a_dry_cells_host_is_not_compared(grid):
    """Such cells cannot show which of two optimizers is faster; a device with a modelled clock can.
    No picture shows both."""
    grid.write("g.yaml", GRID.replace(", clock: modelled", ""))
    assert grid.strata("grid", "run", "g.yaml", "--out", "out", "model.layers=1").returncode == 0
    result = grid.strata("grid", "report", "out")
    assert result.returncode == 0, result.stderr
    assert "step_time" not in result.stdout and not (grid.folder / "out/report/pareto.svg").exists()
    assert "use --clock modelled to model the device's time" in result.stderr


def planned_with(grid, peaks, *words):
    """A planned grid whose cells ended with these peaks, in the plan's order, written to their
    files; None means the cell failed."""
    lines = grid.strata("grid", "run", "g.yaml", "--engine", "manifest", "--out", "out", *words).stdout.splitlines()
    assert len(lines) == len(peaks)
    for line, peak in zip(lines, peaks):
        id = line.split()[-1]
        state = {"schema": "strata.cell/1", "id": id, "status": "failed" if peak is None else "ok", "attempt": 1}
        if peak is not None:
            state.update(measured=True, measures={"peak_allocated": peak, "step_time": peak * 10})
        (grid.folder / f"out/cells/{id}/state.json").write_text(json.dumps(state))


def rows_of(grid, *words):
    result = grid.strata("grid", "report", "out", *words)
    assert result.returncode == 0, result.stderr
    return list(csv.DictReader(io.StringIO((grid.folder / "out/report/table.csv").read_text())))


SPREAD = ("peak_allocated_bytes", "peak_allocated_bytes_least", "peak_allocated_bytes_most", "step_time_ns", "cells")


def test_seeds_are_one_row_with_median_and_spread_and_a_failure_is_none_of_them(grid):
    planned_with(grid, [30, 10, 50, 100, None, 300], "model.layers=1", "seeds=[4, 8, 2]")
    rows = rows_of(grid)
    assert [(row["optimizer"], row["status"]) for row in rows] == [("adamw", "ok"), ("sgd", "ok"), ("sgd", "failed")]
    assert [tuple(row[name] for name in SPREAD) for row in rows] == [
        ("30", "10", "50", "300", "3"),
        ("200", "100", "300", "2000", "2"),
        ("", "", "", "", "1"),
    ]
    assert not {"seed", "id"} & set(rows[0])
    # Both the terminal and the page show it.
    shown = grid.strata("grid", "report", "out", "--columns", "optimizer,step_time,peak_allocated").stdout.splitlines()
    assert shown[0].split() == ["optimizer", "step_time", "ms", "peak_allocated", "MiB", "cells"]
    assert len(shown[: shown.index("")]) == 4
    assert "<td>adamw</td>" in (grid.folder / "out/report/report.html").read_text()


def test_cells_are_grouped_by_what_is_asked_for(grid):
    planned_with(grid, [100, 300, 1000, 3000, 200, 400, 2000, 4000], "seeds=[0, 1]")
    rows = rows_of(grid, "--group-by", "optimizer")
    assert [tuple(row[name] for name in ("optimizer", *SPREAD)) for row in rows] == [
        ("adamw", "250", "100", "400", "2500", "4"),
        ("sgd", "2500", "1000", "4000", "25000", "4"),
    ]
    assert "model.layers" not in rows[0]
    rows = rows_of(grid, "--group-by", "model.layers,seed")
    assert [(row["model.layers"], row["seed"], row["peak_allocated_bytes"], row["cells"]) for row in rows] == [
        ("1", "0", "550", "2"), ("1", "1", "1650", "2"), ("2", "0", "1100", "2"), ("2", "1", "2200", "2"),
    ]
    assert [row["peak_allocated_bytes"] for row in rows_of(grid, "--each")] == [
        "100", "300", "1000", "3000", "200", "400", "2000", "4000",
    ]
    refused = grid.strata("grid", "report", "out", "--group-by", "optimiser")
    assert refused.returncode == 2 and "--group-by optimiser: the table has no such column" in refused.stderr


def test_the_report_has_any_column_and_a_heat_map(finished_grid):
    result = finished_grid.strata(
        "grid", "report", "out", "--columns", "id,optimizer.lr,peak.categories.Parameter,peak_allocated", "--heat", "model.layers,optimizer",
        "--out", "here",
    )
    assert result.returncode == 0, result.stderr
    assert "peak.categories.Parameter MiB" in result.stdout
    assert {path.name for path in (finished_grid.folder / "here").iterdir()} == {
        "table.csv", "table.md", "table.json", "heat.svg", "pareto.svg", "timelines.svg", "report.html",
    }
    result = finished_grid.strata("grid", "report", "out", "--columns", "peek")
    assert result.returncode == 2 and "no cell has a column 'peek'" in result.stderr


def test_two_cells_side_by_side(finished_grid):
    ids = list(status(finished_grid))
    result = finished_grid.strata("grid", "report", "out", "--pair", f"{ids[0]},{ids[2]}", "--out", "pair")
    assert result.returncode == 0, result.stderr
    page = (finished_grid.folder / "pair/report.html").read_text()
    assert "Two cells side by side" in page and "<td>model.layers</td><td>1</td><td>2</td>" in page
