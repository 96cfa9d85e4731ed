"""The page of a training run, of a long one, of none, and of one whose names are hostile."""

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
    assert browser.run("return document.querySelectorAll('#categories tbody tr').length") == len(CATEGORIES) + 1


def test_stacks_every_category_and_draws_what_was_allocated(browser, pages):
    browser.open(pages / "training.html")
    traces = browser.run("""
        return [...document.querySelectorAll('.areas path')].map((path) => ({
          name: path.getAttribute('class'), height: path.getBBox().height}))""")
    assert [trace["name"] for trace in traces] == [f"stratum {name.lower().replace('_', '-')}" for name in CATEGORIES]
    heights = {trace["name"].removeprefix("stratum "): trace["height"] for trace in traces}
    assert heights["parameter"] > 20 and heights["activation"] > 100
    assert browser.run("return document.querySelector('.allocated').getAttribute('d').length") > 100


def test_names_steps_phases_and_the_window_above_the_plot(browser, pages):
    browser.open(pages / "training.html")
    browser.press("s")
    labels = browser.run("return [...document.querySelectorAll('.band text')].map((text) => text.textContent)")
    assert {"step 3", "forward", "backward", "optimizer"} <= set(labels)
    assert any(label.startswith("window: steps 3 to 8") for label in labels)


# What largestByColumn promises, said once more: every state with the time over which it holds.
def brute_force(ns, total, begin, end, count):
    shown = []
    for column in range(count):
        first = begin + (end - begin) * column / count
        last = begin + (end - begin) * (column + 1) / count
        held = [i for i in range(len(ns))
                if first <= ns[i] < last or (ns[i] < first and (i + 1 == len(ns) or ns[i + 1] > first))]
        shown.append(max(total[i] for i in held))
    return shown


@pytest.mark.parametrize("name", ["training", "long"])
@pytest.mark.parametrize("part", [(0.0, 1.0), (0.31, 0.47), (0.5, 0.5004)])
def test_each_pixel_column_shows_its_largest_moment(browser, pages, name, part):
    browser.open(pages / f"{name}.html")
    result = browser.run("""
        const {timeline, durationNs} = run;
        const [begin, end] = arguments[0].map((part) => part * durationNs);
        const shown = largestByColumn(timeline, begin, end, 97);
        return {ns: [...timeline.ns], total: [...timeline.total], begin, end,
                shown: [...shown].map((state) => timeline.total[state])}""", part)
    assert result["shown"] == brute_force(result["ns"], result["total"], result["begin"], result["end"], 97)


def shown_view(browser):
    return browser.run("return chart.view()")


def test_goes_to_the_peak_by_button_and_by_key(browser, pages):
    browser.open(pages / "training.html")
    whole = shown_view(browser)
    peak = browser.run("return run.peak")
    for act in (lambda: browser.run("document.getElementById('show-peak').click()"), lambda: browser.press("p")):
        browser.press("0")
        assert shown_view(browser) == whole
        act()
        begin, end = shown_view(browser)
        assert begin <= peak["ns"] <= end and end - begin < (whole[1] - whole[0]) / 20
        readout = browser.run("return document.querySelector('.readout').textContent")
        assert f"{peak['allocated_bytes']:,} bytes" in readout
        assert f"step {peak['step']}" in readout and peak["phase"] in readout


def test_the_cursor_reads_exact_bytes_by_category_and_phase(browser, pages):
    browser.open(pages / "training.html")
    box = browser.run("const b = document.getElementById('chart').getBoundingClientRect(); return [b.left, b.top]")
    browser.command("Input.dispatchMouseEvent", type="mouseMoved", x=box[0] + 700, y=box[1] + 300)
    state = browser.run("""
        const {state, ns} = chart.stateAt(700 - CHART_MARGIN.left);
        return {bytes: run.timeline.bytes.map((bytes) => bytes[state]), total: run.timeline.total[state],
                where: document.querySelector('.readout-where').textContent,
                cells: [...document.querySelectorAll('.readout .exact')].map((cell) => cell.textContent)}""")
    assert state["cells"] == [f"{amount:,.0f} bytes" for amount in [*state["bytes"], state["total"]]]
    assert state["where"].startswith("step ")
    browser.press("Escape")
    assert browser.run("return document.querySelector('.readout').hidden")


def test_zooms_and_pans_with_wheel_and_keys(browser, pages):
    browser.open(pages / "training.html")
    whole = shown_view(browser)
    box = browser.run("const b = document.getElementById('chart').getBoundingClientRect(); return [b.left, b.top]")
    browser.command("Input.dispatchMouseEvent", type="mouseWheel", x=box[0] + 600, y=box[1] + 300, deltaX=0,
                    deltaY=-400)
    zoomed = shown_view(browser)
    assert zoomed[1] - zoomed[0] < whole[1] - whole[0]
    browser.run("document.getElementById('chart').focus()")
    browser.press("ArrowRight", shiftKey=True)
    panned = shown_view(browser)
    assert panned[0] > zoomed[0] and panned[1] - panned[0] == pytest.approx(zoomed[1] - zoomed[0])
    browser.press("+")
    assert shown_view(browser)[1] - shown_view(browser)[0] < panned[1] - panned[0]
    browser.press("ArrowLeft")
    assert "MiB allocated" in browser.run("return document.getElementById('spoken').textContent")


def test_the_page_scrolls_where_the_whole_run_cannot_zoom_out(browser, pages):
    browser.open(pages / "training.html")
    whole = shown_view(browser)
    prevented = browser.run("""
        const event = new WheelEvent('wheel', {deltaY: 100, bubbles: true, cancelable: true});
        document.querySelector('#chart svg').dispatchEvent(event);
        return event.defaultPrevented""")
    assert not prevented and shown_view(browser) == whole


def test_a_category_is_hidden_and_shown_by_its_button(browser, pages):
    browser.open(pages / "training.html")
    before = browser.run("return chart.y.domain()[1]")
    browser.run("document.querySelectorAll('#legend button')[0].click()")
    assert browser.run("return document.querySelector('.areas .parameter')") is None
    assert browser.run("return document.querySelectorAll('#legend button')[0].getAttribute('aria-pressed')") == "false"
    assert browser.run("return chart.y.domain()[1]") < before
    browser.run("document.querySelectorAll('#legend button')[0].click()")
    assert browser.run("return document.querySelectorAll('.areas path').length") == len(CATEGORIES)


def test_the_strip_below_follows_and_leads(browser, pages):
    browser.open(pages / "training.html")
    browser.press("p")
    width = browser.run("return document.querySelector('.brush .selection').getBoundingClientRect().width")
    assert width < 60
    browser.press("0")
    wide = browser.run("return document.querySelector('.brush .selection').getBoundingClientRect().width")
    assert wide > 900


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


def where_at(browser, ns):
    """What the readout says of a moment, shown in the middle of the chart."""
    return browser.run("""
        chart.show(arguments[0] - 1e6, arguments[0] + 1e6);
        const box = document.getElementById('chart').getBoundingClientRect();
        document.getElementById('chart').dispatchEvent(new MouseEvent('mousemove', {
          clientX: box.left + CHART_MARGIN.left + Math.round(chart.x(arguments[0])), clientY: box.top + 300}));
        return document.querySelector('.readout-where').textContent""", ns)


def test_a_run_beyond_the_limits_is_told_whole(browser, pages):
    browser.open(pages / "many_steps.html")
    data = json.loads(browser.run("return document.getElementById('facts').textContent"))
    assert data["left_out"]["steps"] > 0 and data["left_out"]["phases"] > 0
    facts = data["run"]
    assert tiles(browser)["Median step"][1] == "1,750 of 3,500 steps in the window"
    assert tiles(browser)["Tokens a second"][0] == f"{facts['tokens_per_second']:,.0f}"
    assert browser.run("return run.window") == {"begin": facts["window_begin_ns"], "end": facts["window_end_ns"]}
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


def fastest_frame_ms(browser):
    """The script's part of a frame, the best of some: the machine may be busy."""
    return browser.run("""
        let fastest = Infinity;
        for (let i = 0; i < 12; ++i) {
          const begin = performance.now();
          chart.show(run.durationNs * i / 40, run.durationNs * (0.6 + i / 40));
          fastest = Math.min(fastest, performance.now() - begin);
        }
        return fastest""")


def test_a_million_events_draw_nearly_as_quickly_as_a_few_thousand(browser, pages):
    browser.open(pages / "training.html")
    few = fastest_frame_ms(browser)
    browser.open(pages / "long.html")
    data = json.loads(browser.run("return document.getElementById('facts').textContent"))
    assert data["run"]["events"] > 1_000_000
    assert fastest_frame_ms(browser) < 25 * max(few, 0.2)
