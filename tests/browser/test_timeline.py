# SPDX-License-Identifier: Apache-2.0
"""The timeline's picture: each column, each band, and the rows above them."""

import json

import pytest

from on_timeline import view

CATEGORIES = 8


def test_opens_on_the_peaks_step(browser, pages):
    browser.open(pages / "training.html")
    step = browser.run("return run.peakStep")
    begin, end = view(browser)
    assert begin < step["begin"] and step["end"] < end
    assert end - begin < 1.2 * (step["end"] - step["begin"])


@pytest.mark.parametrize(("page", "mode", "pressed"), [
    ("training", "time", "false"), ("dry", "event", "true"), ("dry_modelled", "time", "false"),
])
def test_opens_over_events_where_time_is_the_hosts(browser, pages, page, mode, pressed):
    browser.open(pages / f"{page}.html")
    opened = browser.run("return [chart.view.mode, document.getElementById('show-events').getAttribute('aria-pressed')]")
    assert opened == [mode, pressed]
    step = browser.run("return run.peakStep")
    begin, end = view(browser)
    of = ("beginState", "endState") if mode == "event" else ("begin", "end")
    assert begin < step[of[0]] and step[of[1]] < end
    browser.press("x")
    assert browser.run("return chart.view.mode") != mode


def test_opens_on_what_came_before_memory_ran_out(browser, pages):
    browser.open(pages / "ran_out.html")
    step, ran_out = browser.run("return [run.peakStep, run.ran_out]")
    begin, end = view(browser)
    assert step["begin"] < ran_out["end"] < step["end"]
    assert begin < step["begin"]
    assert ran_out["end"] < end < ran_out["end"] + 0.1 * (ran_out["end"] - step["begin"])


def test_names_steps_phases_and_the_window_above_the_plot(browser, pages):
    browser.open(pages / "training.html")
    rows = browser.run("""
        return chart.rows.map(({name, intervals}) => ({name, labels: [...visibleIntervals(intervals, chart.view)]
          .filter(({interval}) => interval).map(({interval, width}) => intervalText(chart.overlay.canvas.getContext("2d"), interval, width))}))""")
    assert [row["name"] for row in rows] == ["window", "steps", "phases"]
    assert rows[0]["labels"] == ["window: steps 3 to 8"]
    assert "step 3" in rows[1]["labels"]
    assert {"forward", "backward", "optimizer"} <= set(rows[2]["labels"])


def test_the_horizontal_axis_says_what_it_is(browser, pages):
    browser.open(pages / "training.html")
    titles = browser.run("""
        const drawn = () => {
          const texts = [], {overlay} = chart, {text} = overlay;
          overlay.text = (...said) => texts.push(said);
          drawAxes(overlay, chart.current());
          delete overlay.text;
          const [title, x, y] = texts[texts.length - 1];
          return {title, isCentred: x === chart.view.width / 2, isInside: chart.plotTop + y < overlay.canvas.clientHeight - 6};
        };
        return ['time', 'event'].map((mode) => { chart.view.setMode(mode); return drawn(); });""")
    assert [said["title"] for said in titles] == ["time", "allocations and frees, each equally wide"]
    assert all(said["isCentred"] and said["isInside"] for said in titles)


@pytest.mark.parametrize("scale", [1, 2])
def test_no_name_is_wider_than_its_band(browser, pages, scale):
    browser.open(pages / "training.html", scale=scale)
    browser.press("p")
    browser.press("f")
    drawn, wider = browser.run("""
        chart.drawNow(arguments[0]);
        const {overlay} = chart;
        let [drawn, wider] = [0, []];
        overlay.text = (text, x, y, ...style) => {
          ++drawn;
          const room = chart.frame.labels.find(({column, row}) => column / chart.frame.scale + 5 === x && row / chart.frame.scale === y);
          if (overlay.context.measureText(text).width > room.columns / chart.frame.scale) wider.push(text);
        };
        overlay.drawLabels(chart.frame);
        delete overlay.text;
        return [drawn, wider]""", scale)
    assert drawn >= 3 and wider == []


def test_bands_sum_to_what_is_allocated_in_every_column(browser, pages):
    browser.open(pages / "long.html")
    for mode in ("time", "event"):
        for part in ((0, 1), (0.3, 0.32), (0.5, 0.5001)):
            wrong = browser.run("""
                chart.view.setMode(arguments[0]);
                const extent = chart.view.extent();
                chart.view.show(...arguments[1].map((part) => part * extent));
                const {frame, raster} = (chart.current(), chart);
                const {states} = frame.columns;
                return [...raster.stacked].filter((bytes, column) => bytes !== chart.events.total[states[column]]).length
                  + [...frame.arranged.remainder].filter((bytes) => bytes < 0).length""", mode, part)
            assert wrong == 0, (mode, part)


def test_each_own_band_is_a_block_that_is_alive_in_just_its_columns(browser, pages):
    browser.open(pages / "training.html")
    browser.press("p")
    result = browser.run("""
        const {frame, events} = (chart.current(), chart);
        const {states, count} = frame.columns;
        let looked = 0, wrong = 0;
        for (const {id, from, to} of frame.arranged.bands) {
          if (id === undefined) continue;
          for (let column = 0; column < count; ++column) {
            ++looked;
            if (events.isAliveAt(id, states[column]) !== (from <= column && column <= to)) ++wrong;
          }
        }
        return [looked, wrong]""")
    assert result[0] > 20_000 and result[1] == 0


# A second implementation of what PixelColumns does: every state with its interval on the axis.
def brute_force(begins, total, begin, end, count):
    shown = []
    for column in range(count):
        first = begin + (end - begin) * column / count
        last = begin + (end - begin) * (column + 1) / count
        held = [i for i in range(len(begins))
                if first <= begins[i] < last or (begins[i] < first and (i + 1 == len(begins) or begins[i + 1] > first))]
        shown.append(max(total[i] for i in held))
    return shown


@pytest.mark.parametrize("mode", ["time", "event"])
@pytest.mark.parametrize("part", [(0.0, 1.0), (0.31, 0.47), (0.5, 0.504)])
def test_each_pixel_column_shows_its_largest_moment(browser, pages, mode, part):
    browser.open(pages / "training.html")
    result = browser.run("""
        const {events, view} = chart;
        view.setMode(arguments[0]);
        const extent = view.extent();
        view.show(...arguments[1].map((part) => part * extent));
        const {states} = new PixelColumns(events, view, 97);
        return {begins: [-1, ...(arguments[0] === 'time' ? events.ns : Array.from(events.ns.keys()))], total: [...events.total],
                begin: view.begin, end: view.end, shown: [...states].map((state) => events.total[state])}""", mode, part)
    assert result["shown"] == brute_force(result["begins"], result["total"], result["begin"], result["end"], 97)


def test_the_search_for_the_largest_agrees_with_a_scan(browser, pages):
    browser.open(pages / "long.html")
    wrong = browser.run("""
        const {total} = chart.events;
        let seed = 7, wrong = 0;
        const random = (below) => (seed = (seed * 1103515245 + 12345) % 2147483648) % below;
        for (let i = 0; i < 300; ++i) {
          const first = random(total.length), last = Math.min(total.length - 1, first + random(i % 3 ? 9000 : 400000));
          let best = first;
          for (let state = first; state <= last; ++state) if (total[state] > total[best]) best = state;
          if (total[chart.events.largestState(first, last)] !== total[best]) ++wrong;
        }
        return wrong""")
    assert wrong == 0


def test_categories_at_any_state_are_those_of_all_blocks_alive(browser, pages):
    browser.open(pages / "training.html")
    wrong = browser.run("""
        const {events} = chart;
        let wrong = 0;
        for (let state = 0; state <= events.count; state += 97) {
          const sums = new Array(8).fill(0);
          for (let id = 0; id < events.bytes.length; ++id) {
            if (events.isAliveAt(id, state)) sums[events.categoryOfSite[events.site[id]]] += events.bytes[id];
          }
          const bytes = events.categoriesAt(state, new Float64Array(8));
          if (sums.some((sum, i) => sum !== bytes[i])) ++wrong;
        }
        return wrong""")
    assert wrong == 0


def test_modules_are_told_above_the_memory_on_demand(browser, pages):
    browser.open(pages / "training.html")
    height = browser.run("return document.querySelector('.drawing').clientHeight")
    browser.press("l")
    labels = browser.run("return chart.rows.find(({name}) => name === 'layers').intervals.map(({label}) => label)")
    assert {f"layers.{layer}" for layer in range(12)} | {"lm_head"} <= set(labels)
    assert browser.run("return document.querySelector('.drawing').clientHeight") > height


def test_the_page_of_a_cut_file_says_so_and_keeps_its_tables(browser, pages, tmp_path):
    text = (pages / "training.html").read_text()
    begin = text.index('id="events">') + len('id="events">')
    end = text.index("</script>", begin)
    (tmp_path / "cut.html").write_text(text[:begin] + text[begin:begin + (end - begin) // 8 * 4] + text[end:])
    browser.open(tmp_path / "cut.html")
    assert browser.run("return document.body.dataset.ready") == "failed"
    assert "cannot be drawn" in browser.run("return document.querySelector('#chart .notice').textContent")
    data = json.loads(browser.run("return document.getElementById('facts').textContent"))
    assert browser.run("return document.querySelectorAll('#categories tbody tr').length") == CATEGORIES + 1
    assert browser.run("return document.querySelectorAll('#blocks tbody tr').length") == len(data["peak"]["largest_blocks"])


def test_micro_batches_have_a_row_where_a_step_has_several(browser, pages):
    browser.open(pages / "training.html")
    batches = browser.run("""
        const phase = (step, microBatch, kind, begin) => ({step, microBatch, kind, depth: 0, begin, end: begin + 9, beginState: begin, endState: begin + 9});
        const FORWARD = PHASE_TINTS.indexOf('forward'), BACKWARD = PHASE_TINTS.indexOf('backward'), OPTIMIZER = PHASE_TINTS.indexOf('optimizer');
        return microBatches([phase(0, 0, FORWARD, 0), phase(0, 0, BACKWARD, 10), phase(0, 1, FORWARD, 20), phase(0, 1, BACKWARD, 30),
          phase(0, 1, OPTIMIZER, 40), phase(1, 0, FORWARD, 50), phase(1, 0, BACKWARD, 60)]).map(({label, begin, end}) => [label, begin, end])""")
    assert batches == [["micro-batch 0", 0, 19], ["micro-batch 1", 20, 39]]


def test_small_blocks_are_joined_under_one_name(browser, pages):
    browser.open(pages / "training.html")
    names = browser.run("""
        return [joinedModuleName('layers.3', 'layers.3'), joinedModuleName('layers.12', 'layers.14'), joinedModuleName('layers.1', 'lm_head'),
          joinedModuleName('', 'layers.2'), moduleOfSite({name: 'layers.7.attn.wq.weight', layer: ''}), moduleOfSite({name: '', layer: 'model.layers.7.attn'}),
          moduleOfSite({name: 'inputs', layer: ''})]""")
    assert names == ["layers.3", "layers.12 – 14", "layers.1 – lm_head", "(no module) – layers.2", "layers.7", "model.layers.7", ""]
    browser.press("0")
    joined = browser.run("""
        const {bands} = chart.current().arranged;
        return bands.filter((band) => band.members).map((band) => [chart.layout.label(band, run.categories[band.category].name), band.members.length])""")
    assert any(count > 1 for _, count in joined)
    assert all(label for label, _ in joined)


def test_reserved_is_the_most_of_each_column(browser, pages):
    browser.open(pages / "training.html")
    wrong = browser.run("""
        const {events, view} = chart;
        view.showWhole();
        // As a store tells it: grows and shrinks at some events.
        events.reserved = {states: Uint32Array.from([3, 500, 501, 502, 4000, 8000]), bytes: Float64Array.from([1e9, 3e9, 4e9, 2e9, 5e9, 1e9])};
        chart.drawNow();
        const {columns, reserved} = chart.frame;
        const levelAt = (state) => events.reserved.bytes[events.reserved.states.findLastIndex((begin) => begin <= state)] || 0;
        let wrong = 0;
        for (let column = 0; column < columns.count; ++column) {
          const [first, last] = [view.begin + view.span * column / columns.count, view.begin + view.span * (column + 1) / columns.count].map((position) => view.stateAt(position));
          let most = 0;
          for (let state = first; state <= last; ++state) most = Math.max(most, levelAt(state));
          if (reserved[column] !== most && Math.abs(last - first) > 0) ++wrong;
        }
        return [wrong, Math.max(...reserved)]""")
    assert wrong[1] == 5e9
    assert wrong[0] <= 2  # a change exactly at a column's edge may count to either column


def test_steps_too_narrow_to_be_told_apart_are_still_there(browser, pages):
    browser.open(pages / "many_steps.html")
    browser.press("0")
    row = browser.run("return [...visibleIntervals(run.steps, chart.view)].map(({left}) => left)")
    assert len(row) > 500
    assert max(after - before for before, after in zip(row, row[1:])) < 4
