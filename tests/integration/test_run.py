# SPDX-License-Identifier: Apache-2.0
"""A run from its YAML to its results."""

import json
import subprocess

import pytest


@pytest.mark.smoke
def test_leaves_a_whole_run(finished):
    assert finished.result.returncode == 0, finished.result.stderr
    out = finished.folder / "out"
    names = {path.name for path in out.iterdir()}
    assert {"config.yaml", "manifest.json", "summary.json", "report.html", "rank0"} <= names
    assert not [path for path in out.rglob("*") if path.suffix == ".part"]
    assert list((out / "rank0").glob("*.sqlite"))


def test_the_last_line_is_the_reports_path(finished):
    last = finished.result.stdout.rstrip("\n").split("\n")[-1]
    assert last == str(finished.folder / "out/report.html")


def test_the_table_names_the_categories(finished):
    for category in ("Parameter", "Optimizer_State", "Gradient", "Activation"):
        assert category in finished.result.stdout


def test_progress_goes_to_standard_error_in_plain_lines(finished):
    assert "step 3/3" in finished.result.stderr
    assert "\x1b" not in finished.result.stderr + finished.result.stdout
    assert "\r" not in finished.result.stderr


def test_the_summary_is_of_the_window(finished):
    summary = json.loads((finished.folder / "out/summary.json").read_text())
    assert summary["window"] == {"first_step": 1, "last_step": 2}
    assert [step["index"] for step in summary["steps"]] == [0, 1, 2]
    assert summary["throughput"]["unit"] == "tokens" and summary["throughput"]["per_second"] > 0
    assert summary["peak"]["allocated_bytes"] > 0
    assert summary["peak"]["categories"]["Unknown"] == 0
    assert [plugin["status"] for plugin in summary["plugins"]] == ["ok"] * len(summary["plugins"])
    assert "allocator_tracer" in [plugin["id"] for plugin in summary["plugins"]]


def test_the_resolved_configuration_runs_again(finished, workspace):
    result = workspace.strata("run", finished.folder / "out/config.yaml", "--out", "again")
    assert result.returncode == 0, result.stderr
    once = (finished.folder / "out/config.yaml").read_text()
    assert (workspace.folder / "again/config.yaml").read_text() == once


def test_json_is_the_summary_and_nothing_else(tiny):
    result = tiny.strata("run", "tiny.yaml", "--out", "out", "--json")
    assert result.returncode == 0, result.stderr
    assert result.stdout == (tiny.folder / "out/summary.json").read_text()
    assert json.loads(result.stdout)["measured"] is True


def test_the_default_folder_is_named_by_run_and_time(tiny):
    for _ in range(2):
        assert tiny.strata("run", "tiny.yaml", "name=mine").returncode == 0
    runs = list((tiny.folder / "runs/mine").iterdir())
    assert len(runs) == 2
    assert all(run.name[8] == "T" for run in runs)


def test_plugins_do_not_change_the_training(tiny):
    def losses(out, *overrides):
        result = tiny.strata("run", "tiny.yaml", "schedule.active=5", "--out", out, *overrides)
        assert result.returncode == 0, result.stderr
        rows = tiny.query(out, "SELECT step, loss FROM step ORDER BY step")
        assert len(rows) == 6
        return rows  # values are doubles: equal to the bit

    detached = losses("detached", "plugins=[]")
    assert losses("attached") == detached
    assert losses("everything", "trace.saved_tensors=true", "trace.cross_check=true") == detached


def test_without_plugins_there_is_a_report_too(tiny):
    result = tiny.strata("run", "tiny.yaml", "plugins=[]", "--json")
    assert result.returncode == 0, result.stderr
    assert len(json.loads(result.stdout)["steps"]) == 3


def test_a_terminal_gets_a_bar_and_colour(tiny):
    def run_in_terminal(**environment):
        command = " ".join(tiny.command("run", "tiny.yaml"))
        return subprocess.run(
            ["script", "-qec", command, "/dev/null"],
            cwd=tiny.folder,
            env={"PATH": "/usr/bin:/bin", "TERM": "xterm", **environment},
            capture_output=True,
            text=True,
            timeout=400,
        ).stdout

    coloured = run_in_terminal()
    assert "[########################] step 3/3" in coloured
    assert "\x1b[3" in coloured
    plain = run_in_terminal(NO_COLOR="1").replace("\x1b[K", "")  # the code that clears the line
    assert "\x1b" not in plain


def test_a_closed_standard_output_is_a_failure_that_is_said(tiny):
    with open("/dev/full", "w") as full:
        result = subprocess.run(
            tiny.command("run", "tiny.yaml", "--json"),
            cwd=tiny.folder,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=400,
        )
    assert result.returncode == 1
    assert "cannot write to standard output" in result.stderr


def test_a_configuration_that_strata_brings_along_is_found_anywhere(workspace):
    found = workspace.strata("run", "configs/first_run.yaml", "--dry", "h100-80gb", "schedule.active=1", "--out", "out")
    assert found.returncode == 0, found.stderr
    workspace.write("grid.yaml", "grid: 1\nbase: configs/first_run.yaml\naxes:\n  optimizer.lr: [1e-3, 2e-3]\n")
    planned = workspace.strata("grid", "plan", "grid.yaml")
    assert planned.returncode == 0, planned.stderr
    (workspace.folder / "configs").mkdir()
    workspace.write("configs/first_run.yaml", "model: {size: none}\n")
    refused = workspace.strata("run", "configs/first_run.yaml")
    assert refused.returncode == 2 and "configs/first_run.yaml:1:15" in refused.stderr, "one's own file wins"
    missing = workspace.strata("run", "configs/nothing.yaml")
    assert missing.returncode == 2 and "configs/nothing.yaml: no such file" in missing.stderr
