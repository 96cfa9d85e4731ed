# SPDX-License-Identifier: Apache-2.0
"""Strata's third-party code: one table that every third_party/*.cmake is in, and the documents made
from it."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
TOOL = REPOSITORY / "tools/release/third_party.py"
PROGRAM = os.environ.get("STRATA")
BUILD = pathlib.Path(PROGRAM).resolve().parents[1] if PROGRAM else REPOSITORY / "build/release"

sys.path.insert(0, str(TOOL.parent))

import third_party  # noqa: E402

LIBRARIES = third_party.libraries()
EVERY = {each["name"]: f"1.{number}" for number, each in enumerate(LIBRARIES)}


def papers(folder, found):
    (folder / "found.json").write_text(json.dumps(found))
    environment = {"PATH": os.environ["PATH"], "SOURCE_DATE_EPOCH": "1000000000", "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run([sys.executable, TOOL, "papers", "1.2.3", folder / "found.json", folder / "out"], check=True, env=environment)
    return folder / "out"


def test_every_dependency_has_its_row():
    files = {path.name for path in (REPOSITORY / "third_party").glob("*.cmake")}
    assert len(files) > 10
    assert {name for each in LIBRARIES for name in each["files"]} == files


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda each: each["name"])
def test_a_row_says_what_its_file_does(library):
    text = "".join((REPOSITORY / "third_party" / name).read_text() for name in library["files"])
    assert re.search(rf"\b{re.escape(library['at_least'].removesuffix('.0'))}\b", text), "the release that is asked for"
    packages = (REPOSITORY / "third_party/debian-packages.txt").read_text() + (REPOSITORY / "third_party/requirements.txt").read_text()
    assert library["package"].startswith("PyPI: nvidia") or library["package"].removeprefix("PyPI: ") in packages


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda each: each["name"])
def test_what_is_handed_on_has_its_text(library):
    kept = third_party.licence_file(library)
    if library["used"] in third_party.HANDED_ON:
        text = kept.read_text()
        assert "opyright" in text and len(text) > 500
        assert text.rstrip() in (REPOSITORY / third_party.LIST).read_text()


def test_no_text_is_of_nothing():
    kept = {path for path in (REPOSITORY / "third_party/licences").iterdir()}
    assert kept == {third_party.licence_file(each) for each in LIBRARIES} & kept


def test_the_list_is_the_tables():
    assert (REPOSITORY / third_party.LIST).read_text() == third_party.page(), "tools/release/third_party.py list writes it again"


def test_the_bill_of_materials_is_cyclonedx(tmp_path):
    pytest.importorskip("cyclonedx", reason="cyclonedx-python-lib: third_party/requirements.txt")
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    validator = JsonStrictValidator(SchemaVersion.V1_6)
    for found in (EVERY, {}):  # also if a build did not find torch
        text = (papers(tmp_path, found) / "strata.cdx.json").read_text()
        assert validator.validate_str(text) is None
    broken = json.loads(text)
    broken["components"][0]["scope"] = "sometimes"
    assert validator.validate_str(json.dumps(broken)) is not None


def test_the_bill_of_materials_is_the_list(tmp_path):
    told = json.loads((papers(tmp_path, EVERY) / "strata.cdx.json").read_text())
    assert told["metadata"]["component"]["version"] == "1.2.3"
    assert told["metadata"]["timestamp"] == "2001-09-09T01:46:40Z"
    rows = {line.split(" | ")[0].removeprefix("| "): line for line in third_party.page().splitlines() if line.startswith("| ")}
    rows.pop("library")
    assert [each["name"] for each in told["components"]] == list(rows)
    for each in told["components"]:
        assert each["licenses"][0]["expression"] in rows[each["name"]]
        assert each["version"] == EVERY[each["name"]]
        assert each["purl"].endswith("@" + each["version"])
    tests = {each["name"] for each in told["components"] if each["scope"] == "excluded"}
    assert tests == {"GoogleTest", "Google Benchmark"}


def test_one_build_is_told_in_one_way(tmp_path):
    first = (papers(tmp_path, EVERY) / "strata.cdx.json").read_text()
    assert (papers(tmp_path, EVERY) / "strata.cdx.json").read_text() == first
    other = json.loads((papers(tmp_path, EVERY | {"fmt": "11"}) / "strata.cdx.json").read_text())
    assert other["serialNumber"] != json.loads(first)["serialNumber"]


def test_debians_copyright_is_read_by_debians_reader(tmp_path):
    debian = pytest.importorskip("debian.copyright", reason="python-debian, which comes with reuse: third_party/requirements.txt")
    with (papers(tmp_path, EVERY) / "copyright").open() as file:
        read = debian.Copyright(file, strict=True)
    [files] = read.all_files_paragraphs()
    assert files.license.synopsis.startswith("Apache-2.0 and ")
    told = {each.license.synopsis for each in read.all_license_paragraphs()}
    assert told == set(files.license.synopsis.split(" and "))
    for library in LIBRARIES:
        assert (f"{library['name']} (" in files.comment) == (library["used"] in third_party.HANDED_ON)


def test_this_build_found_the_versions_of_all():
    if not (BUILD / "found_libraries.json").is_file():
        pytest.skip(f"{BUILD} is not configured: ./dev build")
    found = json.loads((BUILD / "found_libraries.json").read_text())
    assert set(found) == set(EVERY)
    for library in LIBRARIES:
        numbers = [[int(part) for part in version.split(".")] for version in (found[library["name"]], library["at_least"])]
        assert numbers[0] >= numbers[1] or found[library["name"]] == library["at_least"].split(".")[0], library["name"]
        assert numbers[0][0] - numbers[1][0] < 10 and re.fullmatch(r"\d+(\.\d{1,3}){0,2}", found[library["name"]])


def test_d3s_licence_is_in_the_page():
    """Every page contains it; page_test.cpp checks a page."""
    template = BUILD / "host/report/page_template.cpp"
    if not template.is_file():
        pytest.skip(f"{template} is not built: ./dev build")
    text = template.read_text()
    notice = (REPOSITORY / "third_party/licences/LICENSE-d3").read_text()
    assert notice in text
    assert text.index(notice) < text.index("d3js.org v5")
