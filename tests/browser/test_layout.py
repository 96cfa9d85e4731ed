# SPDX-License-Identifier: Apache-2.0
"""The page's layout: its contents, its buttons, the first part on a phone, and parts that appear
only once."""

import json

import pytest

SECTIONS = ["Timeline", "What it is", "Layers", "Shapes", "Operators", "Largest allocations", "Steps", "Peaks"]


def contents(browser):
    return browser.run("return [...document.querySelectorAll('#contents a')].map((link) => link.textContent)")


def current(browser):
    return browser.driver.execute_async_script("""
        const done = arguments[0];
        requestAnimationFrame(() => requestAnimationFrame(() => done(document.querySelector('#contents [aria-current]').textContent)))""")


@pytest.mark.parametrize("name, more", [("training", set()), ("timed", {"Time"}), ("troubled", {"Warm-up"}), ("streams", {"Streams"}),
                                        ("ran_out", {"Out of memory"})])
def test_the_contents_list_the_sections_that_there_are(browser, pages, name, more):
    browser.open(pages / f"{name}.html", width=1400)
    listed = contents(browser)
    assert [text for text in listed if text in SECTIONS] == SECTIONS
    assert more <= set(listed) <= {*SECTIONS, "Time", "Warm-up", "Streams", "Out of memory"}
    assert browser.run("return [...document.querySelectorAll('#contents a')].every((link) => document.querySelector(link.getAttribute('href')).checkVisibility())")


@pytest.mark.parametrize("width, height", [(1400, 900), (390, 800)])
def test_the_contents_stay_and_mark_what_is_read(browser, pages, width, height):
    browser.open(pages / "timed.html", width=width, height=height)
    assert current(browser) == "Timeline"
    for name in ("Layers", "Operators", "Time"):
        browser.run("[...document.querySelectorAll('#contents a')].find((link) => link.textContent === arguments[0]).click()", name)
        assert current(browser) == name
        bar, link, section = browser.run("""
            const link = document.querySelector('#contents [aria-current]');
            return [document.getElementById('contents'), link, document.querySelector(link.getAttribute('href'))].map((one) => one.getBoundingClientRect().toJSON())""")
        assert bar["top"] == 0 and section["top"] >= bar["bottom"] - 1
        assert link["left"] >= 0 and link["right"] <= width, "what is marked is in sight"
    browser.run("window.scrollTo(0, document.documentElement.scrollHeight)")
    assert current(browser) == "Peaks"


@pytest.mark.parametrize("name", ["training", "dry", "ran_out", "timed"])
def test_a_phones_first_screen_shows_the_timeline(browser, pages, name):
    browser.open(pages / f"{name}.html", width=390, height=800)
    title, tiles, picture = browser.run("""
        return ['#run-name', '#tiles', '.picture'].map((one) => document.querySelector(one).getBoundingClientRect().toJSON())""")
    assert 0 <= title["top"] < tiles["top"] < picture["top"] < 500
    assert browser.run("return document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_switches_show_their_state_and_actions_have_none(browser, pages):
    browser.open(pages / "training.html", width=1400)
    switches = ["show-categories", "show-events", "hide-floor", "show-layers", "show-shapes"]
    assert browser.run("return [...document.querySelectorAll('.timeline .switch')].map(({id}) => id)") == switches
    for name in switches:
        state = lambda: browser.run("""
            const button = document.getElementById(arguments[0]);
            chart.drawNow();
            return [button.getAttribute('aria-pressed'), getComputedStyle(button, '::before').content]""", name)
        before, mark = state()
        browser.run("document.getElementById(arguments[0]).click()", name)
        after, other = state()
        assert {before, after} == {"true", "false"} and mark != other
        assert (mark if before == "true" else other) == '"✓"'
    actions = browser.run("return ['show-peak', 'show-step', 'show-run', 'zoom-in'].map((id) => document.getElementById(id).hasAttribute('aria-pressed'))")
    assert not any(actions)
    # A button has a border; a control that leads to a place looks like a link.
    edges, lines = browser.run("""
        const style = (one) => getComputedStyle(one);
        return [[...document.querySelectorAll('.timeline .card-head .buttons button:not(.primary), .switch')].map((one) => style(one).borderTopWidth),
                [...document.querySelectorAll('.pick, .hint a')].map((one) => style(one).textDecorationLine)]""")
    assert set(edges) == {"1px"} and set(lines) == {"underline"}


@pytest.mark.parametrize("name", ["training", "timed", "dry"])
def test_operators_are_listed_once(browser, pages, name):
    browser.open(pages / f"{name}.html")
    data = json.loads(browser.run("return document.getElementById('facts').textContent"))
    operators = [row[0] for row in data["ops"]][:3]
    holders = browser.run("""
        return [...document.querySelectorAll('table, .share-list')].filter((list) => {
          const firsts = [...list.querySelectorAll('tbody tr td:first-child, .share-label')].map((cell) => cell.textContent);
          return arguments[0].every((name) => firsts.includes(name));
        }).map(({id}) => id)""", operators)
    assert holders == ["ops"]


def test_a_dry_run_shows_no_time(browser, pages):
    """A dry run without a modelled clock measured nothing."""
    browser.open(pages / "dry.html", width=1400)
    assert {"Time", "Warm-up"}.isdisjoint(contents(browser))
    headings = browser.run("return [...document.querySelectorAll('#steps th, #categories th, #blocks th, #ops th')].map((cell) => cell.textContent)")
    assert {"Time", "Loss", "Tokens/s", "Time mean", "Lived", "Self"}.isdisjoint(headings) and "Allocated MiB" in headings
    browser.press("n")
    facts = browser.run("return document.getElementById('pinned-facts').textContent + document.getElementById('moment').textContent")
    assert " ms" not in facts and " µs" not in facts and "event" in facts
    browser.open(pages / "dry_modelled.html", width=1400)
    assert "Median step" in browser.run("return document.getElementById('tiles').textContent")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_out_of_memory_is_told_in_tables(browser, pages, theme):
    browser.open(pages / "ran_out.html", width=1400, theme=theme)
    data = json.loads(browser.run("return document.getElementById('facts').textContent"))
    [failure] = data["failures"]
    rows = lambda name: browser.run("""
        return [...document.querySelectorAll(`#${arguments[0]} tbody tr`)].map((row) => [...row.cells].map((cell) => cell.textContent))""", name)
    filled = {what: float(amount.replace(",", "").lstrip("<")) for what, amount, _ in rows("filled-1")}
    for category, held in zip(data["categories"], failure["categories"]):
        assert (category["name"] in filled) == (held > 0)
        if held > 2**20:
            assert filled[category["name"]] == pytest.approx(held / 2**20, abs=0.051)
    assert filled["Asked for"] == pytest.approx(failure["requested_bytes"] / 2**20, abs=0.051)
    whole = filled.pop("The device", None) or filled.pop("Together")
    filled.pop("Asked for")
    assert sum(filled.values()) == pytest.approx(whole, abs=0.5)
    findings = rows("findings-1")
    assert len(findings) == len(failure["findings"]) > 0
    for cells, finding in zip(findings, failure["findings"]):
        assert cells[1] == finding["text"]
        assert float(cells[0].replace(",", "")) == pytest.approx(finding["bytes"] / 2**20, abs=0.051)
    last = browser.run("return document.querySelector('#ran-outs .card').lastElementChild.textContent")
    assert last == f"{failure['advise_label']} {failure['advise']}" and "strata advise" in last
    browser.open(pages / "training.html")
    assert not browser.run("return document.getElementById('ran-outs').checkVisibility()")
