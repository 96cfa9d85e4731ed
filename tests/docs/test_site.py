# SPDX-License-Identifier: Apache-2.0
"""The site builds without a warning, and its reference has everything that the code has."""

import json
import re
import subprocess
import sys

import pytest
from pages import REPOSITORY

TOOL = REPOSITORY / "tools/site"
sys.path.insert(0, str(TOOL))

from reference import command_line, configuration, json_schemas, plugin_abi, plugins, store  # noqa: E402
from reference.program import prose, says  # noqa: E402


@pytest.fixture(scope="session")
def strata(build_folder):
    return build_folder / "bin/strata"


def headings(page):
    return re.findall(r"^#{2,4} (.+)$", page, re.MULTILINE)


def keys_of(schema, prefix=""):
    for name, value in schema["properties"].items():
        yield f"{prefix}{name}"
        if "properties" in value:
            yield from keys_of(value, f"{prefix}{name}.")


def test_every_key_of_the_yaml_has_its_section(strata):
    page = configuration.page(REPOSITORY, strata)
    keys = set(keys_of(json.loads(says(strata, "run", "--json-schema"))))
    assert len(keys) > 90 and keys - set(headings(page)) == set()
    assert "runs/&lt;name&gt;/&lt;time&gt;" in page.replace(">", "&gt;")


def test_every_command_has_its_help(strata):
    page = command_line.page(REPOSITORY, strata)
    named = set(re.findall(r'add_subcommand\(\s*"([\w-]+)"', "".join(path.read_text() for path in (REPOSITORY / "host/cli").rglob("*.cpp"))))
    assert len(named) > 15 and named - {heading.split()[-1] for heading in headings(page)} == set()


def test_every_plugin_and_option_is_there(strata):
    page = plugins.page(REPOSITORY, strata)
    assert {"allocator_tracer", "nvtx_markers", "torch"} <= set(headings(page)) and "stacks_above_mib" in page
    assert "file: " not in page


def test_every_header_and_struct_of_the_abi_is_there(strata):
    page = plugin_abi.page(REPOSITORY, strata)
    headers = [*(REPOSITORY / "plugin_api/include").rglob("*.h"), *(REPOSITORY / "plugin_api/cpp").rglob("*.hpp")]
    said = set(headings(page))
    assert len(headers) > 25
    for header in headers:
        name = f"strata/{str(header).rpartition('/strata/')[2]}"
        structs = re.findall(r"^typedef struct (\w+) \{", header.read_text(), re.MULTILINE) if header.suffix == ".h" else []
        assert {name, *structs} - said == set()
    # No line of code is lost.
    flat = " ".join(page.split())
    code = re.sub(r"/\*.*?\*/", "", (REPOSITORY / "plugin_api/include/strata/ext/store.h").read_text(), flags=re.DOTALL)
    lines = [line.strip() for line in code.splitlines() if not re.match(r"\s*(#|extern \"C\"|\}$|$)", line)]
    assert len(lines) > 20 and [line for line in lines if " ".join(line.split()) not in flat] == []


def test_schemas_are_json(strata):
    page = json_schemas.page(REPOSITORY, strata)
    texts = re.findall(r"^```json\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert len(texts) == 1 + len(list((REPOSITORY / "host").rglob("*.schema.json")))
    assert all(json.loads(text) for text in texts)


@pytest.mark.long
def test_every_table_of_the_store_has_its_columns(strata):
    page = store.page(REPOSITORY, strata)
    tables = set(re.findall(r"^\| `(\w+)`", (REPOSITORY / "docs/run-store.md").read_text(), re.MULTILINE))
    assert len(tables) > 25 and tables - set(headings(page)) == set()
    assert page.count("| `sequence` | uint64 |") > 10


@pytest.mark.long
def test_the_site_is_made_without_a_warning(strata, tmp_path):
    for module in ("sphinx", "myst_parser", "furo"):
        pytest.importorskip(module, reason="third_party/requirements.txt: Python 3.11 or later")
    site = tmp_path / "site"
    done = subprocess.run([sys.executable, TOOL, "--strata", strata, "--out", site], capture_output=True, text=True, timeout=1500)
    assert done.returncode == 0, done.stderr
    page = (site / "docs/dry-gpu.html").read_text()
    link = re.search(r'href="\.\./(files/tests/dry_gpu/test_torch\.py\.html)"', page)
    assert link and (site / link[1]).is_file()
    loaded = re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="(https?://[^"]+)"', "".join(p.read_text() for p in site.glob("docs/*.html")))
    assert loaded == []


def test_text_is_shown_as_it_is():
    assert prose("a_b <c> *d* [e] | f") == r"a\_b &lt;c> \*d\* \[e\] \| f"
