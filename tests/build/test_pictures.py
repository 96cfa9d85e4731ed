# SPDX-License-Identifier: Apache-2.0
"""Every file in docs/pictures is shown on a page and made by a tool."""

import pathlib
import re
import shlex
import subprocess
import sys

import pytest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools/pictures"
FOLDER = "docs/pictures"
BY_THE_BENCHMARKS = "benchmark-"  # bench/page writes these together with its page
BY_HAND = {"grid-report"}

sys.path.insert(0, str(TOOL))

from picture_runs import COMMANDS, Runs  # noqa: E402

SHOWN = re.compile(r'!\[[^\]]*\]\(([^)\s]+)\)|<img [^>]*src="([^"]+)"')


def pages(repository):
    return [repository / "README.md", *sorted((repository / "docs").rglob("*.md"))]


def shown_by(page):
    """Return the files that a page shows."""
    return {(page.parent / (markdown or html)).resolve() for markdown, html in SHOWN.findall(page.read_text())}


def listed():
    """Return each picture's name with the command of its run."""
    printed = subprocess.run([sys.executable, TOOL, "--list"], capture_output=True, text=True, check=True).stdout
    return dict(line.split(maxsplit=1) for line in printed.splitlines())


@pytest.fixture(scope="module")
def made():
    pytest.importorskip("PIL", reason="pillow: third_party/requirements-workloads.txt")
    return listed()


def test_every_picture_is_shown_and_every_shown_one_is_there(repository):
    shown = set().union(*map(shown_by, pages(repository)))
    assert {path for path in shown if not path.is_file()} == set()
    kept = {path for path in (repository / FOLDER).rglob("*") if path.is_file()}
    assert kept - shown == set()


def test_each_picture_is_one_that_the_tool_makes(repository, made):
    folder = repository / FOLDER
    kept = {str(path.relative_to(folder).with_suffix("")) for path in folder.rglob("*") if path.is_file()}
    assert {name for name in kept if not name.startswith(BY_THE_BENCHMARKS)} - BY_HAND == set(made)


def test_a_page_prints_the_command_of_each_picture_it_shows(repository, made):
    texts = [re.sub(r" \\\n *", " ", page.read_text()) for page in pages(repository)]
    for name, command in made.items():
        showing = [text for text in texts if f"pictures/{name}.png" in text]
        assert showing and all(command in text for text in showing), name


def test_every_shape_has_its_picture(repository, made):
    rules = (repository / "docs/shapes.md").read_text().split("\n## ")[1]
    kinds = re.findall(r"^\| `(\w+)` \|", rules, re.MULTILINE)
    assert len(kinds) == 24, "README.md and the guide say twenty-four"
    assert {f"shapes/{kind}" for kind in kinds} == {name for name in made if name.startswith("shapes/")} - {"shapes/step"}


def test_pictures_together_stay_small(repository):
    assert sum(path.stat().st_size for path in (repository / FOLDER).rglob("*.png")) < 3 << 20


def test_a_command_is_run_as_it_is_printed(tmp_path):
    runs = Runs(TOOL.parents[1], tmp_path)
    for name, command in COMMANDS.items():
        words = runs.words(name, tmp_path / "out")
        at = words.index("--out")
        assert [word.replace(sys.executable, "python") for word in [*words[1:at], *words[at + 2 :]]] == shlex.split(command)[1:]


def test_an_unknown_name_is_refused():
    pytest.importorskip("PIL", reason="pillow: third_party/requirements-workloads.txt")
    wrong = subprocess.run([sys.executable, TOOL, "nothing"], capture_output=True, text=True)
    assert wrong.returncode == 2 and "there is no picture 'nothing'" in wrong.stderr
