# SPDX-License-Identifier: Apache-2.0
"""A run's report page in headless Chromium, with no network, and what of it becomes a picture."""

import base64
import io
import pathlib
import shutil

from PIL import Image
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

BADGES = pathlib.Path(__file__).with_name("badges.js").read_text()
COLOURS = 256
HEIGHT = 1600  # of the window, in points: all pictures are lower

# What the timeline does by itself when nothing moved for a while: all blocks, as finely as the screen shows.
DRAW = """
    clearTimeout(chart.refinement);
    chart.isRefined = true;
    chart.drawNow(devicePixelRatio);
    chart.isRefined = false;"""


class NoBrowser(Exception):
    pass


class Browser:
    """Pages that are drawn `scale` pixels a point: a picture is shown with less of them on most screens."""

    def __init__(self, scale=1.8):
        chromium, chromedriver = shutil.which("chromium"), shutil.which("chromedriver")
        if not chromium or not chromedriver:
            raise NoBrowser("the pictures are taken in a browser: install chromium and chromium-driver")
        options = Options()
        options.binary_location = chromium
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
            options.add_argument(argument)
        self.scale = scale
        self.driver = webdriver.Chrome(options=options, service=Service(chromedriver))
        self.driver.set_script_timeout(60)
        self._command("Network.enable")
        self._command("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)

    def close(self):
        self.driver.quit()

    def open(self, page, width, theme):
        """`width` is the window's, in points."""
        self._command("Emulation.setDeviceMetricsOverride", width=width, height=HEIGHT, deviceScaleFactor=self.scale, mobile=False)
        self._command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        self.driver.get(page.as_uri())
        WebDriverWait(self.driver, 60).until(lambda _: self.run("return document.body.dataset.ready"))
        self.run(f"window.badges = (() => {{ {BADGES} return badges; }})();")

    def draw(self):
        """The timeline, now."""
        self.run(DRAW)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def capture(self, selectors, margin=6):
        """A PNG of the least rectangle that holds all that `selectors` are, badges included."""
        left, top, right, bottom = self.run("return badges.extent(arguments[0]);", [*selectors, ".badge"])
        # In the window: beyond it chromium lays the page out again to capture it, and the timeline is then half drawn.
        scrolled = self.run("scrollTo(0, Math.max(Math.floor(arguments[0]) - 1, 0)); return scrollY;", top - margin)
        taken = base64.b64decode(self._command("Page.captureScreenshot", format="png")["data"])
        edges = (max(left - margin, 0), max(top - margin, 0) - scrolled, right + margin, bottom + margin - scrolled)
        return few_colours(Image.open(io.BytesIO(taken)).crop([round(edge * self.scale) for edge in edges]))

    def _command(self, name, **arguments):
        return self.driver.execute_cdp_cmd(name, arguments)


def few_colours(image):
    """As a PNG, a third of the bytes, and the same to the eye: a page has few colours beside those of its letters' edges."""
    small = io.BytesIO()
    image.convert("RGB").quantize(COLOURS, Image.Quantize.MEDIANCUT, kmeans=1, dither=Image.Dither.NONE).save(small, "PNG", optimize=True)
    return small.getvalue()
