# SPDX-License-Identifier: Apache-2.0
"""`strata report --budget`: compares a run's peak with a size."""

import json
import sys

import pytest


@pytest.fixture(scope="module")
def recorded(finished):
    """A workspace with a run, and the run's peak."""
    scopes = json.loads((finished.folder / "out/summary.json").read_text())["scopes"]
    [run] = [scope for scope in scopes if scope["kind"] == "run"]
    return finished, run["allocated"]["peak_bytes"]


def check(workspace, budget, *words):
    return workspace.strata("report", "out", "--budget", budget, *words)


@pytest.mark.smoke
def test_the_budget_is_of_the_whole_runs_peak(recorded):
    workspace, peak = recorded
    assert check(workspace, peak).returncode == 0
    assert check(workspace, peak - 1).returncode == 4
    assert "within the budget" in check(workspace, "1GiB").stdout


def test_what_is_reserved_above_the_budget_is_said(workspace):
    workspace.write("adam.py", ADAM)
    assert workspace.strata("exec", "--dry", "t4", "--out", "out", "--", sys.executable, "adam.py").returncode == 0
    document = json.loads(check(workspace, "1GiB", "--json").stdout)
    assert document["most_reserved_bytes"] > document["peak_bytes"]
    assert "reserved" not in check(workspace, "1GiB").stdout
    within = check(workspace, document["peak_bytes"])
    assert within.returncode == 0 and f"reserved from the device: {document['most_reserved_bytes'] / 2**20:,.1f} MiB at most, above" in within.stdout


def test_what_filled_it_and_what_the_recording_shows(recorded):
    workspace, peak = recorded
    done = check(workspace, peak // 2)
    assert "above the budget" in done.stdout and "Its largest owners" in done.stdout
    document = json.loads(check(workspace, peak // 2, "--json").stdout)
    assert (document["schema"], document["fits"], document["peak_bytes"]) == ("strata.budget/2", False, peak)
    assert sum(document["categories"].values()) == peak
    for finding in document["findings"]:
        assert set(finding) == {"kind", "bytes", "text", "module"}
        assert finding["text"] in done.stdout


ADAM = """
import torch
def layers(): return [torch.nn.Linear(512, 512), torch.nn.GELU(), torch.nn.Linear(512, 512), torch.nn.GELU()]
model = torch.nn.Sequential(*[torch.nn.Sequential(*layers()) for _ in range(16)]).cuda()
optimizer = torch.optim.AdamW(model.parameters(), foreach=True)
for _ in range(3):
    model(torch.randn(1024, 512, device="cuda")).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
"""


def test_lowering_the_peak_gains_the_distance_to_the_next_at_most(workspace):
    """A change that makes the backward smaller does not change the forward."""
    workspace.write("adam.py", ADAM)
    assert workspace.strata("exec", "--dry", "t4", "--out", "out", "--", sys.executable, "adam.py").returncode == 0
    document, peak = (json.loads(text) for text in (check(workspace, "16MiB", "--json").stdout, workspace.strata("report", "out", "--json").stdout))
    assert document["phase"] == "backward" and document["peak_bytes"] == peak["peak"]["allocated_bytes"]
    found = {finding["kind"]: finding for finding in document["findings"]}
    for kind, place in (("next_peak", peak["peak"]["next_place"]), ("outside_phase", peak["peak"]["outside_phase"])):
        assert found[kind]["bytes"] == place["lower_bytes"] and found[kind]["text"].endswith(f"{place['allocated_bytes'] / 2**20:,.1f} MiB, in {place['phase']}.")
    assert found["next_peak"]["text"] in check(workspace, "16MiB").stdout


def test_how_to_see_the_layers_is_said(workspace):
    workspace.write("adam.py", ADAM)
    assert workspace.strata("exec", "--no-layers", "--dry", "t4", "--out", "out", "--", sys.executable, "adam.py").returncode == 0
    assert "To see which layers hold it: strata exec --layers, or strata.attach" in check(workspace, "16MiB").stdout


def test_a_run_that_recorded_no_memory_is_within_none(workspace):
    workspace.write("c.yaml", "model: {size: small, layers: 2}\nschedule: {wait: 0, warmup: 1, active: 1}\nplugins: [nvtx_markers]\n")
    assert workspace.strata("run", "c.yaml", "--dry", "a100-40gb", "--out", "out").returncode == 0
    done = check(workspace, "1TiB")
    assert done.returncode == 1 and "recorded no memory" in done.stderr and not done.stdout


def test_where_it_fits_nothing_is_shown_and_nothing_advised(recorded):
    assert json.loads(check(recorded[0], "1GiB", "--json").stdout)["findings"] == []
    assert "strata advise" not in check(recorded[0], "1GiB").stdout


def test_the_last_line_starts_advice_for_this_program(workspace):
    workspace.write("adam.py", ADAM)
    assert workspace.strata("exec", "--dry", "t4", "--out", "out", "--", sys.executable, "adam.py").returncode == 0
    line = " ".join(check(workspace, "16MiB").stdout.splitlines()[-2:])
    assert line.endswith(f"What would make it fit:   strata advise --device t4 --device-memory 16MiB -- {sys.executable} adam.py")


def test_the_last_line_names_the_configuration_of_a_training(recorded):
    workspace, peak = recorded
    last = check(workspace, "1MiB").stdout.splitlines()[-1]
    assert last == "  strata advise out/config.yaml --device CARD --device-memory 1MiB"


@pytest.mark.parametrize("budget", ["", "much", "-1GiB", "0", "12 gigs"])
def test_what_is_no_size_is_refused(recorded, budget):
    done = check(recorded[0], budget)
    assert done.returncode == 2 and "--budget" in done.stderr


@pytest.mark.parametrize(("budget", "meant"), [("24", "is only 24 bytes; expected a unit, as in 24GiB"), ("24000", "is only 24000 bytes; expected a unit, as in 24000MiB")])
def test_a_number_that_lacks_its_unit_is_refused(recorded, budget, meant):
    done = check(recorded[0], budget)
    assert done.returncode == 2 and meant in done.stderr
