# SPDX-License-Identifier: Apache-2.0
"""Open the report's pages in headless Chromium, without a network, as a reader would.

tests/report/write_pages.cpp writes the pages; STRATA_WRITE_PAGES names another build of it than
release.
"""

import base64
import json
import os
import pathlib
import shutil
import subprocess

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait


REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
WRITE_PAGES = os.environ.get("STRATA_WRITE_PAGES") or str(REPOSITORY / "build/release/tests/write_pages")


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    subprocess.run([WRITE_PAGES, folder], check=True)
    return folder


class Browser:
    """A page in Chromium, and helpers that query it."""

    def __init__(self, driver):
        self.driver = driver

    def open(self, page: pathlib.Path, width=1280, height=900, theme="light", scale=1):
        self.command("Emulation.setDeviceMetricsOverride",
                     width=width, height=height, deviceScaleFactor=scale, mobile=False)
        self.command("Emulation.setEmulatedMedia",
                     features=[{"name": "prefers-color-scheme", "value": theme}])
        self.driver.get_log("browser")
        self.driver.get_log("performance")
        self.driver.get(page.as_uri())
        WebDriverWait(self.driver, 60).until(lambda _: self.run("return document.body.dataset.ready"))

    def command(self, name, **arguments):
        return self.driver.execute_cdp_cmd(name, arguments)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def console_errors(self):
        return [entry for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def requested(self):
        """Return the address of everything the page requested, including itself."""
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [message["params"]["request"]["url"] for message in messages
                if message["method"] == "Network.requestWillBeSent"]

    def press(self, key, **modifiers):
        self.run("""
            const [key, modifiers] = arguments;
            document.activeElement.dispatchEvent(
              new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true, ...modifiers}));""", key, modifiers)

    def screenshot(self, path: pathlib.Path):
        picture = self.command("Page.captureScreenshot", format="png")["data"]
        path.write_bytes(base64.b64decode(picture))


@pytest.fixture(scope="session")
def driver():
    chromium, chromedriver = shutil.which("chromium"), shutil.which("chromedriver")
    if not chromium or not chromedriver:
        pytest.skip("no browser: install chromium and chromium-driver")
    options = Options()
    options.binary_location = chromium
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--force-device-scale-factor=1", "--hide-scrollbars"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(chromedriver))
    driver.set_script_timeout(600)
    driver.execute_cdp_cmd("Network.enable", {})
    driver.execute_cdp_cmd("Network.emulateNetworkConditions", {
        "offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0})
    yield driver
    driver.quit()


@pytest.fixture
def browser(driver):
    return Browser(driver)
