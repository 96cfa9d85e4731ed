# SPDX-License-Identifier: Apache-2.0
"""Details on a click and on the pointer: a panel beside the plot, a sheet on a phone, and a small
tooltip."""

import pytest
from selenium.webdriver.support.ui import WebDriverWait

from on_timeline import click, mouse

DESK = {"width": 1400, "height": 900}
PHONE = {"width": 390, "height": 800}


def box(browser, selector):
    return browser.run("return document.querySelector(arguments[0]).getBoundingClientRect().toJSON()", selector)


def open_at_peak(browser, page, size, **more):
    """Open without the shapes' labels, which would be in the way of a click."""
    browser.open(page, **size, **more)
    for key in ("h", "p", "f"):
        browser.press(key)
    browser.run("document.getElementById('chart').scrollIntoView({block: 'center'}); chart.current()")


def spot_of(browser, share=0.5):
    """Return x and y in the plot within the band of a single block, and the block's number."""
    return browser.run("""
        const {labels, scale} = chart.current();
        const {column, columns, row, id} = labels.filter(({id}) => id !== undefined).sort((a, b) => b.columns - a.columns)[0];
        return [(column + columns * arguments[0]) / scale, row / scale, id]""", share)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_details_of_a_clicked_block_stand_beside_the_plot(browser, pages, theme):
    open_at_peak(browser, pages / "training.html", DESK, theme=theme)
    before = [box(browser, selector) for selector in ("#chart", "#what", "#details")]
    x, y, block = spot_of(browser)
    click(browser, x, y)
    assert browser.run("return chart.settings.pinned") == block
    assert [box(browser, selector) for selector in ("#chart", "#what", "#details")] == before, "nothing moves"
    panel, facts, plot = box(browser, "#details"), box(browser, "#pinned"), box(browser, "#chart")
    assert panel["left"] >= plot["right"] and panel["right"] <= 1400
    assert panel["top"] <= facts["top"] and panel["top"] >= plot["top"] and facts["width"] <= panel["width"]
    title = browser.run("return document.getElementById('pinned-title').textContent")
    assert title == browser.run("return blockTitle(chart.events, arguments[0], '')", block)
    browser.run("document.getElementById('unpin').click()")
    assert browser.run("return [chart.settings.pinned, document.getElementById('pinned').hidden]") == [-1, True]
    assert browser.run("return document.getElementById('details-none').checkVisibility()")


def test_its_buttons_are_reached_by_tab_behind_the_plot(browser, pages):
    open_at_peak(browser, pages / "training.html", DESK)
    browser.run("chart.focusable.focus()")
    browser.press("n")
    reached = []
    for _ in range(12):
        browser.command("Input.dispatchKeyEvent", type="rawKeyDown", key="Tab", code="Tab", windowsVirtualKeyCode=9)
        reached.append(browser.run("return document.activeElement.id"))
    assert "unpin" in reached and "show-pinned" in reached, reached


def sheet(browser):
    """Return the sheet's box, once it has come to rest."""
    WebDriverWait(browser.driver, 5).until(lambda _: browser.run(
        "return document.getElementById('details').getAnimations().length === 0"))
    return box(browser, "#details")


def is_open(browser):
    sheet(browser)
    return browser.run("return document.getElementById('details').checkVisibility({visibilityProperty: true})")


def tap(browser, x, y):
    browser.command("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, button="left", buttons=1, clickCount=1)
    browser.command("Input.dispatchMouseEvent", type="mouseReleased", x=x, y=y, button="left", clickCount=1)


def open_sheet(browser, pages):
    open_at_peak(browser, pages / "training.html", PHONE)
    assert not is_open(browser)
    x, y, block = spot_of(browser)
    click(browser, x, y)
    assert is_open(browser)
    return block


def test_on_a_phone_they_come_up_in_a_sheet_that_is_seen(browser, pages):
    block = open_sheet(browser, pages)
    place = sheet(browser)
    assert place["left"] == 0 and place["bottom"] == pytest.approx(800, abs=1) and 150 < place["height"] <= 400
    close = box(browser, "#unpin")
    assert place["top"] <= close["top"] and close["bottom"] <= 800 and close["height"] >= 34
    # The block itself stays visible above the sheet.
    bottom = browser.run("""
        const {below, bytes} = chart.current().pinnedBand;
        const rows = [...below].map((low) => chart.vertical.row(low + bytes, PLOT_HEIGHT));
        return document.querySelector('.picture').getBoundingClientRect().top + Math.min(...rows)""")
    assert bottom < place["top"]
    assert browser.run("return chart.settings.pinned") == block
    assert browser.run("return document.documentElement.scrollWidth <= document.documentElement.clientWidth")


@pytest.mark.parametrize("way", ["button", "escape", "outside", "swipe"])
def test_the_sheet_is_closed(browser, pages, way):
    open_sheet(browser, pages)
    place = sheet(browser)
    if way == "button":
        button = box(browser, "#unpin")
        tap(browser, button["left"] + 5, button["top"] + 5)
    elif way == "escape":
        browser.press("Escape")
    elif way == "outside":
        tap(browser, 200, box(browser, "#contents")["bottom"] + 2 if box(browser, "#chart")["top"] > 60 else 12)
    else:
        middle = (place["left"] + place["right"]) / 2
        for kind, y, held in (("mousePressed", place["top"] + 8, 1), ("mouseMoved", place["top"] + 60, 1), ("mouseReleased", place["top"] + 90, 0)):
            browser.command("Input.dispatchMouseEvent", type=kind, x=middle, y=y, button="left", buttons=held, clickCount=1)
    assert not is_open(browser)
    assert browser.run("return chart.settings.pinned") == -1


def test_a_short_pull_leaves_the_sheet_open(browser, pages):
    open_sheet(browser, pages)
    top = sheet(browser)["top"]
    for kind, y, held in (("mousePressed", top + 8, 1), ("mouseMoved", top + 20, 1), ("mouseReleased", top + 20, 0)):
        browser.command("Input.dispatchMouseEvent", type=kind, x=195, y=y, button="left", buttons=held, clickCount=1)
    assert is_open(browser) and sheet(browser)["top"] == pytest.approx(top, abs=1)


@pytest.mark.parametrize("size", [DESK, PHONE])
def test_the_tooltip_is_small_follows_the_pointer_and_covers_nothing_it_names(browser, pages, size):
    open_at_peak(browser, pages / "training.html", size)
    seen = []
    for share in (0.02, 0.3, 0.6, 0.98):
        x, y, block = spot_of(browser, share)
        mouse(browser, "mouseMoved", x, y)
        lines, place = browser.run("""
            const tooltip = document.querySelector('#chart .tooltip');
            return [[...tooltip.querySelectorAll('p')].map((line) => line.textContent), tooltip.getBoundingClientRect().toJSON()]""")
        assert lines[0] == browser.run("return blockTitle(chart.events, arguments[0], '')", block)
        assert 2 <= len(lines) <= 3 and lines[1] == browser.run("""
            const site = chart.events.sites[chart.events.site[arguments[0]]];
            return `${mebibytes(chart.events.bytes[arguments[0]], run.decimals)} MiB · ${run.categories[site.category].name} / ${site.kind}`""", block)
        assert place["width"] <= 280 and place["height"] < 75
        assert place["left"] >= 0 and place["right"] <= size["width"] and place["top"] >= 0 and place["bottom"] <= size["height"]
        covered = browser.run("""
            const {left, right, top, bottom, id} = arguments[0];
            const picture = document.querySelector('.picture').getBoundingClientRect();
            const found = [];
            for (let x = left; x <= right; x += 4) for (let y = top; y <= bottom; y += 3) {
              const what = x < picture.left || x >= picture.right ? null : chart.bandAt(x - picture.left, y - picture.top);
              if (what && what.id === id) found.push([x, y]);
            }
            return found""", {**place, "id": block})
        assert covered == [], share
        seen.append(place["left"])
    assert len(set(seen)) > 1
    mouse(browser, "mouseMoved", x, -200)
    assert browser.run("return document.querySelector('#chart .tooltip').hidden")
