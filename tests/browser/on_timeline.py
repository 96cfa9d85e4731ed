# SPDX-License-Identifier: Apache-2.0
"""Interaction with the timeline: keys, the pointer, and the picture afterwards."""


def view(browser):
    return browser.run("return [chart.view.begin, chart.view.end]")


def press_and_draw(browser, key, **modifiers):
    browser.press(key, **modifiers)
    browser.run("chart.current()")


def place(browser, x, y):
    """Return the position on the page of a place in the plot."""
    box = browser.run("const b = document.getElementById('chart').getBoundingClientRect(); return [b.left, b.top]")
    margin, top = browser.run("return [CHART_MARGIN.left, chart.plotTop]")
    return box[0] + margin + x, box[1] + top + y


def mouse(browser, kind, x, y, **arguments):
    left, top = place(browser, x, y)
    browser.command("Input.dispatchMouseEvent", type=kind, x=left, y=top, **arguments)


def click(browser, x, y):
    mouse(browser, "mousePressed", x, y, button="left", buttons=1, clickCount=1)
    mouse(browser, "mouseReleased", x, y, button="left", clickCount=1)


# Runs in the page: the colors of a column of the picture, from the bottom up, with repeats joined.
PICTURE = """
    chart.current();
    const {width, height, pixels} = chart.raster;
    const colours = [];
    for (let row = height - 1; row >= 0; --row) {
      const pixel = pixels[row * width + arguments[0]];
      if (pixel !== colours[colours.length - 1]) colours.push(pixel);
    }
    return colours"""
