# SPDX-License-Identifier: Apache-2.0
"""torch.profiler in the same process, on the dry GPU: the second tool to start gets a message, and
nothing crashes."""

import contextlib
import json
import os
import pathlib
import sqlite3
import subprocess
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
STRATA = pathlib.Path(os.environ.get("STRATA") or REPOSITORY / "build/release/bin/strata")
TESTS = STRATA.parents[1] / "tests"
PROGRAM = pathlib.Path(__file__).with_name("profiled_program.py")


def record(tmp_path, order):
    """Return (device events of each torch.profiler, the source in the manifest, the row of
    cupti_capture, recorded kernels, stderr)."""
    folder = tmp_path / "run"
    folder.mkdir()
    words = [sys.executable, PROGRAM, TESTS / "record_devices.so", TESTS / "sources_cupti/plugins/activity_writer.so"]
    result = subprocess.run(
        [STRATA, "exec", "--plugins", "none", "--dry", "h100-80gb", "--clock", "modelled", "--", *words, folder, order],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert result.returncode == 0, result.stderr
    (source,) = [each for each in json.loads((folder / "manifest.json").read_text())["sources"] if each["id"] == "cupti"]
    (store,) = (folder / "rank0").glob("*.sqlite")
    with contextlib.closing(sqlite3.connect(store)) as database:
        database.row_factory = sqlite3.Row
        (row,) = database.execute("SELECT c.*, string.text AS why FROM cupti_capture AS c JOIN string ON string.id = c.reason")
        ((kernels,),) = database.execute("SELECT count(*) FROM activity_writer_activity WHERE kind = 1")
    return json.loads(result.stdout.splitlines()[-1]), source, dict(row), kernels, result.stderr


def test_alone_every_launch_has_its_kernel(tmp_path):
    _, source, row, kernels, errors = record(tmp_path, "alone")
    assert "torch.profiler" not in errors
    assert source["status"] == "ok"
    assert (row["regime"], row["modelled"]) == (1, 1)
    assert row["launches"] == row["answered_launches"] == kernels > 4
    assert row["dropped"] == row["without_call"] == row["without_times"] == 0


def test_torch_profiler_came_first(tmp_path):
    events, source, row, kernels, errors = record(tmp_path, "first")
    assert events[0] > 0
    assert source["status"] == "ok", "what NVTX tells remains"
    assert (row["regime"], kernels) == (3, 0)
    assert "torch.profiler (Kineto)" in row["why"]
    assert "no device activity is recorded: another tool in this process uses CUPTI" in errors


def test_torch_profiler_comes_later(tmp_path):
    events, source, row, kernels, errors = record(tmp_path, "second")
    assert source["status"] == "ok"
    assert row["regime"] == 1
    assert kernels > 0
    assert events == [0]
    assert errors.count("torch.profiler (Kineto) records in this process, but its traces have no device events") == 1
