# SPDX-License-Identifier: Apache-2.0
"""Every relative link and anchor of the pages leads somewhere, in a checkout and wherever it is
shown."""

import functools
import os
import pathlib
import re
import unicodedata
import urllib.parse

import pytest
from pages import PAGES, REPOSITORY, prose, unfenced

pytestmark = pytest.mark.smoke

LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\[\]]*\])*\]\(\s*<?([^()\s>]+(?:\([^()\s]*\))?[^()\s>]*)>?(?:\s+\"[^\"]*\")?\s*\)")
REFERENCE = re.compile(r"^\[[^\]]+\]: (\S+)$", re.MULTILINE)
HTML = re.compile(r'<(?:img|a)\b[^>]*?\b(?:src|href)="([^"]+)"')


def slug(heading):
    """Return the anchor that GitHub and MyST give a heading."""
    heading = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    kept = "".join(c for c in heading.strip().lower() if c in " -_" or unicodedata.category(c)[0] in "LN" or c == "_")
    return re.sub(r"[`*]", "", kept).replace(" ", "-")


@functools.cache
def anchors(page):
    text = unfenced(page)
    found, seen = set(), {}
    for heading in re.findall(r"^#{1,6} (.+)$", text, re.MULTILINE):
        name = slug(heading)
        found.add(name if name not in seen else f"{name}-{seen[name]}")
        seen[name] = seen.get(name, 0) + 1
    return found | set(re.findall(r'<a (?:id|name)="([^"]+)"', text))


def links(page):
    text = prose(page)
    return [link for pattern in (LINK, REFERENCE, HTML) for link in pattern.findall(text)]


def problem(page, link):
    """Return why a link leads nowhere, or None if it works or leaves the repository."""
    if re.match(r"[a-z][a-z0-9+.-]*:", link):
        return None
    path, _, anchor = urllib.parse.unquote(link).partition("#")
    target = pathlib.Path(os.path.normpath(page.parent / path)) if path else page
    if not target.exists():
        return "there is no such file"
    if REPOSITORY not in target.parents and target != REPOSITORY:
        return "it leaves the repository"
    if anchor and target.suffix == ".md" and anchor not in anchors(target):
        return f"{target.relative_to(REPOSITORY)} has no heading of that anchor"
    return None


@pytest.mark.parametrize("page", [pytest.param(page, id=str(page.relative_to(REPOSITORY))) for page in PAGES])
def test_links_lead_somewhere(page):
    wrong = {link: said for link in links(page) if (said := problem(page, link))}
    assert wrong == {}


def test_no_page_names_an_address_of_a_machine():
    local = re.compile(r"\]\((?:file:|/|https?://(?:localhost|127\.|10\.|192\.168\.))")
    assert [str(page) for page in PAGES if local.search(prose(page))] == []


def test_a_broken_link_is_noticed(tmp_path):
    page = REPOSITORY / "docs/exec.md"
    assert problem(page, "nothing.md") and problem(page, "python.md#no-such-heading") and problem(page, "../../..")
    assert problem(page, "python.md#runs-without-strata-exec") is None and problem(page, "../tests") is None
    assert slug("`strata fit`: the largest that fits") == "strata-fit-the-largest-that-fits"
