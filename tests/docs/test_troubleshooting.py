# SPDX-License-Identifier: Apache-2.0
"""docs/guide/troubleshooting.md explains each finding that `strata doctor` can print, in the same
words."""

import json
import os
import re
import subprocess

import pytest
from pages import REPOSITORY

pytestmark = pytest.mark.smoke

SOURCES = sorted((REPOSITORY / "host/cli/doctor").glob("*.cpp"))
PAGE = REPOSITORY / "docs/guide/troubleshooting.md"
LITERAL = r'"(?:[^"\\]|\\.)*"'
# A finding's name, text and advice: the literals after these words, up to the end of the member or
# statement.
NAMES = re.compile(rf'(?:\.name = |missing\(|check_limit\(|Finding finding\{{)({LITERAL})')
TEXTS = re.compile(rf"(?:detail|remedy|kNoGpuRemedy) ?\+?= ?((?:[^;\"]|{LITERAL})*?)(?:,\s*\.|;|\}})", re.DOTALL)
ARGUMENTS = re.compile(rf'(?:missing\({LITERAL},|check_limit\({LITERAL}, \w+, \w+,|\{{"\w+",)\s*({LITERAL})')
SHORT = 12  # shorter literals are no sentences: " in ", "cannot"


def joined(text):
    """Return the literals in a piece of C++; adjacent ones are joined."""
    text = re.sub(r'(?<!\\)"\s+"', "", text)
    return [literal[1:-1].replace('\\"', '"') for literal in re.findall(LITERAL, text)]


def findings(source):
    """Return (names, sentences) of the literals in a source of the doctor."""
    names = {name.strip('"') for name in NAMES.findall(source)}
    texts = [literal for pattern in (TEXTS, ARGUMENTS) for piece in pattern.findall(source) for literal in joined(piece)]
    return names, {part.strip(" ,;:") for text in texts for part in re.split(r"\{[^}]*\}", text)}


def flat(text):
    return re.sub(r"\s+", " ", text.replace("`", "").replace("\\|", "|"))


@pytest.fixture(scope="module")
def page():
    return flat(PAGE.read_text())


@pytest.fixture(scope="module")
def headings():
    return set(re.findall(r"^### (.*)$", PAGE.read_text(), re.MULTILINE))


@pytest.mark.parametrize("source", [pytest.param(path, id=path.stem) for path in SOURCES])
def test_every_finding_is_explained(source, page, headings):
    names, sentences = findings(source.read_text())
    assert {name for name in names if name not in headings} == set()
    assert {text for text in sentences if len(text) >= SHORT and flat(text) not in page} == set()


def test_every_finding_printed_here_is_explained(build_folder, headings):
    printed = subprocess.run([build_folder / "bin/strata", "doctor", "--json"], capture_output=True, text=True, env={**os.environ})
    names = {check["name"] for check in json.loads(printed.stdout)["checks"]}
    known = {re.sub(r"^(plugin|source) (?!torch$).*", r"\1 NAME", name) for name in names}
    assert known - headings == set()


def test_what_the_doctor_says_is_found_in_its_sources():
    assert len(SOURCES) >= 8
    names = set().union(*(findings(source.read_text())[0] for source in SOURCES))
    assert {"trainer", "CUPTI", "limit of open files", "GPU devices", "NVTX", "launcher", "free disk space"} <= names
    sentences = findings('return {.name = "a thing", .detail = "it is "\n "not there", .remedy = fmt::format("get one from {} soon", x)};')
    assert sentences == ({"a thing"}, {"it is not there", "get one from", "soon"})
