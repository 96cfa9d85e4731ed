# SPDX-License-Identifier: Apache-2.0
"""The pages of a training run, of a long run, of an empty one, and of one with hostile names."""

import json

import pytest

CATEGORIES = ["Parameter", "Optimizer_State", "Input", "Temporary", "Activation", "Gradient", "Autograd_Detail",
              "Unknown"]
ALL_PAGES = ["training", "long", "many_steps", "empty", "troubled", "hostile"]


@pytest.mark.parametrize("name", ALL_PAGES)
def test_opens_without_network_and_without_an_error(browser, pages, name):
    browser.open(pages / f"{name}.html")
    assert browser.requested() == [(pages / f"{name}.html").as_uri()]
    assert browser.console_errors() == []
    assert browser.run("return document.body.dataset.ready") == "drawn"
    assert browser.run("return document.querySelectorAll('#categories tbody tr').length") == len(CATEGORIES) + 1


def test_says_what_streams_keep_from_each_other(browser, pages):
    def places(name):
        browser.open(pages / f"{name}.html")
        return browser.run("""
            const card = document.querySelector('#places-card');
            return {hidden: card.hidden, free: document.querySelector('#places-free').textContent,
                    rows: [...card.querySelectorAll('tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))}""")

    several = places("streams")
    assert several["hidden"] is False
    assert [row[0] for row in several["rows"]] == [
        "default stream", "graph's pool 1, stream 0x55766eae5f10", "stream 0x55766eae5f10"]
    assert [float(cell) for cell in several["rows"][1][1:]] == [65, 5, 60, 1]
    assert several["free"].startswith("61.0")
    unknown = places("streams_unknown")
    assert unknown["rows"][2][1] == unknown["rows"][2][3] == "unknown"
    assert unknown["free"] == ""
    assert places("training") == {"hidden": True, "free": "", "rows": []}


def test_tables_say_what_the_data_says(browser, pages):
    browser.open(pages / "training.html")
    rows = browser.run("""
        return [...document.querySelectorAll('#categories tbody tr')].map(
          (row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent))""")
    assert [row[0] for row in rows] == [*CATEGORIES, "Total"]
    data = json.loads(browser.run("return document.getElementById('facts').textContent"))
    for row, category in zip(rows, data["categories"]):
        expected = [category[key] / 2**20
                    for key in ("mean_over_events", "mean_over_time", "min", "median", "max", "peak")]
        for cell, amount in zip(row[1:7], expected):
            if cell == "<0.1":
                assert 0 < amount < 0.05
            else:
                assert float(cell.replace(",", "")) == pytest.approx(amount, abs=0.0501)
    blocks = browser.run("return document.querySelectorAll('#blocks tbody tr').length")
    assert blocks == len(data["peak"]["largest_blocks"])


def tiles(browser):
    return browser.run("""
        return Object.fromEntries([...document.querySelectorAll('.tile')].map(
          (tile) => [tile.querySelector('.tile-label').textContent,
                     [tile.querySelector('.tile-value').textContent, tile.querySelector('.tile-note').textContent]]))""")


def test_a_run_of_images_counts_images(browser, pages):
    browser.open(pages / "images.html")
    assert "Images a second" in tiles(browser) and "Tokens a second" not in tiles(browser)
    headings = browser.run("return [...document.querySelectorAll('#steps th')].map((cell) => cell.textContent)")
    assert "Images/s" in headings and "Tokens/s" not in headings


def test_what_a_run_cannot_have_takes_no_tile(browser, pages):
    browser.open(pages / "dry.html")
    assert set(tiles(browser)) == {"Peak allocated", "Peak reserved", "Most of the peak", "Unknown at the peak"}
    assert browser.run("return document.querySelector('#notices .notice').className") == "notice calm"


def where_at(browser, ns):
    """Return the text about a moment, shown in the middle of the chart."""
    return browser.run("""
        chart.view.show(arguments[0] - 1e6, arguments[0] + 1e6);
        const box = document.getElementById('chart').getBoundingClientRect();
        document.getElementById('chart').dispatchEvent(new PointerEvent('pointermove', {
          clientX: box.left + CHART_MARGIN.left + Math.round(chart.view.x(arguments[0])), clientY: box.top + 300}));
        return document.querySelector('.moment-where').textContent""", ns)


def test_a_run_beyond_the_limits_is_told_whole(browser, pages):
    browser.open(pages / "many_steps.html")
    data = json.loads(browser.run("return document.getElementById('facts').textContent"))
    assert data["left_out"]["steps"] > 0 and data["left_out"]["phases"] > 0
    facts = data["run"]
    assert tiles(browser)["Median step"][1] == "1,750 of 3,500 steps in the window"
    assert tiles(browser)["Tokens a second"][0] == f"{facts['tokens_per_second']:,.0f}"
    window = browser.run("return run.window")
    assert (window["begin"], window["end"]) == (facts["window_begin_ns"], facts["window_end_ns"])
    assert facts["window_end_ns"] > data["steps"][-1][3]
    assert f"{data['left_out']['phases']:,} more" in browser.run("return document.getElementById('resolution').textContent")

    left_out = "steps are not in the page here · phases are not in the page here"
    for ns in (data["kept"]["steps"][0] / 2, (data["kept"]["steps"][1] + facts["duration_ns"]) / 2):
        assert where_at(browser, ns) == left_out
    assert where_at(browser, data["peak"]["ns"]).startswith(f"step {data['peak']['step']} (active) · ")


def test_a_short_run_says_where_there_is_no_step(browser, pages):
    browser.open(pages / "training.html")
    steps = browser.run("return run.steps")
    assert where_at(browser, (steps[0]["end"] + steps[1]["begin"]) / 2) == "outside of steps · no phase"


def test_durations_read_as_in_the_terminal(browser, pages):
    """The same amounts as in tests/report/quantity_test.cpp."""
    browser.open(pages / "empty.html")
    assert browser.run("return [0, 999, 1500, 182.4e6, 4321e9].map(duration)") == [
        "0 ns", "999 ns", "1.5 µs", "182.4 ms", "4,321.00 s"]
    assert browser.run("return percentage(0, 0)") == "–"


def test_a_step_that_was_cut_short_has_no_time(browser, pages):
    browser.open(pages / "troubled.html")
    times = browser.run("""
        return [...document.querySelectorAll('#steps tbody tr')].map((row) => row.querySelectorAll('td')[2].textContent)""")
    assert times[-1] == "cut short" and all(time.endswith(" ms") for time in times[:-1])
    assert tiles(browser)["Median step"][1] == "2 of 4 steps in the window"


def test_a_troubled_run_says_so_first(browser, pages):
    browser.open(pages / "troubled.html")
    notices = browser.run("return document.getElementById('notices').textContent")
    assert "nvtx_markers is disabled: libnvToolsExt was not found" in notices and "the process died" in notices
    assert "killed" in browser.run("return document.querySelector('.chips .alarming').textContent")


def test_an_empty_run_says_what_is_missing(browser, pages):
    browser.open(pages / "empty.html")
    assert "No allocation was recorded" in browser.run("return document.getElementById('notices').textContent")
    assert browser.run("return document.getElementById('show-peak').disabled")
    browser.press("p")
    browser.press("w")
    browser.press("+")
    assert browser.console_errors() == []


def test_nothing_of_a_hostile_name_is_executed_or_loaded(browser, pages):
    browser.open(pages / "hostile.html")
    for key in ("p", "s", "0", "w"):
        browser.press(key)
    assert browser.run("return window.hostile") is None
    assert browser.run("return document.querySelectorAll('img, main script, svg[onload], iframe').length") == 0
    assert browser.run("return document.getElementById('run-name').textContent").startswith("</script><script>")
    assert browser.run("return document.documentElement.scrollWidth <= window.innerWidth")
    assert browser.requested() == [(pages / "hostile.html").as_uri()]
    assert browser.console_errors() == []
