# SPDX-License-Identifier: Apache-2.0
"""The lanes below the memory: operators, modules, ranges and device activity, on the memory's time
axis."""

import pytest


def move(browser, kind, x, y, **arguments):
    """Move the pointer over the lanes' drawing."""
    left, top = browser.run("const b = lanes.canvas.getBoundingClientRect(); return [b.left, b.top]")
    browser.command("Input.dispatchMouseEvent", type=kind, x=left + x, y=top + y, **arguments)


def click(browser, x, y):
    move(browser, "mousePressed", x, y, button="left", buttons=1, clickCount=1)
    move(browser, "mouseReleased", x, y, button="left", clickCount=1)


def show_lanes(browser):
    browser.run("document.getElementById('lanes').scrollIntoView({block: 'center'}); chart.current()")


def spot_of(browser, condition):
    """Return [x, y, id] of the longest visible span for which the JavaScript `condition` over `id`
    and `site` holds."""
    return browser.run(f"""
        const {{spans, layout}} = lanes;
        const {{view}} = chart;
        let best = null;
        for (const {{row, top}} of layout.rows) {{
          row.rectangles(view, (left, right, first, last) => {{
            const id = row.ids[first];
            const site = spans.siteOf(id);
            if (last !== first + 1 || !({condition}) || (best && right - left <= best[3])) return;
            best = [(left + right) / 2, top + LANE_ROW / 2, id, right - left];
          }});
        }}
        return best && best.slice(0, 3)""")


def tooltip(browser):
    """Return the tooltip's lines, or None while it is hidden."""
    return browser.run("""
        const box = document.querySelector('#lanes .tooltip');
        return box.hidden ? null : [...box.querySelectorAll('p')].map((line) => line.textContent)""")


def details(browser):
    """Return the text of the panel beside the plot about the pinned span."""
    return browser.run("""
        const box = document.getElementById('span-pinned');
        const list = [...box.querySelectorAll('dt')].map((term) => [term.textContent, term.nextElementSibling.textContent]);
        return {title: box.querySelector('h3').textContent, ...Object.fromEntries(list)}""")


def test_stand_below_the_memory_by_thread_and_stream(browser, pages):
    browser.open(pages / "timed.html")
    titles = browser.run("return [...document.querySelectorAll('.lane-title')].map((title) => title.textContent)")
    assert titles == ["Ranges: phases, and what the program named", "Modules, thread 100 (training)",
                      "Operators, thread 100 (training)", "Modules, thread 101 (autograd or other)",
                      "Operators, thread 101 (autograd or other)", "GPU 0, stream 7", "GPU 0, stream 8"]
    above, below = browser.run("""
        return ['chart', 'lanes'].map((id) => document.getElementById(id).getBoundingClientRect().toJSON())""")
    assert above["bottom"] <= below["top"] and below["height"] > 200
    assert browser.run("return lanes.rectangles") > 300
    painted = browser.run("""
        const {width, height} = lanes.canvas;
        const pixels = new Uint32Array(lanes.canvas.getContext('2d').getImageData(0, 0, width, height).data.buffer);
        return pixels.filter((pixel) => pixel !== lanes.palette.ground).length""")
    assert painted > 10_000
    assert browser.console_errors() == []


@pytest.mark.parametrize("mode", ["time", "event"])
@pytest.mark.parametrize("part", [(0.0, 1.0), (0.4, 0.6), (0.5, 0.505)])
def test_each_rectangle_lies_where_the_axis_has_its_spans(browser, pages, mode, part):
    browser.open(pages / "timed.html")
    wrong = browser.run("""
        const {view, events} = chart;
        view.setMode(arguments[0]);
        view.show(...arguments[1].map((part) => part * view.extent()));
        const {spans, layout} = lanes;
        const faults = [];
        let rectangles = 0;
        for (const {row} of layout.rows) {
          let lastRight = -1, drawn = 0, seen = 0, next = -1;
          const edges = row.edges(view);
          row.rectangles(view, (left, right, first, last) => {
            ++rectangles;
            if (left < lastRight - 1 || right < left || left < 0 || right > view.width) faults.push(['place', left, right]);
            if (next >= 0 && first !== next) faults.push(['left out', next, first]);
            [lastRight, next] = [right, last];
            drawn += last - first;
            if (last === first + 1 && right - left >= 2) {
              const [from, to] = [view.x(edges.begin[first]), view.x(edges.end[first])];
              if (Math.abs(Math.max(from, 0) - left) > 0.01 || Math.abs(Math.min(to, view.width) - right) > 1) faults.push(['edges', from, left]);
            }
          });
          for (let i = 0; i < row.ids.length; ++i) if (edges.end[i] > view.begin && view.x(edges.begin[i]) < view.width) ++seen;
          // What has no length where the view begins is on neither side of its edge.
          if (drawn < seen) faults.push(['count', drawn, seen]);
        }
        return [faults.slice(0, 5), rectangles]""", mode, part)
    assert wrong[0] == []
    assert 0 < wrong[1] < 5000


def test_a_wheel_over_the_lanes_moves_the_memory_too(browser, pages):
    browser.open(pages / "timed.html")
    show_lanes(browser)
    before = browser.run("return [chart.view.begin, chart.view.end, chart.view.position(300)]")
    spot = spot_of(browser, "site.kind === SPAN_PHASE")
    move(browser, "mouseWheel", 300, spot[1], deltaX=0, deltaY=-240)
    browser.run("chart.current()")
    after = browser.run("return [chart.view.begin, chart.view.end, chart.view.position(300), chart.frame.view.begin]")
    assert after[1] - after[0] < 0.9 * (before[1] - before[0])
    assert after[2] == pytest.approx(before[2], rel=1e-9)
    drawn = browser.run("return lanes.rectangles")
    browser.press("0")
    browser.run("chart.current()")
    assert browser.run("return lanes.rectangles") != drawn
    # The lanes can also be dragged.
    browser.run("chart.view.show(chart.view.extent() * 0.4, chart.view.extent() * 0.5)")
    begin = browser.run("return chart.view.begin")
    move(browser, "mousePressed", 400, spot[1], button="left", buttons=1, clickCount=1)
    move(browser, "mouseMoved", 300, spot[1], button="left", buttons=1)
    move(browser, "mouseReleased", 300, spot[1], button="left", clickCount=1)
    assert browser.run("return chart.view.begin") == pytest.approx(
        begin + browser.run("return chart.view.span") * 100 / browser.run("return chart.view.width"), rel=1e-6)


def test_the_pointer_has_a_line_through_both(browser, pages):
    browser.open(pages / "timed.html")
    show_lanes(browser)
    spot = spot_of(browser, "site.kind === SPAN_PHASE")
    move(browser, "mouseMoved", 321, spot[1])
    assert browser.run("return Math.floor(chart.cursor)") == 321
    line = browser.run("""
        const line = document.querySelector('.lanes-cursor');
        return line.hidden ? -1 : line.getBoundingClientRect().left - lanes.canvas.getBoundingClientRect().left""")
    assert line == 321
    move(browser, "mouseMoved", 321, -2000)
    assert browser.run("return chart.cursor") is None


def test_an_operator_is_told_to_the_nanosecond(browser, pages):
    browser.open(pages / "timed.html")
    show_lanes(browser)
    x, y, span = spot_of(browser, "spans.laneOf(id).kind === 'operators' && spans.bytes[id] > 0 && spans.called[id] > 0 && spans.device[id] > 0")
    move(browser, "mouseMoved", x, y)
    known = browser.run("""
        const {spans} = lanes, id = arguments[0];
        return {length: spans.length[id], self: spans.self(id), device: spans.device[id], bytes: spans.bytes[id], ...spans.siteOf(id)}""", span)
    name, took, where = tooltip(browser)
    assert name.startswith(known["name"]) and took == browser.run("return duration(arguments[0])", known["length"])
    assert where.startswith(f"{known['layer']} · step ")
    click(browser, x, y)
    shown = details(browser)
    assert shown["title"].startswith(known["name"])
    assert shown["Took"].endswith(f"{known['length']:,.0f} ns")
    assert shown["Itself"].endswith(f"{known['self']:,.0f} ns")
    assert shown["On the device"].endswith(f"{known['device']:,.0f} ns")
    assert shown["Allocated in it"].endswith(f"{known['bytes']:,.0f} bytes")
    assert shown["Layer"] == known["layer"] and known["layer"].startswith("layers.")
    assert shown["Phase"].startswith("step ") and shown["Phase"].endswith(known["phase"])
    browser.run("chart.view.zoomBy(1.1)")
    assert tooltip(browser) is None


def test_a_matrix_product_is_told_with_its_shape_and_rate(browser, pages):
    browser.open(pages / "timed.html")
    browser.press("p")
    show_lanes(browser)
    x, y, span = spot_of(browser, "spans.product[id] > 0 && spans.device[id] > 0")
    click(browser, x, y)
    shown = details(browser)
    assert shown["Product"] == "64x16x32, 0.1 MFLOP"
    rate = 2 * 64 * 16 * 32 / browser.run("return lanes.spans.device[arguments[0]]", span)
    assert shown["FLOP/s"] == f"{rate:,.2f} GFLOP/s on the device"
    assert shown["FLOP/byte"] == f"{2 * 64 * 16 * 32 / (4 * (64 * 32 + 32 * 16 + 64 * 16)):.1f}"


def test_copies_say_what_they_moved_and_kernels_who_asked(browser, pages):
    browser.open(pages / "timed.html")
    browser.press("p")
    show_lanes(browser)
    x, y, _ = spot_of(browser, "site.kind === SPAN_KERNEL")
    click(browser, x, y)
    assert details(browser)["Asked by"] == "aten::mm"
    browser.press("s")
    browser.run("lanes.show(lanes.spans.longestNamed('Memcpy HtoD'), 3); chart.current()")
    x, y, _ = spot_of(browser, "site.kind === SPAN_COPY")
    click(browser, x, y)
    shown = details(browser)
    assert shown["title"] == "Memcpy HtoD (copy)" and shown["Moved"].endswith("123,456 bytes")


def test_a_click_pins_an_operator_and_outlines_what_it_asked_for(browser, pages):
    browser.open(pages / "timed.html")
    browser.press("p")
    show_lanes(browser)
    x, y, span = spot_of(browser, "spans.laneOf(id).kind === 'operators' && spans.row[id] === 0 && spans.device[id] > 0")
    click(browser, x, y)
    assert browser.run("return lanes.settings.pinned") == span
    facts = browser.run("return document.getElementById('span-pinned').textContent")
    assert "Asked for1 on devices" in facts and "On the device" in facts
    relatives = browser.run("return lanes.settings.relatives")
    assert relatives and all(browser.run("return arguments[0].map((id) => lanes.spans.siteOf(id).kind === SPAN_KERNEL)", relatives))
    browser.run("document.getElementById('show-span').click(); chart.current()")
    begin, end = browser.run("return [chart.view.begin, chart.view.end]")
    assert begin <= browser.run("return lanes.spans.begin[arguments[0]]", span) < end
    browser.press("Escape")
    browser.press("Escape")
    assert browser.run("return [lanes.settings.pinned, document.getElementById('span-pinned').hidden]") == [-1, True]
    # Go from the kernel back to its caller.
    browser.run("lanes.set({pinned: -1})")
    browser.press("p")
    browser.run("chart.current()")
    click(browser, *spot_of(browser, "site.kind === SPAN_KERNEL")[:2])
    asker = browser.run("return lanes.spans.asker[lanes.settings.pinned]")
    browser.run("document.getElementById('show-span-asker').click()")
    assert browser.run("return lanes.settings.pinned") == asker


def test_a_title_folds_its_lane(browser, pages):
    browser.open(pages / "timed.html")
    height, rows = browser.run("return [lanes.container.clientHeight, lanes.layout.rows.length]")
    browser.run("document.querySelectorAll('.lane-head')[2].click()")
    folded = browser.run("return [lanes.container.clientHeight, lanes.layout.rows.length]")
    assert folded[1] == rows - 3 and folded[0] < height
    assert browser.run("return document.querySelectorAll('.lane-head')[2].getAttribute('aria-expanded')") == "false"
    assert browser.run("return lanes.canvas.height") == pytest.approx(folded[0], abs=1)
    browser.run("document.querySelectorAll('.lane-head')[2].click()")
    assert browser.run("return [lanes.container.clientHeight, lanes.layout.rows.length]") == [height, rows]


def test_the_search_finds_spans(browser, pages):
    browser.open(pages / "timed.html")
    browser.run("""
        const input = document.getElementById('search');
        input.value = 'LAYERS.2 aten::mm';
        input.dispatchEvent(new Event('input'))""")
    expected, count = browser.run("""
        const {spans} = lanes;
        let found = 0;
        for (let id = 0; id < spans.count; ++id) {
          const {layer, name, asker} = spans.siteOf(id);
          if (layer === 'layers.2' && (name === 'aten::mm' || asker === 'aten::mm')) ++found;
        }
        return [found, spans.count]""")
    assert expected > 0
    said = browser.run("return document.getElementById('search-spans').textContent")
    assert said == f"{expected:,} of {count:,} operators, modules and kernels"
    browser.run("const input = document.getElementById('search'); input.value = ''; input.dispatchEvent(new Event('input'))")
    assert browser.run("return [lanes.settings.matches, document.getElementById('search-spans').textContent]") == [None, ""]


def test_keys_walk_from_span_to_span_and_speak(browser, pages):
    browser.open(pages / "timed.html")
    browser.run("lanes.canvas.focus()")
    browser.press("ArrowRight")
    first = browser.run("return lanes.selected")
    browser.press("ArrowRight")
    assert browser.run("return lanes.selected") == first + 1
    spoken = browser.run("return document.getElementById('spoken').textContent")
    assert browser.run("return lanes.spans.siteOf(lanes.selected).name") in spoken and "Took" in spoken
    browser.press("ArrowDown")
    assert browser.run("return lanes.spans.lane[lanes.selected]") == 1
    browser.press("Enter")
    assert browser.run("return lanes.settings.pinned") == browser.run("return lanes.selected")
    begin = browser.run("return chart.view.begin")
    browser.press("ArrowRight", shiftKey=True)
    assert browser.run("return chart.view.begin") > begin


def test_a_name_in_a_table_leads_to_its_longest_span(browser, pages):
    browser.open(pages / "timed.html")
    for table, name in (("time-phases", "optimizer"), ("ops", "aten::mm"), ("time-modules", "layers.0")):
        browser.run("""
            const buttons = [...document.querySelectorAll(`#${arguments[0]} button.pick`)];
            buttons.find((button) => button.textContent === arguments[1]).click()""", table, name)
        span = browser.run("return lanes.settings.pinned")
        longest = browser.run("""
            const {spans} = lanes;
            return Math.max(...Array.from(spans.length.keys()).filter((id) => spans.siteOf(id).name === arguments[0]).map((id) => spans.length[id]))""", name)
        assert browser.run("return [lanes.spans.siteOf(arguments[0]).name, lanes.spans.length[arguments[0]]]", span) == [name, longest]
        begin, end, first, last = browser.run("""
            return [chart.view.begin, chart.view.end, lanes.spans.begin[arguments[0]], lanes.spans.end[arguments[0]]]""", span)
        assert begin <= first and last <= end


def test_the_trace_for_perfetto_is_a_command_to_copy(browser, pages):
    browser.open(pages / "timed.html")
    command = "strata export runs/cs336-small/20260314-092653 --format chrome --out trace.json.gz"
    assert browser.run("return document.getElementById('trace-command').textContent") == command
    copied = browser.driver.execute_async_script("""
        const [done] = arguments;
        Object.defineProperty(navigator, 'clipboard', {configurable: true, value: {writeText: async (text) => done(text)}});
        document.getElementById('copy-trace-command').click();""")
    assert copied == command
    assert browser.run("return document.querySelector('a[href=\"https://ui.perfetto.dev\"]').checkVisibility()")
    assert browser.requested() == [(pages / "timed.html").as_uri()]


def test_what_was_not_recorded_has_no_lane_and_its_reason(browser, pages):
    notes = "return [...document.querySelectorAll('#lanes-notes li')].map((note) => note.textContent)"
    browser.open(pages / "timed_cpu.html")
    assert browser.run(notes) == ["No kernels: the run computed on the CPU."]
    assert browser.run("return lanes.spans.lanes.map(({kind}) => kind)") == ["ranges", "modules", "operators"]
    browser.open(pages / "training.html")
    assert browser.run("return lanes.spans.lanes.map(({kind}) => kind)") == ["ranges"]
    assert browser.run(notes)[0].startswith("No operators and no kernels: the run did not have the plugin cupti_timeline")
    assert browser.run("return document.getElementById('time-card').hidden")
    browser.open(pages / "empty.html")
    assert browser.run("return document.getElementById('lanes').hidden")
    for page in ("empty", "hostile", "troubled", "many_steps"):
        browser.open(pages / f"{page}.html")
        assert browser.run("return document.body.dataset.ready") == "drawn"
        assert browser.console_errors() == []


def test_sections_that_are_missing_leave_the_tables(browser, pages, tmp_path):
    text = (pages / "timed.html").read_text()
    cut = text.replace('["span_begins",', '["span_begin_times",')
    assert cut != text
    (tmp_path / "cut.html").write_text(cut)
    browser.open(tmp_path / "cut.html")
    assert browser.run("return document.body.dataset.ready") == "failed"
    assert browser.run("return document.querySelectorAll('#time-phases tbody tr').length") > 3


def test_a_hostile_kernel_name_stays_text(browser, pages):
    browser.open(pages / "hostile_kernel.html")
    browser.press("p")
    show_lanes(browser)
    x, y, _ = spot_of(browser, "site.kind === SPAN_KERNEL")
    move(browser, "mouseMoved", x, y)
    box = browser.run("return document.querySelector('#lanes .tooltip').getBoundingClientRect().toJSON()")
    assert box["right"] <= 1280 and box["height"] < 100
    click(browser, x, y)
    assert details(browser)["Whole name"].startswith("</script><img src=x")
    assert browser.run("return window.hostile") is None
    assert browser.run("return document.querySelectorAll('main img, main script').length") == 0
    assert browser.run("return document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert browser.console_errors() == []


def test_time_has_its_tables(browser, pages):
    browser.open(pages / "timed.html")
    facts = browser.run("return JSON.parse(document.getElementById('facts').textContent).time")
    rows = lambda name: browser.run("return [...document.querySelectorAll(`#${arguments[0]} tbody tr`)].map((row) => [...row.cells].map((cell) => cell.textContent))", name)
    assert [row[0] for row in rows("time-phases")] == [phase[0] for phase in facts["phases"]]
    assert ["0", "launch-bound: the host had not asked yet", "2.0 ms"] in [row[:3] for row in rows("time-devices")]
    assert rows("time-kernels")[0][0] == "gemm<short>"
    assert f"steps {facts['first_step']} to {facts['last_step']}" in browser.run("return document.getElementById('time-when').textContent")
    browser.open(pages / "timed_cpu.html")
    assert browser.run("return document.getElementById('time-kernels-part').hidden")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_names_on_rectangles_have_contrast_aa(browser, pages, theme):
    browser.open(pages / "timed.html", theme=theme)
    pairs = browser.run("""
        const channels = (pixel) => [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255];
        return [...lanes.palette.tints.values(), lanes.palette.unmatched].flatMap(({shades, labels}) => shades.map((shade, i) => [channels(shade), parseColour(labels[i])]))""")
    linear = lambda part: part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
    luminance = lambda rgb: sum(weight * linear(part / 255) for weight, part in zip((0.2126, 0.7152, 0.0722), rgb))
    assert len(pairs) >= 16
    for ground, ink in pairs:
        one, other = sorted((luminance(ground), luminance(ink)), reverse=True)
        assert (one + 0.05) / (other + 0.05) >= 4.5, (ground, ink)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 1920])
def test_nothing_is_cut_off_sideways(browser, pages, tmp_path, theme, width):
    browser.open(pages / "timed.html", width=width, height=1300, theme=theme)
    assert browser.run("return document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    ends = browser.run("return [lanes.canvas, chart.picture].map((canvas) => [canvas.getBoundingClientRect().left, canvas.getBoundingClientRect().width])")
    assert ends[0] == ends[1]
    show_lanes(browser)
    browser.screenshot(tmp_path / f"lanes-{theme}-{width}.png")
    assert (tmp_path / f"lanes-{theme}-{width}.png").stat().st_size > 20_000
