# SPDX-License-Identifier: Apache-2.0
"""docs/integrations: short pages, all listed in the table, with valid lines of Python."""

import ast
import re
import sys

import pytest
from pages import REPOSITORY, blocks

FOLDER = REPOSITORY / "docs/integrations"
INDEX = FOLDER / "index.md"
PAGES = sorted(set(FOLDER.glob("*.md")) - {INDEX})
MOST_LINES = 30


@pytest.mark.parametrize("page", [pytest.param(page, id=page.stem) for page in PAGES])
def test_a_page_is_short_and_its_python_is_python(page):
    assert len(page.read_text().splitlines()) <= MOST_LINES
    for block in blocks(page):
        if block.language == "python":
            ast.parse(block.text)


def test_the_table_has_every_page_and_every_module():
    text = INDEX.read_text()
    assert set(re.findall(r"\]\(([\w-]+\.md)\)", text)) == {page.name for page in PAGES}
    sys.path.insert(0, str(REPOSITORY / "python"))
    from strata_profiler import integrations

    said = "".join(page.read_text() for page in PAGES).lower()
    assert [module for module in integrations._MODULES if module not in said] == []


def test_releases_are_those_that_tests_use():
    sys.path.insert(0, str(REPOSITORY / "tests/python"))
    from recipe_packages import PINS

    pins = dict(line.split(";")[0].strip().split("==") for line in (REPOSITORY / "third_party/requirements-workloads.txt").read_text().splitlines() if "==" in line)
    pins |= dict(words.split()[0].split("==") for words in PINS.values())  # the library, before its dependencies
    rows = re.findall(r"^\| ([\w, -]+) \| (\d[^|;]*)", INDEX.read_text(), re.MULTILINE)
    assert len(rows) == 10
    for names, releases in rows:
        for name, release in zip(names.split(", "), releases.split(", ")):
            assert release.strip() == pins[name], name
