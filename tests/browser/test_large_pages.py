# SPDX-License-Identifier: Apache-2.0
"""Pages of a million and of ten million allocations: their size, the time until they show
something, and how smoothly they move.

Times are printed and have wide limits, because other work shares the machine.
tests/bench/test_instructions.py limits the cost of writing a page, in instructions.
"""

import json
import os
import pathlib
import subprocess

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
WRITE_LARGE_PAGE = os.environ.get("STRATA_WRITE_LARGE_PAGE") or str(REPOSITORY / "build/release/tests/write_large_page")
MILLION = 1_000_000

pytestmark = pytest.mark.long


def write(kind, allocations, page):
    written = json.loads(subprocess.run([WRITE_LARGE_PAGE, kind, str(allocations), page], check=True,
                                        capture_output=True, text=True).stdout)
    print(kind, written)
    return written


@pytest.fixture(scope="module", params=["regular", "irregular", "timed"])
def page(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("large") / f"{request.param}.html"
    return path, write(request.param, MILLION, path)


# Moves the view as a reader would, one frame at a time, from the first frame after the page opened.
# Returns the times between frames and the drawing times, each sorted.
MOVE = """
    const done = arguments[arguments.length - 1];
    const {view} = chart;
    const extent = view.extent();
    const moves = [(i) => view.zoomBy(1 / 1.2), (i) => view.show(extent * (0.2 + i * 0.005), extent * (0.5 + i * 0.005)),
      (i) => view.show(extent * (0.4 - 0.4 * 0.8 ** i), extent * (0.4 + 0.6 * 0.8 ** i)), (i) => view.panBy(0.05)];
    const between = [], drawing = [];
    let frame = 0, last = null;
    function next(now) {
      if (last !== null) {
        between.push(now - last);
        drawing.push(chart.drawMilliseconds);
      }
      last = now;
      if (frame === moves.length * 30) {
        const sorted = (list) => list.sort((a, b) => a - b);
        done([sorted(between), sorted(drawing)]);
        return;
      }
      moves[Math.floor(frame / 30)](frame % 30);
      ++frame;
      requestAnimationFrame(next);
    }
    requestAnimationFrame(next);"""


def test_a_million_allocations_fit_open_and_move(browser, page):
    path, written = page
    assert written["allocations"] > 0.99 * MILLION
    assert written["bytes"] < 12_000_000
    assert written["processor_seconds"] < 20
    browser.open(path, width=1400)
    assert browser.console_errors() == []
    browser.run("document.getElementById('chart').scrollIntoView()")  # running operators are drawn with it
    drawn = browser.run("return performance.getEntriesByName('timeline-drawn')[0].startTime")
    between, drawing = browser.driver.execute_async_script(MOVE)
    at = lambda times, part: times[int((len(times) - 1) * part)]
    print(f"first drawn after {drawn:.0f} ms; frames {at(between, 0.5):.0f} ms median, {at(between, 0.95):.0f} ms p95; "
          f"drawing {at(drawing, 0.5):.0f} ms median, {at(drawing, 0.95):.0f} ms p95, {at(drawing, 1):.0f} ms at most")
    lanes = browser.run("return [lanes.spans.count, lanes.rectangles, lanes.drawMilliseconds]")
    print(f"{lanes[0]} intervals below it, {lanes[1]} rectangles in {lanes[2]:.1f} ms")
    assert lanes[1] < 5000
    assert drawn < 10_000
    assert at(between, 0.5) < 250 and at(between, 0.95) < 500


def test_its_columns_sum_to_what_is_allocated(browser, page):
    browser.open(page[0], width=1400)
    for part in ((0, 1), (0.3, 0.301), (0.7, 0.70002)):
        wrong = browser.run("""
            const extent = chart.view.extent();
            chart.view.show(...arguments[0].map((part) => part * extent));
            const {frame, raster} = (chart.current(), chart);
            return [...raster.stacked].filter((bytes, column) => bytes !== chart.events.total[frame.columns.states[column]]).length
              + [...frame.arranged.remainder].filter((bytes) => bytes < 0).length""", part)
        assert wrong == 0, part


def test_ten_million_allocations_open_exact_around_the_peak_and_say_so(browser, tmp_path):
    path = tmp_path / "ten_million.html"
    written = write("irregular", 10 * MILLION, path)
    browser.open(path, width=1400)
    assert browser.run("return document.body.dataset.ready") == "drawn"
    assert f"Of {written['events']:,} events" in browser.run("return document.getElementById('resolution').textContent")
    peak = browser.run("return [run.peak.allocated_bytes, chart.events.total[run.peak.state], Math.max(...[0, 1].map((i) => chart.events.total[chart.events.largestState(i, chart.events.count)]))]")
    assert peak[0] == peak[1] == peak[2]
