# SPDX-License-Identifier: Apache-2.0
"""The timeline by wheel, pointer, keys and buttons, over time and over events."""

import pytest
from selenium.webdriver.support.ui import WebDriverWait

from on_timeline import PICTURE, click, mouse, press_and_draw, view


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
            moment = browser.run("return document.getElementById('moment').textContent")
            assert f"{peak['allocated_bytes']:,}" in moment and "At the cursor" in moment
            assert f"step {peak['step']}" in moment and peak["phase"] in moment
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
                where: document.querySelector('.moment-where').textContent,
                cells: [...document.querySelectorAll('#moment .exact')].map((cell) => cell.textContent)}""")
    assert state["cells"] == [f"{amount:,.0f}" for amount in [*state["bytes"], state["total"]]]
    assert state["where"].startswith("step ")
    browser.press("Escape")
    assert browser.run("return document.querySelector('#chart .tooltip').hidden")
    peak = browser.run("return run.peak.allocated_bytes")
    told = browser.run("return document.getElementById('moment').textContent")
    assert "At the peak" in told and f"{peak:,}" in told


def test_a_click_tells_all_that_is_known_of_a_block_and_hovering_what_it_is(browser, pages):
    browser.open(pages / "training.html")
    browser.press("p")
    browser.press("f")
    spot = browser.run("""
        const {labels} = chart.current();
        const {column, columns, row, id} = labels.find(({id}) => id !== undefined && chart.events.sites[chart.events.site[id]].kind === 'logits');
        return [column + columns / 2, row, id]""")
    mouse(browser, "mouseMoved", spot[0], spot[1])
    title, amount = browser.run("return [...document.querySelectorAll('#chart .tooltip p')].map((line) => line.textContent)")
    assert title == browser.run("return blockTitle(chart.events, arguments[0], '')", spot[2])
    assert amount.endswith(" MiB · Activation / logits")
    click(browser, spot[0], spot[1])
    text = browser.run("return document.getElementById('pinned-facts').textContent")
    for part in ("Activation / logits", "aten::mm", "lm_head", "Born in", "forward", "Lived"):
        assert part in text, text


def test_a_click_pins_a_block_which_stays_a_band_of_its_own(browser, pages):
    browser.open(pages / "training.html")
    for key in ("p", "f", "h"):
        browser.press(key)
    browser.run("document.getElementById('chart').scrollIntoView({block: 'center'})")
    spot = browser.run("""
        const {column, columns, row} = chart.current().labels.find(({id}) => id !== undefined);
        return [column + columns / 2, row]""")
    click(browser, *spot)
    pinned = browser.run("return chart.settings.pinned")
    assert pinned >= 0
    assert not browser.run("return document.getElementById('pinned').hidden")
    assert browser.run("return document.querySelectorAll('#pinned-facts dt').length") > 5
    # It is outlined even if it is far too small to be seen there.
    browser.press("0")
    assert browser.run("const {pinnedBand} = chart.current(); return pinnedBand === null ? -1 : pinnedBand.id") in (pinned, -1)
    browser.run("document.getElementById('show-pinned').click()")
    assert browser.run("return chart.current().pinnedBand.id") == pinned
    browser.press("Escape")
    assert browser.run("return document.getElementById('pinned').hidden")


def test_the_smallest_block_has_a_band_once_it_is_pinned(browser, pages):
    browser.open(pages / "training.html")
    smallest = browser.run("""
        const {bySize, death} = chart.events;
        const id = bySize[bySize.length - 1];
        chart.set({pinned: id});
        chart.view.showWhole();
        chart.view.showInterval({begin: chart.events.ns[chart.events.birth[id]], beginState: chart.events.birth[id],
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


def test_the_strip_below_follows_and_leads(browser, pages):
    browser.open(pages / "training.html")
    selected = lambda: browser.run("return document.querySelector('.brush .selection').getBoundingClientRect().width")
    browser.press("p")
    WebDriverWait(browser.driver, 10).until(lambda _: selected() < 60)
    browser.press("0")
    WebDriverWait(browser.driver, 10).until(lambda _: selected() > 0.95 * browser.run('return chart.width'))
    # Drag its right edge.
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


def test_the_capacity_is_named_left_of_what_stands_there(browser, pages):
    """The page used to hang at places where (x - width) + width is more than x."""
    browser.open(pages / "training.html")
    named = browser.run("""
        const said = [{left: 23.256389283510554, top: -9, width: 60, height: 18}, {left: 200, top: -9, width: 90, height: 18}];
        const places = [];
        const drawing = {context: {measureText: () => ({width: arguments[0]})}, palette: {css: () => ''}, row: () => 0, text: (...words) => places.push(words[1])};
        for (const width of [280, 430]) Overlay.prototype.nameCapacity.call({...drawing, said, view: {width}}, 1e9);
        return places;""", 122.197265625)
    assert named == [424]
