# SPDX-License-Identifier: Apache-2.0
"""The pages of docs/seeds equal what ./dev seeds would write now. Figures of dry runs must agree to
the last digit. Those that depend on a clock or a CPU differ on another machine, so only their form
must agree. torch.profiler's must nearly agree."""

import importlib
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
TOOL = REPOSITORY / "tools/seeds"
FOLDER = REPOSITORY / "docs/seeds"
sys.path.insert(0, str(TOOL))

from comparison import agree  # noqa: E402
from page import Page  # noqa: E402
from runs import Runs  # noqa: E402

NUMBERS = sorted(path.stem for path in FOLDER.glob("[0-9][0-9][0-9].md"))
DOCUMENTS = {number: importlib.import_module(f"document_{number}").DOCUMENT for number in NUMBERS}


def cases(is_long):
    return [
        pytest.param(number, name, id=f"{number}-{name}")
        for number, document in DOCUMENTS.items()
        for name, block in document.blocks.items()
        if block.is_long == is_long
    ]


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return Runs(REPOSITORY, tmp_path_factory.mktemp("runs"))


def expect_block(number, name, *attempts):
    """Compare the block with the result of each attempt; the last one must agree."""
    block, page = DOCUMENTS[number].blocks[name], Page(FOLDER / f"{number}.md")
    for runs in attempts:
        made = block.make(runs)
        if agree(block, page.block(name), made):
            return
    pytest.fail(made)


@pytest.mark.parametrize(("number", "name"), cases(is_long=False))
def test_a_table_is_what_it_would_be_now(runs, number, name):
    expect_block(number, name, runs)


@pytest.mark.long
@pytest.mark.parametrize(("number", "name"), cases(is_long=True))
def test_a_table_that_takes_long_is_what_it_would_be_now(runs, number, name, tmp_path):
    again = []
    if "profiled" in name:
        pytest.importorskip("torchvision", reason="torchvision: third_party/requirements-workloads.txt")
        # For the same program, torch.profiler sometimes calls all activations Unknown, so it may
        # profile once more.
        again = [Runs(REPOSITORY, tmp_path)]
    expect_block(number, name, runs, *again)


@pytest.mark.long
@pytest.mark.parametrize(
    ("number", "file"), [(number, file) for number in NUMBERS for file, picture in DOCUMENTS[number].pictures.items() if not picture.is_measured]
)
def test_a_picture_is_what_it_would_be_now(runs, number, file):
    """The pictures look the same; another release of cairo may draw an edge differently."""
    image = pytest.importorskip("PIL.Image", reason="pillow: third_party/requirements-workloads.txt")
    chops = pytest.importorskip("PIL.ImageChops")
    made = image.open(DOCUMENTS[number].pictures[file].make(runs)).convert("L")
    kept = image.open(FOLDER / number / file).convert("L")
    assert made.size == kept.size
    shades = chops.difference(made, kept).histogram()
    assert sum(shade * count for shade, count in enumerate(shades)) / (made.width * made.height) < 1


@pytest.mark.parametrize("number", NUMBERS)
def test_a_page_has_the_blocks_and_pictures_that_are_made(number):
    text = (FOLDER / f"{number}.md").read_text()
    assert sorted(Page(FOLDER / f"{number}.md").names()) == sorted(DOCUMENTS[number].blocks)
    shown = set(re.findall(rf"\]\({number}/([\w.-]+\.png)\)", text))
    assert shown == set(DOCUMENTS[number].pictures)
    assert {path.name for path in (FOLDER / number).glob("*.png")} == shown


@pytest.mark.parametrize("number", NUMBERS)
def test_at_most_one_row_of_a_page_is_unexplained(number):
    rows = [line for line in (FOLDER / f"{number}.md").read_text().splitlines() if line.startswith("|")]
    assert sum("unexplained" in row.lower() for row in rows) <= 1


def tool(*words):
    return subprocess.run([sys.executable, TOOL, *words], cwd=REPOSITORY, capture_output=True, text=True)


def test_what_is_wrong_is_said():
    assert "there is no document '7'" in tool("7").stderr
    wrong = tool("000", "--only", "nothing")
    assert wrong.returncode == 1 and "000 has no nothing" in wrong.stderr


@pytest.mark.skipif(pathlib.Path("/dev/nvidia0").exists(), reason="this machine has a GPU, and --card would use it")
def test_a_machine_without_a_card_says_so():
    wrong = tool("004", "--card")
    assert wrong.returncode == 1
    assert "needs a GPU of this machine, which has none" in wrong.stderr
    assert "Traceback" not in wrong.stderr


def test_check_finds_a_page_that_went_stale(tmp_path):
    """--check does not change the page. It checks the real pages, so a copy of the tool checks a
    copy of a page."""
    for part in ("tools/seeds", "docs/seeds", "configs/seeds"):
        shutil.copytree(REPOSITORY / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    page = tmp_path / "docs/seeds/000.md"
    words = [sys.executable, tmp_path / "tools/seeds", "000", "--check", "--only", "implementations"]
    environment = {**os.environ, "STRATA": Runs(REPOSITORY, tmp_path / "runs").program}
    assert subprocess.run(words, cwd=tmp_path, env=environment).returncode == 0
    text = page.read_text()
    assert "| foreach | 97.7 |" in text
    stale = text.replace("| foreach | 97.7 |", "| foreach | 97.8 |")
    page.write_text(stale)
    result = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert result.returncode == 1
    assert "implementations is not what it would be made now" in result.stderr
    assert page.read_text() == stale


def test_a_block_is_put_between_its_markers(tmp_path):
    file = tmp_path / "page.md"
    file.write_text("# Page\n\n<!-- begin sums: ./dev seeds 9 -->\n1 + 1 = 3\n<!-- end sums -->\n\nBy hand.\n")
    page = Page(file)
    page.put("sums", "1 + 1 = 2")
    page.write()
    assert file.read_text() == "# Page\n\n<!-- begin sums: ./dev seeds 9 -->\n1 + 1 = 2\n<!-- end sums -->\n\nBy hand.\n"
    with pytest.raises(ValueError, match="begin products"):
        page.put("products", "")
