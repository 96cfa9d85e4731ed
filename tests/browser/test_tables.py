# SPDX-License-Identifier: Apache-2.0
"""The page's tables: sorted by their headings, filtered, copied as CSV; hostile names stay text."""

import csv
import io
import time

import pytest

TABLES = ["categories", "blocks", "steps", "plugins", "ops", "scopes", "reconciled"]

SUM_UP = """
    const table = document.querySelector(`#${arguments[0]}`);
    return {heads: [...table.tHead.rows[0].cells].map((cell) => cell.querySelector('button span').textContent),
            sort: [...table.tHead.rows[0].cells].map((cell) => cell.getAttribute('aria-sort')),
            rows: [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent))};"""


def table(browser, name):
    return browser.run(SUM_UP, name)


def click_heading(browser, name, column):
    browser.run("document.querySelector(`#${arguments[0]}`).tHead.rows[0].cells[arguments[1]].querySelector('button').click()",
                name, column)


def type_filter(browser, name, text):
    browser.run("""
        const input = document.querySelector(`input[aria-label="Filter ${arguments[0]}"]`);
        input.value = arguments[1];
        input.dispatchEvent(new Event('input', {bubbles: true}));""", name, text)


def copied(browser, name):
    """Return what the button copies to the clipboard, as rows."""
    text = browser.driver.execute_async_script("""
        const [name, done] = arguments;
        Object.defineProperty(navigator, 'clipboard', {configurable: true, value: {writeText: async (text) => done(text)}});
        document.querySelector(`button[aria-label="Copy ${name} as CSV"]`).click();""", name)
    return list(csv.reader(io.StringIO(text)))


def numbers(cells):
    return [float(cell.replace(",", "").lstrip("<")) for cell in cells]


@pytest.mark.parametrize("name", ["training", "hostile", "empty", "many_steps"])
def test_each_table_has_sortable_headings(browser, pages, name):
    browser.open(pages / f"{name}.html")
    for each in TABLES:
        heads = table(browser, each)
        assert (heads["heads"] or not heads["rows"]) and set(heads["sort"]) <= {"none"}, each
        for column in range(len(heads["heads"])):
            click_heading(browser, each, column)
        assert len(table(browser, each)["rows"]) == len(heads["rows"])
    assert browser.console_errors() == []


def test_a_click_sorts_and_the_next_one_turns_it_round(browser, pages):
    browser.open(pages / "training.html")
    before = table(browser, "blocks")
    size = before["heads"].index("MiB")
    click_heading(browser, "blocks", size)
    down = table(browser, "blocks")
    assert down["sort"][size] == "descending" and down["sort"].count("none") == len(down["sort"]) - 1
    sizes = numbers(row[size] for row in down["rows"])
    assert sizes == sorted(sizes, reverse=True) and len(set(sizes)) > 3
    click_heading(browser, "blocks", size)
    up = table(browser, "blocks")
    assert up["sort"][size] == "ascending"
    assert numbers(row[size] for row in up["rows"]) == sorted(sizes)
    what = before["heads"].index("What")
    click_heading(browser, "blocks", what)
    names = [row[what].lower() for row in table(browser, "blocks")["rows"]]
    assert names == sorted(names)
    assert table(browser, "blocks")["sort"][size] == "none"


def test_steps_sort_as_numbers_and_the_total_stays_last(browser, pages):
    browser.open(pages / "many_steps.html")
    click_heading(browser, "steps", 0)
    indices = [int(row[0]) for row in table(browser, "steps")["rows"]]
    assert indices == sorted(indices, reverse=True)
    for _ in range(2):
        click_heading(browser, "categories", 1)
        assert table(browser, "categories")["rows"][-1][0] == "Total"


def test_a_heading_is_sorted_by_the_keyboard_too(browser, pages):
    browser.open(pages / "training.html")
    browser.run("document.querySelector('#ops').tHead.rows[0].cells[1].querySelector('button').focus()")
    assert browser.run("return document.activeElement.className") == "sort"
    for kind in ("keyDown", "keyUp"):
        browser.command("Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", text="\r", windowsVirtualKeyCode=13)
    assert table(browser, "ops")["sort"][1] == "descending"
    # The focus stays for the next press.
    assert browser.run("return document.activeElement.className") == "sort"


def test_the_filter_takes_rows_with_every_word_and_none_of_the_pages_keys(browser, pages):
    browser.open(pages / "training.html")
    everything = table(browser, "blocks")["rows"]
    word = everything[0][1].split("/")[0]
    type_filter(browser, "blocks", word.upper())
    some = table(browser, "blocks")["rows"]
    assert some == [row for row in everything if any(word.lower() in cell.lower() for cell in row)]
    assert 0 < len(some) < len(everything)
    type_filter(browser, "blocks", f"{word} nothing-has-this")
    assert table(browser, "blocks")["rows"] == []
    type_filter(browser, "blocks", "")
    assert table(browser, "blocks")["rows"] == everything
    # In the filter, one of the page's keys is an ordinary letter.
    described = "return document.querySelector('.plot, .areas, #chart').innerHTML.length"
    browser.run("document.querySelector('input.filter').focus()")
    before = browser.run(described)
    browser.press("w")
    assert browser.run(described) == before


def test_csv_has_what_is_shown_with_whole_numbers(browser, pages):
    browser.open(pages / "training.html")
    rows = copied(browser, "categories")
    assert rows[0][:3] == ["Category", "Event mean (bytes)", "Time mean (bytes)"]
    facts = browser.run("return JSON.parse(document.getElementById('facts').textContent)")
    assert [row[0] for row in rows[1:]] == [each["name"] for each in facts["categories"]] + ["Total"]
    assert [int(row[6]) for row in rows[1:-1]] == [each["peak"] for each in facts["categories"]]
    type_filter(browser, "blocks", "parameter")
    click_heading(browser, "blocks", 0)
    blocks = copied(browser, "blocks")
    assert len(blocks) - 1 == len(table(browser, "blocks")["rows"])
    sizes = [int(row[0]) for row in blocks[1:]]
    assert sizes == sorted(sizes, reverse=True)


def test_the_button_says_that_it_copied(browser, pages):
    browser.open(pages / "training.html")
    copied(browser, "steps")
    assert browser.run("return document.querySelector('button[aria-label=\"Copy steps as CSV\"]').textContent") in ("Copied", "Copy CSV")


def test_hostile_names_are_text_in_tables_and_no_formulas_in_csv(browser, pages):
    browser.open(pages / "hostile.html")
    assert browser.run("return document.querySelectorAll('main script, main img, main iframe').length") == 0
    for name in TABLES:
        for row in copied(browser, name):
            for cell in row:
                assert not cell.startswith(("=", "@", "\t")), cell
    assert browser.console_errors() == []


def test_what_adds_up_does(browser, pages):
    browser.open(pages / "training.html")
    facts = browser.run("return JSON.parse(document.getElementById('facts').textContent)")
    rows = {row[0]: row[1] for row in facts["scopes"]["reconciled"]}
    assert rows["reserved"] == rows["reserved and not allocated"] + rows["allocated"]
    assert rows["allocated"] == rows["rounded up, nobody asked for it"] + rows["requested"]
    assert rows["allocated"] == facts["peak"]["allocated_bytes"]
    scopes = table(browser, "scopes")
    assert scopes["heads"][0] == "Peak of" and "Allocated" in scopes["heads"]
    assert len(scopes["rows"]) == len(facts["scopes"]["list"])


def test_a_warm_up_faults_and_what_was_dropped_have_their_tables(browser, pages):
    browser.open(pages / "troubled.html")
    assert browser.run("return document.querySelector('#warm-up-card').hidden") is False
    causes = table(browser, "warm-up")["rows"]
    assert [row[0] for row in causes] == ["step 0", "step 0"] and causes[0][5] == "in forward: aten::exp 2.0 ms and 11 more"
    assert causes[-1][1] == "nothing explains it"
    faults = {row[1]: row[2] for row in table(browser, "faults")["rows"]}
    assert faults == {"rows that found no room in the store": "1,234", "unpaired_phase_end": "3"}
    browser.open(pages / "training.html")
    assert browser.run("return document.querySelector('#faults-none').textContent") == "No fault, and nothing was dropped."
    assert browser.run("return document.querySelector('#faults-scroll').hidden") is True


def test_the_largest_shown_keep_their_tools_and_order_as_the_picture_moves(browser, pages):
    browser.open(pages / "training.html")
    count = "return document.querySelectorAll('details.largest .table-tools').length"
    cells = "return [...document.querySelectorAll('#largest tbody tr')].map((row) => row.cells[arguments[0]].textContent)"
    browser.run("document.querySelectorAll('#largest th button')[4].click()")
    for key in ("0", "p", "s"):
        browser.press(key)
        browser.run("chart.drawNow()")
        time.sleep(0.4)
        assert browser.run(count) == 1
        layers = browser.run(cells, 4)
        assert [layer for layer in layers if layer] == sorted(layer for layer in layers if layer) and layers
    browser.run("document.querySelector('#largest tbody .pick').click()")
    assert browser.run("return chart.settings.pinned") >= 0
