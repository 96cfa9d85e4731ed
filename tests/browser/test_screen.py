# SPDX-License-Identifier: Apache-2.0
"""The picture on a screen with two device pixels per pixel, and the line of the device's
capacity."""

import json

import pytest
from selenium.webdriver.support.ui import WebDriverWait

# Colors of one row of the overlay above the plot.
ROW = """
    const {canvas, context, scale, plotTop} = chart.overlay;
    const [x, y] = [CHART_MARGIN.left, plotTop + arguments[0]].map((at) => Math.round(at * scale));
    const {data} = context.getImageData(x, y, Math.round(chart.width * scale), 1);
    const colours = new Set();
    for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 100) colours.add([data[i], data[i + 1], data[i + 2]].join(' '));
    return [...colours]"""


def capacity_of(browser):
    browser.run("chart.view.showWhole(); chart.drawNow()")
    data = json.loads(browser.run("return document.getElementById('facts').textContent"))
    said = browser.run("""
        const texts = [], {context} = chart.overlay, fillText = context.fillText;
        context.fillText = function note(text, ...rest) { texts.push(text); fillText.call(this, text, ...rest); };
        chart.drawNow();
        context.fillText = fillText;
        return texts.filter((text) => text.startsWith('capacity'))""")
    row = browser.run("return chart.overlay.row(run.run.capacity_bytes)")
    return data["run"]["capacity_bytes"], said, row


def test_the_capacity_is_a_line_with_its_amount(browser, pages):
    browser.open(pages / "capacity.html")
    capacity, (said,), row = capacity_of(browser)
    peak = browser.run("return run.peak.allocated_bytes")
    assert capacity == int(peak * 1.04)
    assert said == f"capacity {capacity / 2**20:,.0f} MiB"
    assert 0 <= row < browser.run("return chart.overlay.row(run.peak.allocated_bytes)")
    alarm = " ".join(map(str, browser.run("return parseColour(chart.palette.css('alarm'))")))
    near = {colour for shift in (-1, 0) for colour in browser.run(ROW, row + shift)}
    assert any(sum(abs(int(a) - int(b)) for a, b in zip(colour.split(), alarm.split())) < 60 for colour in near), (near, alarm)


def test_a_capacity_above_the_picture_is_said(browser, pages):
    browser.open(pages / "roomy.html")
    capacity, (said,), row = capacity_of(browser)
    assert said == f"capacity {capacity / 2**20:,.0f} MiB, above" and row < 0


def test_what_is_reserved_above_the_picture_is_said(browser, pages):
    """A caching allocator may reserve far more than a step allocates."""
    browser.open(pages / "roomy.html")
    said = browser.run("""
        const {overlay} = chart;
        const texts = [];
        const text = overlay.text.bind(overlay);
        overlay.text = (what, ...more) => { texts.push(what); text(what, ...more); };
        const say = (bytes) => overlay.drawLevels({...chart.frame, scale: 1, totals: [0]}, {reserved: [bytes], capacity: null});
        say(run.peak.allocated_bytes);
        say(run.peak.allocated_bytes * 9);
        return texts""")
    assert said == ["reserved", "reserved, above"]


def test_no_capacity_is_drawn_where_none_is_known(browser, pages):
    browser.open(pages / "training.html")
    capacity, said, _ = capacity_of(browser)
    assert capacity is None and said == []


@pytest.mark.parametrize("scale", [1, 2])
def test_the_picture_is_as_fine_as_the_screen_and_the_pointer_lands(browser, pages, scale):
    browser.open(pages / "training.html", width=1600, scale=scale)
    browser.press("p")
    browser.press("f")
    width = browser.run("return chart.width")
    WebDriverWait(browser.driver, 10).until(lambda _: browser.run("return chart.raster.width") == width * scale)
    # At scale 1 the previous picture is equally wide, so wait for the one with the blocks' names,
    # which was asked for.
    WebDriverWait(browser.driver, 10).until(lambda _: browser.run("return chart.frame.labels.filter(({id}) => id !== undefined).length") >= 3)
    picture, overlay = browser.run("""
        const size = (canvas) => [canvas.width / canvas.getBoundingClientRect().width, canvas.height / canvas.getBoundingClientRect().height];
        return [size(document.querySelector('.picture')), size(document.querySelector('.drawing'))]""")
    assert picture == pytest.approx([scale, scale]) and overlay == pytest.approx([scale, scale], rel=0.01)
    spots = browser.run("""
        const {labels, scale} = chart.frame;
        return labels.filter(({id}) => id !== undefined).slice(0, 6).map(({column, columns, row, id}) => {
          const {left, top} = document.querySelector('.picture').getBoundingClientRect();
          return {x: left + (column + columns / 2) / scale, y: top + row / scale, title: blockTitle(chart.events, id, '')};
        })""")
    browser.press("h")
    for spot in spots:
        browser.command("Input.dispatchMouseEvent", type="mouseMoved", x=spot["x"], y=spot["y"])
        assert browser.run("return document.querySelector('#chart .tooltip-title').textContent") == spot["title"]


@pytest.mark.parametrize("page", ["capacity.html", "roomy.html"])
def test_the_capacity_is_said_beside_the_peak_and_not_over_it(browser, pages, page):
    browser.open(pages / page)
    for part in (0.05, 0.5, 0.95):
        said = browser.run("""
            const {view, overlay} = chart, span = view.extent() / 20;
            const peak = view.positionOf(run.peak.ns, run.peak.state - 0.5);
            view.show(peak - arguments[0] * span, peak + (1 - arguments[0]) * span);
            chart.drawNow();
            return overlay.said""", part)
        across = [(a, b) for index, a in enumerate(said) for b in said[:index]
                  if a["left"] < b["left"] + b["width"] and b["left"] < a["left"] + a["width"]
                  and a["top"] < b["top"] + b["height"] and b["top"] < a["top"] + a["height"]]
        assert len(said) >= 2 and not across, (part, across)
