# SPDX-License-Identifier: Apache-2.0
"""A run's report page in headless Chromium, without a network, and pictures of parts of it."""

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
HEIGHT = 1600  # of the window, in points: every picture is lower

# The timeline draws so when nothing has moved for a while: all blocks, at the screen's full
# resolution.
DRAW = """
    clearTimeout(chart.refinement);
    chart.isRefined = true;
    chart.drawNow(devicePixelRatio);
    chart.isRefined = false;"""


class NoBrowser(Exception):
    pass


class Browser:
    """Pages drawn with `scale` pixels per point. Most screens show a picture with fewer."""

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
        """Open the page; `width` is the window's, in points."""
        self._command("Emulation.setDeviceMetricsOverride", width=width, height=HEIGHT, deviceScaleFactor=self.scale, mobile=False)
        self._command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        self.driver.get(page.as_uri())
        WebDriverWait(self.driver, 60).until(lambda _: self.run("return document.body.dataset.ready"))
        self.run(f"window.badges = (() => {{ {BADGES} return badges; }})();")

    def draw(self):
        """Draw the timeline now."""
        self.run(DRAW)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def capture(self, selectors, margin=6):
        """Return a PNG of the smallest rectangle around all `selectors`, badges included."""
        left, top, right, bottom = self.run("return badges.extent(arguments[0]);", [*selectors, ".badge"])
        # Scroll it into the window. To capture parts outside, Chromium lays the page out again, and
        # the timeline is then half drawn.
        scrolled = self.run("scrollTo(0, Math.max(Math.floor(arguments[0]) - 1, 0)); return scrollY;", top - margin)
        taken = base64.b64decode(self._command("Page.captureScreenshot", format="png")["data"])
        edges = (max(left - margin, 0), max(top - margin, 0) - scrolled, right + margin, bottom + margin - scrolled)
        return few_colours(Image.open(io.BytesIO(taken)).crop([round(edge * self.scale) for edge in edges]))

    def _command(self, name, **arguments):
        return self.driver.execute_cdp_cmd(name, arguments)


def few_colours(image):
    """Return a PNG with a third of the bytes that looks the same: a page has few colors besides
    those at the edges of letters."""
    small = io.BytesIO()
    image.convert("RGB").quantize(COLOURS, Image.Quantize.MEDIANCUT, kmeans=1, dither=Image.Dither.NONE).save(small, "PNG", optimize=True)
    return small.getvalue()
