# SPDX-License-Identifier: Apache-2.0
"""The names of shapes on the timeline: which are shown, where their labels are, their tips, and the
table of all shapes."""

import json

import pytest

MOST = 12


@pytest.fixture
def page(browser, pages):
    browser.open(pages / "training.html")
    browser.data = json.loads(browser.run("return document.getElementById('facts').textContent"))
    return browser


def labels(browser):
    """Return each visible label: its text, its box in the plot, and its tip."""
    return browser.run("""
        chart.current();
        const plot = document.querySelector('.picture').getBoundingClientRect();
        const layer = chart.shapeLabels;
        return [...layer.placed].map(([i, {tip}]) => {
          const box = layer.buttons[i].getBoundingClientRect();
          return {text: layer.buttons[i].textContent, i, left: box.left - plot.left, top: box.top - plot.top, right: box.right - plot.left,
                  bottom: box.bottom - plot.top, tip: [tip.x, tip.y], bytes: layer.shapes[i].bytes};
        })""")


def overlap(a, b):
    return a["left"] < b["right"] and b["left"] < a["right"] and a["top"] < b["bottom"] and b["top"] < a["bottom"]


def check_places(browser):
    found = labels(browser)
    width, height = browser.run("return [chart.width, PLOT_HEIGHT]")
    for one in found:
        assert 0 <= one["left"] and one["right"] <= width and 0 <= one["top"] and one["bottom"] <= height, one
        assert 0 <= one["tip"][0] <= width
        for other in found:
            assert one is other or not overlap(one, other), (one, other)
            x, y = other["tip"]
            assert not (one["left"] < x < one["right"] and one["top"] < y < one["bottom"]), (one, other)
    return found


def test_all_are_named_with_their_bytes(page):
    shapes = page.data["shapes"]
    assert {"Forward triangle", "Constant band", "Per-layer stripes"} <= {shape["title"] for shape in shapes}
    page.press("0")
    shown = {label["text"] for label in check_places(page)}
    assert shown == {f"{shape['title']} {shape['bytes'] / 2**20:,.1f} MiB" for shape in shapes}
    assert page.run("return document.getElementById('show-shapes').getAttribute('aria-pressed')") == "true"


def test_labels_follow_zoom_and_pan_and_leave_with_their_moment(page):
    page.press("s")
    for act in ("+", "+", "+", "x", "-", "f", "v", "0"):
        page.press(act)
        in_view = {label["i"] for label in check_places(page)}
        inside = page.run("""
            const {view, overlay} = chart;
            return chart.shapeLabels.shapes.map((shape, i) => [i, view.x(view.positionOf(shape.at, shape.state - 0.5)), overlay.row(shape.level)])
              .filter(([, x, y]) => x >= 0 && x <= view.width && y >= 0 && y <= PLOT_HEIGHT).map(([i]) => i)""")
        assert in_view <= set(inside) and len(in_view) >= min(len(inside), 5)
    page.run("chart.view.show(0, 1000)")
    assert labels(page) == []
    assert page.run("return [...document.querySelectorAll('.shape-label')].every((label) => getComputedStyle(label).visibility === 'hidden')")


def test_arrows_point_to_the_level_of_their_moment(page):
    for mode in ("time", "event"):
        for label in labels(page):
            level, total = page.run("""
                const {shapes} = chart.shapeLabels, {events, overlay} = chart, shape = shapes[arguments[0]];
                return [overlay.row(shape.level), events.total[shape.state]]""", label["i"])
            assert label["tip"][1] == pytest.approx(level)
            if page.data["shapes"][label["i"]]["title"] in ("Forward triangle", "LM-head gradient"):
                assert total == page.data["shapes"][label["i"]]["level"]
        page.press("x")


def test_at_most_a_dozen_the_largest_first(page):
    page.press("0")
    page.run("""
        const labels = chart.shapeLabels;
        const many = [];
        for (let i = 0; i < 40; ++i) many.push({...labels.shapes[i % labels.shapes.length], bytes: (i + 1) * 1048576, at: i * 4e6, title: `Shape ${i}`});
        labels.layer.selectAll('button').remove();
        labels.shapes = many;
        labels.buttons = many.map((shape) => labels.button(shape));
        labels.sizes = null;
        chart.drawNow();""")
    shown = labels(page)
    assert 8 <= len(shown) <= MOST
    assert min(label["bytes"] for label in shown) >= (40 - MOST + 1) * 2**20
    check_places(page)


def test_hidden_categories_lower_the_tips(page):
    page.press("s")
    before = {label["i"]: label["tip"][1] for label in labels(page)}
    page.run("chart.set({hidden: new Set([0, 1])}); chart.current()")
    lowered = page.run("""
        const {events} = chart, bytes = new Float64Array(CATEGORY_COUNT);
        return chart.shapeLabels.shapes.map((shape) => {
          events.categoriesAt(shape.state, bytes);
          return chart.overlay.row(Math.max(shape.level - bytes[0] - bytes[1], 0));
        })""")
    for label in labels(page):
        assert label["tip"][1] == pytest.approx(lowered[label["i"]])
    assert before


def test_a_label_tells_what_it_is_by_pointer_and_by_keys(page):
    page.press("s")
    label = max(labels(page), key=lambda one: one["bytes"])
    shape = page.data["shapes"][label["i"]]
    card = "const card = document.querySelector('.shape-card'); return card.hidden ? null : card.textContent"
    plot = page.run("const b = document.querySelector('.picture').getBoundingClientRect(); return [b.left, b.top]")
    middle = {"x": plot[0] + (label["left"] + label["right"]) / 2, "y": plot[1] + (label["top"] + label["bottom"]) / 2}
    page.command("Input.dispatchMouseEvent", type="mouseMoved", **middle)
    told = page.run(card)
    assert shape["sentence"] in told and shape["remedy"] in told and f"{shape['bytes']:,} bytes" in told
    marked = page.run("return [chart.marked.begin, chart.marked.end]")
    assert marked == [shape["begin"], shape["end"]]
    page.command("Input.dispatchMouseEvent", type="mouseMoved", x=5, y=5)
    assert page.run(card) is None and page.run("return chart.marked") is None

    page.run("document.querySelectorAll('.shape-label')[arguments[0]].focus()", label["i"])
    assert page.run(card) == told
    spoken = page.run("return document.activeElement.getAttribute('aria-label')")
    assert shape["sentence"] in spoken and shape["remedy"] in spoken
    page.press("Escape")
    assert page.run(card) is None


def test_labels_are_reached_by_tab_and_hidden_ones_are_not(page):
    page.press("s")
    shown = {label["text"] for label in labels(page)}
    page.run("chart.focusable.focus()")
    reached = set()
    for _ in range(len(shown)):
        page.command("Input.dispatchKeyEvent", type="keyDown", key="Tab", code="Tab", windowsVirtualKeyCode=9)
        reached.add(page.run("return document.activeElement.textContent"))
    assert reached == shown
    page.press("h")
    page.run("chart.focusable.focus()")
    page.command("Input.dispatchKeyEvent", type="keyDown", key="Tab", code="Tab", windowsVirtualKeyCode=9)
    assert not page.run("return document.activeElement.classList.contains('shape-label')")


def test_a_click_pins_its_block_or_shows_its_stretch(page):
    page.press("s")
    for i, shape in enumerate(page.data["shapes"]):
        page.run("document.querySelectorAll('.shape-label')[arguments[0]].click()", i)
        if shape["block"] is not None:
            assert page.run("return chart.settings.pinned") == shape["block"]
            assert page.run("return chart.events.bytes[chart.settings.pinned]") == shape["bytes"]
        else:
            begin, end = page.run("return [chart.view.begin, chart.view.end]")
            assert begin <= shape["begin"] and end >= min(shape["end"], page.run("return chart.view.extent()"))
    assert any(shape["block"] is not None for shape in page.data["shapes"])


def test_a_key_and_a_button_switch_them(page):
    page.press("s")
    assert labels(page)
    page.press("h")
    assert labels(page) == [] and page.run("return document.getElementById('show-shapes').getAttribute('aria-pressed')") == "false"
    page.run("document.getElementById('show-shapes').click()")
    assert labels(page)


def test_the_table_has_all_and_a_click_goes_there(page):
    rows = page.run("return [...document.querySelectorAll('#shapes tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))")
    shapes = page.data["shapes"]
    assert [(row[0], row[4], row[5]) for row in rows] == [(shape["title"], shape["sentence"], shape["remedy"]) for shape in shapes]
    page.press("h")
    # After sorting, the names are still buttons.
    page.run("document.querySelectorAll('#shapes th button')[2].click()")
    title = page.run("const button = document.querySelector('#shapes tbody .pick'); button.click(); return button.textContent")
    shape = max(shapes, key=lambda one: one["bytes"])
    assert title == shape["title"]
    begin, end = page.run("return [chart.view.begin, chart.view.end]")
    assert begin <= shape["begin"] <= end
    assert page.run("return document.querySelector('.shape-card .shape-title').textContent") == title
    assert title in page.run("return document.activeElement.textContent")


def test_a_run_without_any_says_so(browser, pages):
    browser.open(pages / "empty.html")
    assert "No shape was found" in browser.run("return document.getElementById('shapes-none').textContent")
    assert browser.run("return document.getElementById('show-shapes').disabled")
    browser.press("h")
    assert browser.console_errors() == []


def test_names_are_text(browser, pages):
    browser.open(pages / "hostile_shapes.html")
    assert len(browser.run("return run.shapes")) >= 2
    browser.press("0")
    for i in range(browser.run("return chart.shapeLabels.buttons.length")):
        browser.run("chart.shapeLabels.tell(chart.shapeLabels.shapes[arguments[0]])", i)
    assert browser.run("return window.hostile") is None
    assert "<img" in browser.run("return document.getElementById('shapes').textContent")
    assert browser.run("return document.querySelectorAll('.chart img, .chart script, #shapes img').length") == 0
    assert browser.run("return document.documentElement.scrollWidth <= window.innerWidth")
    assert browser.console_errors() == []
