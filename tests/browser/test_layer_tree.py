# SPDX-License-Identifier: Apache-2.0
"""The tree of modules on the page: its content, and its use by pointer and keys."""

import json


def rows(browser):
    return browser.run("""
        return [...document.querySelectorAll('#layers .layer')].map((row) => ({
          name: row.querySelector('.layer-name').lastChild.textContent, level: +row.getAttribute('aria-level'),
          open: row.getAttribute('aria-expanded'), focused: row === document.activeElement,
          mib: Number(row.querySelector('.layer-number').textContent.replace(/[,<]/g, '')),
          parts: [...row.querySelectorAll('.part')].map((part) => part.className.replace('part ', ''))}))""")


def focused(browser):
    return [row["name"] for row in rows(browser) if row["focused"]]


def test_the_rows_add_up_to_the_peak(browser, pages):
    browser.open(pages / "training.html")
    data = json.loads(browser.run("return document.getElementById('facts').textContent"))
    assert sum(data["layers"][0][5][1::2]) == data["peak"]["allocated_bytes"]
    shown = rows(browser)
    top = [row for row in shown if row["level"] == 1]
    assert abs(sum(row["mib"] for row in top) - data["peak"]["allocated_bytes"] / 2**20) < 0.1 * len(top)
    assert top[0]["name"] == "layers" and top[0]["open"] == "true"
    below = [row for row in shown if row["level"] == 2]
    assert [row["name"] for row in below] == [str(layer) for layer in range(12)]
    assert abs(sum(row["mib"] for row in below) - top[0]["mib"]) < 0.1 * len(below)
    assert {"parameter", "optimizer-state", "activation"} <= set(below[0]["parts"])


def test_numbered_modules_follow_each_other(browser, pages):
    """Numbered modules keep their order whatever they hold, since at any moment some of several
    equal layers hold a little more. Named modules are ordered by bytes."""
    browser.open(pages / "training.html")
    made = """
        const children = [['10', 5], ['norm', 4], ['2', 3], ['0', 2], ['head', 1]];
        const layers = [['', 0, 0, 15, 15, [0, 15]], ...children.map(([name, bytes]) => [name, 0, 1, bytes, bytes, [0, bytes]])];
        return new LayerTree({...run, layers}).top.map(({name}) => name);"""
    assert browser.run(made) == ["0", "2", "10", "norm", "head"]


def test_a_row_opens_and_closes_by_pointer(browser, pages):
    browser.open(pages / "training.html")
    before = rows(browser)
    browser.run("document.querySelectorAll('#layers .layer')[1].click()")
    opened = rows(browser)
    assert opened[1]["open"] == "true" and opened[2]["level"] == 3
    browser.run("document.querySelectorAll('#layers .layer')[1].click()")
    assert [row["name"] for row in rows(browser)] == [row["name"] for row in before]


def test_keys_walk_through_the_tree(browser, pages):
    browser.open(pages / "training.html")
    browser.run("document.querySelector('#layers [tabindex=\"0\"]').focus()")
    assert focused(browser) == ["layers"]
    browser.press("ArrowDown")
    (layer,) = focused(browser)
    assert layer.isdigit()
    browser.press("ArrowRight")
    browser.press("ArrowRight")
    assert focused(browser) in (["attn"], ["ffn"])
    browser.press("ArrowLeft")
    assert focused(browser) == [layer]
    browser.press("ArrowLeft")
    assert [row["open"] for row in rows(browser) if row["focused"]] == ["false"]
    browser.press("ArrowLeft")
    assert focused(browser) == ["layers"]
    browser.press("ArrowLeft")
    assert all(row["level"] == 1 for row in rows(browser))
    browser.press("End")
    assert rows(browser)[-1]["focused"]
    browser.press("Home")
    browser.press("Enter")
    assert rows(browser)[0]["open"] == "true"
    assert browser.console_errors() == []


def test_what_lowering_the_peak_buys_is_said(browser, pages):
    browser.open(pages / "training.html")
    story = browser.run("return [...document.querySelectorAll('#peak-story li')].map((item) => item.textContent)")
    assert story[0].startswith("Since the step began +")
    assert any(sentence.startswith("Lowering this peak alone buys at most ") for sentence in story[1:])


def test_an_empty_run_has_no_tree(browser, pages):
    browser.open(pages / "empty.html")
    assert browser.run("return document.getElementById('layers').textContent") == "Nothing was recorded."
    assert rows(browser) == []
