# SPDX-License-Identifier: Apache-2.0
"""The timeline by wheel, pointer and keys: what it shows, over time and over events."""

import json

import pytest
from selenium.webdriver.support.ui import WebDriverWait

CATEGORIES = 8


def view(browser):
    return browser.run("return [chart.view.begin, chart.view.end]")


def press_and_draw(browser, key, **modifiers):
    browser.press(key, **modifiers)
    browser.run("chart.current()")


def place(browser, x, y):
    """On the page, of a place in the plot."""
    box = browser.run("const b = document.getElementById('chart').getBoundingClientRect(); return [b.left, b.top]")
    margin, top = browser.run("return [CHART_MARGIN.left, chart.plotTop]")
    return box[0] + margin + x, box[1] + top + y


def mouse(browser, kind, x, y, **arguments):
    left, top = place(browser, x, y)
    browser.command("Input.dispatchMouseEvent", type=kind, x=left, y=top, **arguments)


def click(browser, x, y):
    mouse(browser, "mousePressed", x, y, button="left", buttons=1, clickCount=1)
    mouse(browser, "mouseReleased", x, y, button="left", clickCount=1)


# Runs in the page: colours of a column of the picture, from the bottom up, joined where they repeat.
PICTURE = """
    chart.current();
    const {width, height, pixels} = chart.raster;
    const colours = [];
    for (let row = height - 1; row >= 0; --row) {
      const pixel = pixels[row * width + arguments[0]];
      if (pixel !== colours[colours.length - 1]) colours.push(pixel);
    }
    return colours"""


def test_opens_on_the_peaks_step(browser, pages):
    browser.open(pages / "training.html")
    step = browser.run("return run.peakStep")
    begin, end = view(browser)
    assert begin < step["begin"] and step["end"] < end
    assert end - begin < 1.2 * (step["end"] - step["begin"])


def test_names_steps_phases_and_the_window_above_the_plot(browser, pages):
    browser.open(pages / "training.html")
    rows = browser.run("""
        return chart.rows.map(({name, stretches}) => ({name, labels: [...visibleStretches(stretches, chart.view)]
          .filter(({stretch}) => stretch).map(({stretch, width}) => stretchText(stretch, width))}))""")
    assert [row["name"] for row in rows] == ["window", "steps", "phases"]
    assert rows[0]["labels"] == ["window: steps 3 to 8"]
    assert "step 3" in rows[1]["labels"]
    assert {"forward", "backward", "optimizer"} <= set(rows[2]["labels"])


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


# What PixelColumns promises, said once more: every state with the stretch of the axis over which it holds.
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


def test_shows_categories_alone_and_allocations_again(browser, pages):
    browser.open(pages / "training.html")
    many = browser.run(PICTURE, 400)
    press_and_draw(browser, "v")
    few = browser.run(PICTURE, 400)
    assert len(few) < len(many)
    parameter = browser.run("return chart.palette.categories[0].shades[0]")
    assert few[0] == parameter
    assert browser.run("return document.getElementById('show-categories').getAttribute('aria-pressed')") == "true"
    press_and_draw(browser, "v")
    assert browser.run(PICTURE, 400) == many


def test_goes_to_the_peak_by_button_and_by_key(browser, pages):
    browser.open(pages / "training.html")
    peak = browser.run("return run.peak")
    browser.press("0")
    whole = view(browser)
    for mode in ("time", "event"):
        for act in (lambda: browser.run("document.getElementById('show-peak').click()"), lambda: browser.press("p")):
            browser.press("0")
            act()
            begin, end = view(browser)
            here = browser.run("return chart.view.positionOf(run.peak.ns, run.peak.state - 1)")
            assert begin <= here <= end and end - begin < (whole[1] - whole[0]) / 20
            readout = browser.run("return document.querySelector('.readout').textContent")
            assert f"{peak['allocated_bytes']:,} bytes" in readout
            assert f"step {peak['step']}" in readout and peak["phase"] in readout
        browser.press("x")
        browser.press("0")
        whole = view(browser)


def test_the_same_events_stay_visible_when_the_axis_changes(browser, pages):
    browser.open(pages / "training.html")
    before = view(browser)
    events = browser.run("return [chart.view.stateAt(chart.view.begin), chart.view.stateAt(chart.view.end)]")
    browser.press("x")
    assert view(browser) == pytest.approx(events, abs=1)
    browser.press("x")
    assert view(browser) == pytest.approx(before, rel=0.02)


def test_the_cursor_reads_exact_bytes_by_category_and_phase(browser, pages):
    browser.open(pages / "training.html")
    mouse(browser, "mouseMoved", 620, 40)
    state = browser.run("""
        const {state} = chart.stateAt(620);
        return {bytes: [...chart.events.categoriesAt(state, new Float64Array(8))], total: chart.events.total[state],
                where: document.querySelector('.readout-where').textContent,
                cells: [...document.querySelectorAll('.readout .exact')].map((cell) => cell.textContent)}""")
    assert state["cells"] == [f"{amount:,.0f} bytes" for amount in [*state["bytes"], state["total"]]]
    assert state["where"].startswith("step ")
    browser.press("Escape")
    assert browser.run("return document.querySelector('.readout').hidden")


def test_hovering_a_block_tells_all_that_is_known_of_it(browser, pages):
    browser.open(pages / "training.html")
    browser.press("p")
    browser.press("f")
    spot = browser.run("""
        const {labels} = chart.current();
        const {column, columns, row, id} = labels.find(({id}) => id !== undefined && chart.events.sites[chart.events.site[id]].kind === 'logits');
        return [column + columns / 2, row, id]""")
    mouse(browser, "mouseMoved", spot[0], spot[1])
    text = browser.run("return document.querySelector('.readout-block').textContent")
    for part in ("Activation / logits", "aten::mm", "lm_head", "Born in", "forward", "Lived"):
        assert part in text, text


def test_a_click_pins_a_block_which_stays_a_band_of_its_own(browser, pages):
    browser.open(pages / "training.html")
    browser.press("p")
    browser.press("f")
    spot = browser.run("""
        const {column, columns, row} = chart.current().labels.find(({id}) => id !== undefined);
        return [column + columns / 2, row]""")
    click(browser, *spot)
    pinned = browser.run("return chart.settings.pinned")
    assert pinned >= 0
    assert not browser.run("return document.getElementById('pinned').hidden")
    assert browser.run("return document.querySelectorAll('#pinned-facts dt').length") > 5
    # Far too small to be seen there, it is outlined all the same.
    browser.press("0")
    assert browser.run("const {pinnedBand} = chart.current(); return pinnedBand === null ? -1 : pinnedBand.id") in (pinned, -1)
    browser.run("document.getElementById('show-pinned').click()")
    assert browser.run("return chart.current().pinnedBand.id") == pinned
    browser.press("Escape")
    browser.press("Escape")
    assert browser.run("return document.getElementById('pinned').hidden")


def test_the_smallest_block_has_a_band_once_it_is_pinned(browser, pages):
    browser.open(pages / "training.html")
    smallest = browser.run("""
        const {bySize, death} = chart.events;
        const id = bySize[bySize.length - 1];
        chart.set({pinned: id});
        chart.view.showWhole();
        chart.view.showStretch({begin: chart.events.ns[chart.events.birth[id]], beginState: chart.events.birth[id],
          end: chart.events.ns[death[id]], endState: death[id]}, 2);
        return [id, chart.current().pinnedBand.id]""")
    assert smallest[0] == smallest[1]


def test_zooms_and_pans_with_wheel_and_keys(browser, pages):
    browser.open(pages / "training.html")
    whole = view(browser)
    mouse(browser, "mouseWheel", 520, 200, deltaX=0, deltaY=-400)
    zoomed = view(browser)
    assert zoomed[1] - zoomed[0] < whole[1] - whole[0]
    mouse(browser, "mousePressed", 500, 200, button="left", buttons=1, clickCount=1)
    mouse(browser, "mouseMoved", 400, 200, button="left", buttons=1)
    mouse(browser, "mouseReleased", 400, 200, button="left")
    dragged = view(browser)
    assert dragged[0] == pytest.approx(zoomed[0] + (zoomed[1] - zoomed[0]) * 100 / browser.run("return chart.width"), rel=1e-3)
    browser.run("chart.focusable.focus()")
    browser.press("ArrowRight", shiftKey=True)
    panned = view(browser)
    assert panned[0] > dragged[0] and panned[1] - panned[0] == pytest.approx(zoomed[1] - zoomed[0])
    browser.press("+")
    assert view(browser)[1] - view(browser)[0] < panned[1] - panned[0]
    browser.press("ArrowLeft")
    assert "MiB allocated" in browser.run("return document.getElementById('spoken').textContent")


def test_stretches_the_height_and_hides_the_floor(browser, pages):
    browser.open(pages / "training.html")
    vertical = lambda: browser.run("chart.current(); return [chart.vertical.low, chart.vertical.high]")
    fitted = vertical()
    assert fitted[0] == 0
    browser.press("f")
    floor = vertical()
    least = browser.run("return Math.min(...chart.frame.totals)")
    assert 0 < floor[0] <= least
    browser.press("f")
    assert vertical() == fitted
    browser.run("chart.focusable.focus()")
    browser.press("ArrowUp")
    assert vertical()[1] - vertical()[0] < fitted[1]
    mouse(browser, "mouseWheel", -30, 100, deltaX=0, deltaY=-300)
    assert vertical()[1] - vertical()[0] < fitted[1] / 1.5
    browser.press("y")
    assert vertical() == fitted


def test_the_page_scrolls_where_the_whole_run_cannot_zoom_out(browser, pages):
    browser.open(pages / "training.html")
    browser.press("0")
    whole = view(browser)
    prevented = browser.run("""
        const event = new WheelEvent('wheel', {deltaY: 100, bubbles: true, cancelable: true,
          clientX: document.querySelector('.picture').getBoundingClientRect().left + 100});
        chart.focusable.dispatchEvent(event);
        return event.defaultPrevented""")
    assert not prevented and view(browser) == whole


def test_a_category_is_hidden_and_shown_by_its_button(browser, pages):
    browser.open(pages / "training.html")
    browser.run("chart.current()")
    before = browser.run("return chart.vertical.high")
    colours = browser.run(PICTURE, 400)
    browser.run("document.querySelectorAll('#legend button')[0].click()")
    assert browser.run("return document.querySelectorAll('#legend button')[0].getAttribute('aria-pressed')") == "false"
    assert browser.run("chart.current(); return chart.vertical.high") < before
    shades = browser.run("return chart.palette.categories[0].shades")
    assert set(shades) & set(colours) and not set(shades) & set(browser.run(PICTURE, 400))
    browser.run("document.querySelectorAll('#legend button')[0].click()")
    assert browser.run(PICTURE, 400) == colours


def test_search_leaves_only_what_matches_in_colour(browser, pages):
    browser.open(pages / "training.html")
    browser.run("""
        const input = document.getElementById('search');
        input.value = 'SOFTMAX layers.3';
        input.dispatchEvent(new Event('input'));""")
    matches = browser.run("return chart.events.sites.filter((_, site) => chart.settings.matches[site]).map(({op, layer}) => [op, layer])")
    assert matches == [["aten::softmax", "layers.3.attn"]]
    assert browser.run("return document.getElementById('search-found').textContent") == "9 of 4,461 allocations"
    allowed = browser.run("""
        const {categories, unmatched, ground} = chart.palette;
        return [...categories[4].shades, categories[4].edge, ...unmatched.shades, unmatched.remainder, unmatched.edge, ground]""")
    seen = {colour for column in range(50, 1000, 50) for colour in browser.run(PICTURE, column)}
    assert seen <= set(allowed)
    assert seen & set(allowed[:4])
    browser.run("const input = document.getElementById('search'); input.value = ''; input.dispatchEvent(new Event('input'));")
    assert browser.run("return chart.settings.matches") is None


def test_detail_keeps_the_largest_and_lists_them(browser, pages):
    browser.open(pages / "training.html")
    result = browser.run("""
        const slider = document.getElementById('detail');
        slider.value = DETAILS.indexOf(0.1);
        slider.dispatchEvent(new Event('input'));
        chart.current();
        const {bytes} = chart.events;
        const kept = [...bytes].filter((size) => size >= chart.settings.leastBytes);
        const drawn = chart.frame.arranged.bands.flatMap((band) => (band.members ? chart.layout.membersAt(band, band.from) : [band.id]));
        return {count: bytes.length, kept: kept.length, least: chart.settings.leastBytes,
                drawn: Math.min(...drawn.map((id) => bytes[id])),
                larger: [...bytes].filter((size) => size > chart.settings.leastBytes).length,
                text: document.getElementById('detail-text').textContent,
                wrong: [...chart.raster.stacked].filter((sum, column) => sum !== chart.frame.totals[column]).length}""")
    tenth = -(-result["count"] // 10)
    assert result["larger"] < tenth <= result["kept"]
    assert result["drawn"] >= result["least"] > 0
    assert result["wrong"] == 0
    assert result["text"].startswith(f"10 %: the {result['kept']:,} of at least ")


def test_the_table_lists_the_largest_that_are_visible_and_pins_them(browser, pages):
    browser.open(pages / "training.html")
    browser.press("p")
    browser.run("chart.current(); for (const listener of chart.listeners) listener();")
    rows = browser.run("""
        return largestVisible(chart.events, chart.view.stateAt(chart.view.begin), chart.view.stateAt(chart.view.end), chart.settings)
          .map(({ids, bytes}) => [bytes, ids.length])""")
    alive = browser.run("""
        const {events, view} = chart;
        const [first, last] = [view.stateAt(view.begin), view.stateAt(view.end)];
        return Math.max(...[...events.bytes].filter((_, id) => events.birth[id] < last && events.death[id] >= first))""")
    assert rows[0][0] == alive and [row[0] for row in rows] == sorted((row[0] for row in rows), reverse=True)
    browser.run("document.querySelector('#largest .pick').click()")
    assert browser.run("return chart.events.bytes[chart.settings.pinned]") == alive
    browser.press("n")
    assert browser.run("return chart.events.bytes[chart.settings.pinned]") == rows[1][0]


def test_modules_are_told_above_the_memory_on_demand(browser, pages):
    browser.open(pages / "training.html")
    height = browser.run("return document.querySelector('.drawing').clientHeight")
    browser.press("l")
    labels = browser.run("return chart.rows.find(({name}) => name === 'layers').stretches.map(({label}) => label)")
    assert {f"layers.{layer}" for layer in range(12)} | {"lm_head"} <= set(labels)
    assert browser.run("return document.querySelector('.drawing').clientHeight") > height


def test_the_strip_below_follows_and_leads(browser, pages):
    browser.open(pages / "training.html")
    selected = lambda: browser.run("return document.querySelector('.brush .selection').getBoundingClientRect().width")
    browser.press("p")
    WebDriverWait(browser.driver, 10).until(lambda _: selected() < 60)
    browser.press("0")
    WebDriverWait(browser.driver, 10).until(lambda _: selected() > 900)
    # Its right edge is taken hold of.
    left, top, right = browser.run("""
        document.getElementById('overview').scrollIntoView({block: 'center'});
        const b = document.querySelector('.brush .overlay').getBoundingClientRect();
        return [b.left, b.top, b.right]""")
    for kind, x, held in (("mouseMoved", right - 1, 0), ("mousePressed", right - 1, 1), ("mouseMoved", (left + right) / 2, 1), ("mouseReleased", (left + right) / 2, 0)):
        browser.command("Input.dispatchMouseEvent", type=kind, x=x, y=top + 20, button="left" if held or "Rel" in kind else "none", buttons=held, clickCount=1)
    extent = browser.run("return chart.view.extent()")
    begin, end = view(browser)
    assert begin == 0 and end == pytest.approx(extent / 2, rel=0.02)


def test_keys_are_listed(browser, pages):
    browser.open(pages / "training.html")
    browser.press("?")
    assert browser.run("return document.getElementById('keys').open")
    text = browser.run("return document.getElementById('keys-list').textContent")
    assert "go to the peak" in text and "hide the static floor" in text
    browser.run("document.getElementById('close-keys').click()")
    assert not browser.run("return document.getElementById('keys').open")


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
    assert wrong[0] <= 2  # a change right at a column's edge may be counted to either


def test_steps_too_narrow_to_be_told_apart_are_still_there(browser, pages):
    browser.open(pages / "many_steps.html")
    browser.press("0")
    row = browser.run("return [...visibleStretches(run.steps, chart.view)].map(({left}) => left)")
    assert len(row) > 500
    assert max(after - before for before, after in zip(row, row[1:])) < 4
