# SPDX-License-Identifier: Apache-2.0
"""The same detail setting has the same effect on the page's slider, in `strata report --detail`,
and in memory_viz."""

import json
import math
import pickle

import pytest
from recorded import record, strata


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return record(tmp_path_factory.mktemp("detail"))


def test_slider_terminal_and_memory_viz_leave_the_same(browser, run):
    browser.open(run / "report.html")
    strata(run.parent, "export", "out", "--format", "memory_viz", "--out", "snapshot.pickle")
    snapshot = pickle.loads((run.parent / "snapshot.pickle").read_bytes())
    sizes = sorted((entry["size"] for trace in snapshot["device_traces"] for entry in trace if entry["action"] == "alloc"), reverse=True)
    details = browser.run("return DETAILS")
    assert 0.1 in details
    for stop, detail in enumerate(details):
        browser.run("""
            const slider = document.getElementById('detail');
            slider.value = arguments[0];
            slider.dispatchEvent(new Event('input'));""", stop)
        least, shown = browser.run("return [chart.settings.leastBytes, chart.events.countOfAtLeast(chart.settings.leastBytes)]")
        done = strata(run.parent, "report", "out", "--detail", f"{detail * 100:g}%", "--json")
        told = json.loads(done.stdout)
        assert told["allocations"] == len(told["blocks"]) == shown, detail
        assert told["all_allocations"] == len(sizes)
        assert told["bytes"] == sum(block["bytes"] for block in told["blocks"])
        if detail < 1:
            assert told["least_bytes"] == least == min(block["bytes"] for block in told["blocks"])
        # memory_viz draws this many of the largest blocks, and of equal ones those that come first.
        kept = sizes[:math.ceil(len(sizes) * detail)]
        assert kept[-1] == told["least_bytes"] and kept == [block["bytes"] for block in told["blocks"]][:len(kept)]


def test_the_terminal_lists_them_with_what_is_known(run):
    done = strata(run.parent, "report", "out", "--detail", "10%")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Detail 10%: the ")
    assert "256x32 float32" in done.stdout and "born in step" in done.stdout and "lm_head" in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    few = strata(run.parent, "report", "out", "--detail", "10%", "--top", "2").stdout
    assert "more rows: --top" in few and len(few.splitlines()) < 14


@pytest.mark.parametrize("words", [["--detail", "10"], ["--detail", "0%"], ["--detail", "10%", "--layers"], ["--top", "3"]])
def test_what_is_none_is_refused(run, words):
    done = strata(run.parent, "report", "out", *words)
    assert done.returncode == 2 and words[0] in done.stderr and done.stdout == ""


def test_the_plot_takes_it(run):
    done = strata(run.parent, "plot", "out", "--what", "memory", "--detail", "10%", "--out", "few")
    assert done.returncode == 0, done.stderr
    strata(run.parent, "plot", "out", "--what", "memory", "--out", "all")
    few, whole = ((run.parent / name / "memory.svg").read_text() for name in ("few", "all"))
    grey = "rgb(" + ",".join(f"{channel / 255 * 100:.6f}".rstrip("0").rstrip(".") + "%" for channel in (0xD3, 0xD8, 0xDF)) + ")"
    assert grey in few and grey not in whole
    refused = strata(run.parent, "plot", "out", "--detail", "5", "--out", "none")
    assert refused.returncode == 2 and not (run.parent / "none").exists()
