# SPDX-License-Identifier: Apache-2.0
"""A run whose store is limited by store.max_mb, compared with the same run in an unlimited
store."""

import json
import sqlite3
import time

import pytest
from workspaces import Workspace

MAX_MB = 8
STEPS = 80
DRY = "{dry: h100-80gb}"
CONFIG = """\
name: thinned
model: {name: transformer, size: custom, layers: 4, d_model: 32, d_ff: 64, heads: 2, vocab: 256, context: 32}
data: {source: synthetic, batch_size: 2}
backend: {threads: 1}
schedule: {wait: 0, warmup: 0, active: STEPS}
device: DEVICE
trace: {ops: run, saved_tensors: true}
plugins: [allocator_tracer]
"""


def recorded(workspace, device, out, *words):
    workspace.write("run.yaml", CONFIG.replace("STEPS", str(STEPS)).replace("DEVICE", device))
    result = workspace.strata("run", "run.yaml", "--out", out, *words)
    assert result.returncode == 0, result.stderr
    return told(workspace, out)


def told(workspace, out):
    result = workspace.strata("report", out, "--json")
    assert result.returncode == 0, result.stderr
    page = workspace.strata("report", out)
    assert page.returncode == 0, page.stderr
    return json.loads(result.stdout), " ".join((page.stdout + page.stderr).split())


def database(workspace, out):
    (file,) = (workspace.folder / out / "rank0").glob("*.sqlite")
    return file


def of_memory(step):
    """Return a step's memory figures, without sampled ones."""
    return {key: step[key] for key in ("index", "peak_allocated_bytes", "peak_reserved_bytes", "peak_phase", "peak_categories", "peak_change")}


@pytest.fixture(scope="module", params=[DRY, "cpu"])
def both(request, tmp_path_factory):
    """A workspace with both runs, and their messages."""
    workspace = Workspace(tmp_path_factory.mktemp("thinning"))
    whole = recorded(workspace, request.param, "whole")
    return workspace, whole, recorded(workspace, request.param, "thinned", f"store.max_mb={MAX_MB}")


@pytest.fixture(scope="module")
def dry(both):
    workspace, (whole, _), _ = both
    if workspace.query("whole", "SELECT count(*) FROM meta WHERE key = 'dry'") != [(1,)]:
        pytest.skip("is of the dry run")
    return workspace, whole


def test_what_is_kept_is_as_without(both):
    workspace, (whole, _), (thinned, said) = both
    assert database(workspace, "whole").stat().st_size > 2 * MAX_MB << 20
    assert database(workspace, "thinned").stat().st_size <= MAX_MB << 20
    intervals = thinned["thinned"]
    assert whole["thinned"] == [] and sum(interval["steps"] for interval in intervals) > STEPS // 3
    assert "thinned (store.max_mb)" in said
    assert json.loads((workspace.folder / "thinned/manifest.json").read_text())["store"]["dropped_rows"] == 0

    assert thinned["peak"] == whole["peak"]
    assert thinned["checks"]["saved_tensors"]["blocks_labelled_differently"] == whole["checks"]["saved_tensors"]["blocks_labelled_differently"]
    assert [step["index"] for step in thinned["steps"]] == list(range(STEPS))
    for kept, step in zip(thinned["steps"], whole["steps"], strict=True):
        gone = any(interval["first_step"] <= kept["index"] <= interval["last_step"] for interval in intervals)
        assert kept["thinned"] == gone
        if not gone:
            assert of_memory(kept) == of_memory(step)
        else:
            assert kept["peak_categories"] is None and kept["peak_change"] is None
            for peak in ("peak_allocated_bytes", "peak_reserved_bytes", "peak_phase"):
                assert kept[peak] == step[peak], (kept["index"], peak)
    assert thinned["window"] == {"first_step": intervals[-1]["last_step"] + 1, "last_step": STEPS - 1}


def test_statistics_are_those_of_a_window_behind_what_is_thinned(both):
    workspace, _, (thinned, _) = both
    workspace.query("whole", f"UPDATE meta SET value = '{thinned['window']['first_step']}' WHERE key = 'first_step'")
    try:
        whole, _ = told(workspace, "whole")
    finally:
        workspace.query("whole", "UPDATE meta SET value = '0' WHERE key = 'first_step'")
    assert whole["window"] == thinned["window"]
    assert whole["categories"] == thinned["categories"]


def test_a_run_that_is_killed_leaves_a_store_that_is_right(dry):
    workspace, whole = dry
    process = workspace.start("run", "run.yaml", "--out", "killed", "schedule.active=1000000", f"store.max_mb={MAX_MB}")
    deadline = time.monotonic() + 200
    steps = 0
    while steps < 100:
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.1)
        try:
            with sqlite3.connect(f"file:{database(workspace, 'killed')}?mode=ro", uri=True) as store:
                steps = store.execute("SELECT sum(steps) FROM thinned").fetchone()[0] or 0
        except (sqlite3.OperationalError, ValueError):
            pass
    process.kill()
    process.communicate()
    killed, said = told(workspace, "killed")
    assert "thinned (store.max_mb)" in said
    assert killed["peak"]["allocated_bytes"] == whole["peak"]["allocated_bytes"]
    assert database(workspace, "killed").stat().st_size <= MAX_MB << 20
    kept = [step for step in killed["steps"] if not step["thinned"] and step["duration_ns"] is not None]
    assert kept[-2]["index"] > STEPS // 2 and of_memory(kept[-2]) | {"index": 0} == of_memory(whole["steps"][STEPS - 2]) | {"index": 0}


def test_a_replay_is_refused(dry):
    workspace, _ = dry
    result = workspace.strata("replay", "thinned")
    assert result.returncode == 2 and "are thinned (store.max_mb)" in result.stderr


def test_a_size_without_room_is_refused(workspace):
    workspace.write("run.yaml", CONFIG.replace("STEPS", "1").replace("DEVICE", "cpu"))
    result = workspace.strata("run", "run.yaml", "--out", "out", "store.max_mb=7")
    assert result.returncode == 2
    assert "store.max_mb" in result.stderr and "at least 8 (MiB), found 7" in result.stderr


@pytest.mark.parametrize("words, size", [([], 2048), (["--set", "store.max_mb=0"], 0)])
def test_the_store_of_a_program_is_limited(workspace, words, size):
    """`record begin` makes the folder of a program's run with the program's settings, as `exec`
    does."""
    result = workspace.strata("record", "begin", *words)
    assert result.returncode == 0, result.stderr
    settings = workspace.folder / json.loads(result.stdout)["settings"]
    assert json.loads(settings.read_text())["store"]["max_mb"] == size
