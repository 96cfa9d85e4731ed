"""What can be measured of how the page looks: contrast, colours that differ for everyone, nothing cut off."""

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


# Each visible text with its colour and the nearest opaque ground behind it.
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
  for (const text of document.querySelectorAll('.band text')) {
    texts.push({text: text.textContent, ink: rgba(getComputedStyle(text).fill).slice(0, 3),
                ground: rgba(getComputedStyle(text.parentElement.querySelector('rect')).fill).slice(0, 3)});
  }
  for (const text of document.querySelectorAll('.axis text, .grid text, .peak text')) {
    texts.push({text: text.textContent, ink: rgba(getComputedStyle(text).fill).slice(0, 3), ground: ground(document.querySelector('.card'))});
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
    tick_left = browser.run("""
        const chart = document.getElementById('chart').getBoundingClientRect().left;
        return Math.min(...[...document.querySelectorAll('.grid text')].map((text) => text.getBoundingClientRect().left - chart))""")
    assert tick_left >= 0
    browser.screenshot(tmp_path / f"{theme}-{width}.png")
    assert (tmp_path / f"{theme}-{width}.png").stat().st_size > 20_000
