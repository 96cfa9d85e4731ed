# SPDX-License-Identifier: Apache-2.0
"""Every report fits a terminal of 80 columns, and its tables keep their form."""

import unicodedata

import pytest

COLUMNS = 80
EVERYTHING = "plugins=[{allocator_tracer: {stacks_above_mib: 0.01}}, cupti_timeline, nvtx_markers, warmup_analyzer]"
SECTIONS = {
    "memory": [],
    "layers": ["--layers"],
    "unfolded": ["--layers", "--unfold"],
    "steps": ["--steps"],
    "warm-up": ["--warm-up"],
    "time": ["--time", "--top", "30"],
    "unfolded-time": ["--time", "--unfold", "--depth", "5"],
    "step-times": ["--time", "--steps"],
    "scopes": ["--scopes"],
    "reset": ["--scopes", "--reset", "step=0"],
    "stacks": ["--stacks", "5"],
    "shapes": ["--shapes"],
    "detail": ["--detail", "20%"],
}
RUNS = {
    "cpu": [EVERYTHING, "trace.shapes=true", "trace.cross_check=true", "trace.saved_tensors=true", "schedule.active=24"],
    "dry": [EVERYTHING, "trace.shapes=true", "--dry", "h100-80gb", "--clock", "modelled", "schedule.active=24"],
    "accumulated": [EVERYTHING, "accumulation=3", "checkpointing=block", "optimizer.clip_norm=1", "model.layers=12"],
    "out-of-memory": [EVERYTHING, "--dry", "t4", "model.context=4096", "model.d_model=1024", "model.heads=16", "data.batch_size=64"],
    "long-name": ["plugins=[allocator_tracer, cupti_timeline]", "name=" + "a-name-that-goes-on-" * 3, "trace.layer_outputs=true"],
}


def columns(line):
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in line)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    from workspaces import TINY, Workspace

    workspace = Workspace(tmp_path_factory.mktemp("columns"))
    workspace.write("tiny.yaml", TINY)
    made = {}

    def run(name):
        if name not in made:
            result = workspace.strata("run", "tiny.yaml", *RUNS[name], "--out", name)
            assert result.returncode == (3 if name == "out-of-memory" else 0), result.stderr
            made[name] = result
        return workspace

    return run


@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.parametrize("name", RUNS)
def test_every_line_fits(runs, name, section):
    workspace = runs(name)
    result = workspace.strata("report", name, *SECTIONS[section], COLUMNS=str(COLUMNS))
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines
    wide = [line for line in lines if columns(line) > COLUMNS]
    assert not wide, "\n".join(wide)


@pytest.mark.parametrize("name", RUNS)
def test_top_fits(runs, name):
    workspace = runs(name)
    text = workspace.strata("top", name, "--once", COLUMNS=str(COLUMNS)).stdout
    assert text and max(map(columns, text.splitlines())) <= COLUMNS, text


def test_the_last_lines_of_a_run_fit_too(tiny):
    result = tiny.strata("run", "tiny.yaml", EVERYTHING, "--out", "out", COLUMNS=str(COLUMNS))
    assert result.returncode == 0, result.stderr
    paths = ("  run      ", str(tiny.folder))
    wide = [line for line in result.stdout.splitlines() if columns(line) > COLUMNS and not line.startswith(paths)]
    assert not wide, "\n".join(wide)


def test_columns_that_are_no_number_change_nothing(finished):
    usual = finished.strata("report", "out", COLUMNS="80").stdout
    assert finished.strata("report", "out", COLUMNS="140").stdout != usual
    for odd in ("", "0", "-5", "80x", "99999999999999999999"):
        assert finished.strata("report", "out", COLUMNS=odd).stdout == usual
