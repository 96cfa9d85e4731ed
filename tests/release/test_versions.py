# SPDX-License-Identifier: Apache-2.0
"""One version everywhere, a dated section of CHANGELOG.md for it, and a CITATION.cff that tools can
read."""

import importlib.util
import json
import pathlib
import shutil
import sys

import jsonschema
import pytest
import yaml

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tools/release"))

import versions  # noqa: E402


@pytest.fixture
def copied(tmp_path):
    for name in {*versions.said(), *versions.ASKING, "CHANGELOG.md"}:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(REPOSITORY / name, tmp_path / name)
    return tmp_path


def test_all_say_one_version():
    told = versions.said()
    assert len(told) > 8  # they include plugins and sources
    assert set(told.values()) == {versions.version()}
    assert versions.problems() == []


@pytest.mark.parametrize("name", versions.said())
def test_another_version_anywhere_is_found(copied, name):
    assert versions.problems(copied) == []
    text = (copied / name).read_text()
    (copied / name).write_text(text.replace(versions.version(), "9.8.7"))
    assert any("9.8.7" in problem for problem in versions.problems(copied))


@pytest.mark.parametrize("name", versions.ASKING)
def test_a_project_that_asks_for_another_release_is_found(copied, name):
    text = (copied / name).read_text()
    (copied / name).write_text(text.replace(f"strata {versions.version().rpartition('.')[0]}", "strata 9.8"))
    assert any(problem.startswith(name) and "9.8" in problem for problem in versions.problems(copied))


def test_a_release_without_its_day_is_found(copied):
    text = (copied / "CHANGELOG.md").read_text()
    (copied / "CHANGELOG.md").write_text(text.replace(f"## {versions.version()} - ", f"## {versions.version()} of "))
    assert any("has no '## " in problem for problem in versions.problems(copied))
    (copied / "CHANGELOG.md").write_text(text.replace("## Unreleased\n", ""))
    assert any("Unreleased" in problem for problem in versions.problems(copied))


def test_the_citation_is_what_tools_read():
    # The package is found but not imported, because its dependencies are missing here.
    package = importlib.util.find_spec("cffconvert")
    if package is None:
        pytest.skip("no schema of CITATION.cff: cffconvert of third_party/requirements-workloads.txt")
    schema = json.loads((pathlib.Path(package.origin).parent / "schemas/1.2.0/schema.json").read_text())
    citation = yaml.load((REPOSITORY / "CITATION.cff").read_text(), Loader=yaml.BaseLoader)
    jsonschema.validate(citation, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(citation | {"authors": []}, schema)
