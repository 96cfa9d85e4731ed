# SPDX-License-Identifier: Apache-2.0
"""Measurable properties of the page's appearance: contrast, colors that everyone can tell apart,
and no cut-off text."""

import itertools
import math

import pytest

THEMES = ["light", "dark"]
STRATA = ["parameter", "optimizer-state", "input", "temporary", "activation", "gradient", "autograd-detail", "unknown"]

# Machado, Oliveira and Fernandes (2009), severity 1.0, on linear RGB.
VISION = {
    "normal": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
# CIE76 distance in Lab; 2.3 is just noticeable side by side.
LEAST_DIFFERENCE = 14


def linear(channel):
    channel /= 255
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4


def luminance(rgb):
    return sum(weight * linear(channel) for weight, channel in zip((0.2126, 0.7152, 0.0722), rgb))


def contrast(one, other):
    brighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


def lab(rgb, vision):
    seen = [min(1, max(0, sum(weight * linear(channel) for weight, channel in zip(row, rgb)))) for row in vision]
    xyz = [sum(weight * channel for weight, channel in zip(row, seen)) / white for row, white in (
        ((0.4124, 0.3576, 0.1805), 0.95047), ((0.2126, 0.7152, 0.0722), 1), ((0.0193, 0.1192, 0.9505), 1.08883))]
    x, y, z = (value ** (1 / 3) if value > 0.008856 else 7.787 * value + 16 / 116 for value in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("vision", VISION)
def test_categories_differ_for_every_vision(browser, pages, theme, vision):
    browser.open(pages / "training.html", theme=theme)
    colours = browser.run("""
        const style = getComputedStyle(document.documentElement);
        return arguments[0].map((name) => {
          const hex = style.getPropertyValue(`--${name}`).trim();
          return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
        })""", STRATA)
    seen = {name: lab(colour, VISION[vision]) for name, colour in zip(STRATA, colours)}
    for one, other in itertools.combinations(STRATA, 2):
        assert math.dist(seen[one], seen[other]) > LEAST_DIFFERENCE, (one, other)


# Each visible text with its color and the nearest opaque background.
TEXTS = """
  const rgba = (text) => (text.match(/[\\d.]+/g) || [0, 0, 0, 0]).map(Number);
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const [r, g, b, a = 1] = rgba(getComputedStyle(at).backgroundColor);
      if (a > 0.99) return [r, g, b];
    }
    return rgba(getComputedStyle(document.body).backgroundColor).slice(0, 3);
  };
  const texts = [];
  for (const element of document.querySelectorAll('body *:not(svg *):not(script):not(style):not(noscript)')) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || !element.checkVisibility() || element.closest('.visually-hidden, button:disabled')) continue;
    texts.push({text: element.textContent.slice(0, 40), ink: rgba(getComputedStyle(element).color).slice(0, 3), ground: ground(element)});
  }
  // What is drawn on the canvas, by the colours it is drawn with.
  const named = (name) => parseColour(chart.palette.css(name));
  const pair = (ink, ground) => texts.push({text: `${ink} on ${ground}`, ink: named(ink), ground: named(ground)});
  for (const tint of ['step-even', 'step-odd', 'data', 'forward', 'loss', 'backward', 'sync', 'optimizer', 'zero', 'other']) pair('band-ink', `band-${tint}`);
  pair('accent-ink', 'accent');
  for (const ink of ['ink', 'muted', 'reserved', 'alarm']) pair(ink, 'card');
  for (const [category, {labels, shades}] of chart.palette.categories.entries()) {
    const channels = (pixel) => [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255];
    shades.forEach((shade, i) => texts.push({text: `label on ${run.categories[category].name}`, ink: parseColour(labels[i]), ground: channels(shade)}));
  }
  return texts;
"""


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("name", ["training", "troubled"])
def test_text_has_contrast_aa(browser, pages, theme, name):
    browser.open(pages / f"{name}.html", theme=theme)
    browser.press("p")
    texts = browser.run(TEXTS)
    assert len(texts) > 100
    for text in texts:
        assert contrast(text["ink"], text["ground"]) >= 4.5, text


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", [1280, 1920])
def test_nothing_is_cut_off_sideways(browser, pages, tmp_path, theme, width):
    browser.open(pages / "training.html", width=width, height=1000, theme=theme)
    assert browser.run("return document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    label_width = browser.run("""
        const {context} = chart.overlay;
        context.font = OVERLAY_FONT;
        return Math.max(...byteTicks(chart.vertical.low, chart.vertical.high, 6).map(({label}) => context.measureText(label).width))""")
    assert label_width + 8 <= browser.run("return CHART_MARGIN.left")
    browser.screenshot(tmp_path / f"{theme}-{width}.png")
    assert (tmp_path / f"{theme}-{width}.png").stat().st_size > 20_000
