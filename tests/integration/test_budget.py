# SPDX-License-Identifier: Apache-2.0
"""`strata report --budget`: a run's peak held against a size."""

import json

import pytest


@pytest.fixture(scope="module")
def recorded(finished):
    """A workspace with a run, and the run's peak."""
    scopes = json.loads((finished.folder / "out/summary.json").read_text())["scopes"]
    [run] = [scope for scope in scopes if scope["kind"] == "run"]
    return finished, run["allocated"]["peak_bytes"]


def check(workspace, budget, *words):
    return workspace.strata("report", "out", "--budget", budget, *words)


def test_the_budget_is_of_the_whole_runs_peak(recorded):
    workspace, peak = recorded
    assert check(workspace, peak).returncode == 0
    assert check(workspace, peak - 1).returncode == 4
    assert "within the budget" in check(workspace, "1GiB").stdout


def test_what_filled_it_and_what_would_do_with_less(recorded):
    workspace, peak = recorded
    done = check(workspace, peak // 2)
    assert "above the budget" in done.stdout and "Its largest owners" in done.stdout
    document = json.loads(check(workspace, peak // 2, "--json").stdout)
    assert (document["schema"], document["fits"], document["peak_bytes"]) == ("strata.budget/1", False, peak)
    assert sum(document["categories"].values()) == peak
    assert document["remedies"] and all(remedy["bytes"] > 0 for remedy in document["remedies"])
    assert [remedy["enough"] for remedy in document["remedies"]] == [remedy["bytes"] >= peak - peak // 2 for remedy in document["remedies"]]


def test_where_it_fits_nothing_is_asked_to_change(recorded):
    assert json.loads(check(recorded[0], "1GiB", "--json").stdout)["remedies"] == []


@pytest.mark.parametrize("budget", ["", "much", "-1GiB", "0", "12 gigs"])
def test_what_is_no_size_is_refused(recorded, budget):
    done = check(recorded[0], budget)
    assert done.returncode == 2 and "--budget" in done.stderr


@pytest.mark.parametrize(("budget", "meant"), [("24", "24GiB?"), ("24000", "24000MiB?")])
def test_a_number_that_lacks_its_unit_is_refused(recorded, budget, meant):
    done = check(recorded[0], budget)
    assert done.returncode == 2 and meant in done.stderr
