# SPDX-License-Identifier: Apache-2.0
"""Each command of the guide runs as printed, and prints what the page shows."""

import collections
import os
import re
import subprocess

import pytest
from pages import GUIDE, REPOSITORY, blocks

# Pages whose commands take more than 20 s on two cores.
LONG = {"commands", "does-not-fit", "lora-on-one-card", "without-a-gpu", "your-own-trainer-cpp"}
# The number of blocks per page that are not run; the page gives each block's reason. An additional
# one must be noticed.
NOT_RUN = {
    "ci-memory-budgets": 1,
    "commands": 3,
    "first-run": 1,
    "grids": 2,
    "install": 7,
    "troubleshooting": 1,
    "under-nsys": 4,
    "without-a-gpu": 1,
    "your-own-trainer-cpp": 1,
}
PAGES = [pytest.param(page, id=page.stem, marks=[pytest.mark.long] * (page.stem in LONG)) for page in GUIDE]


@pytest.fixture
def checkout(tmp_path, build_folder):
    """A folder that looks like a checkout with its build, without anything of this checkout that a
    command could change."""
    for name in ("configs", "examples", "plugin_api", ".venv"):
        (tmp_path / name).symlink_to(REPOSITORY / name)
    (tmp_path / "build").mkdir()
    (tmp_path / "build/release").symlink_to(build_folder)
    return tmp_path


@pytest.fixture(scope="session")
def each_shell():
    """The block that install.md has readers type in each new shell. Here, too, nothing else sets up
    the environment."""
    if not (REPOSITORY / ".venv/bin/activate").is_file():
        pytest.skip("no .venv in this checkout: ./dev build makes one")
    (block,) = [block for page in GUIDE for block in blocks(page) if "in each shell" in block.remarks]
    return block.text


def newcomers_environment(folder):
    """Return this process's environment without variables that lead to a build or to the checkout's
    Python."""
    ours = [str(REPOSITORY), str((REPOSITORY / ".venv").resolve())]
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV", "STRATA")}
    path = [entry for entry in os.environ["PATH"].split(":") if not any(entry.startswith(start) for start in ours)]
    return kept | {"PATH": ":".join(path), "HOME": str(folder), "COLUMNS": "80", "PYTHONDONTWRITEBYTECODE": "1"}


def run(block, folder, each_shell):
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", each_shell + block.text],
        cwd=folder,
        env=newcomers_environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=1500,
    )


def missing_line(shown, printed):
    """Return the first shown line that is not printed after those before it, or None if all are."""
    lines = [line.rstrip() for line in printed.splitlines()]
    for line in map(str.rstrip, shown.splitlines()):
        if line in ("", "..."):
            continue
        start = line.removesuffix("...")
        found = next((at for at, printed in enumerate(lines) if printed == line or (start != line and printed.startswith(start))), None)
        if found is None:
            return line
        lines = lines[found + 1 :]
    return None


@pytest.mark.parametrize("page", PAGES)
def test_commands_run_and_print_what_is_shown(page, checkout, each_shell):
    output = None
    for block in blocks(page):
        where = f"{page.name}:{block.line}"
        if "written to" in block.remarks:
            (checkout / block.remarks["written to"]).parent.mkdir(parents=True, exist_ok=True)
            (checkout / block.remarks["written to"]).write_text(block.text)
        elif block.is_run:
            done = run(block, checkout, each_shell)
            if "No module named 'transformers'" in done.stdout:
                pytest.skip("transformers: third_party/requirements-workloads.txt")
            assert done.returncode == int(block.remarks.get("exits with", 0)), f"{where}\n{done.stdout}"
            output = done.stdout
        elif block.language == "text" and output is not None and "varies" not in block.remarks:
            missing = missing_line(block.text, output)
            assert missing is None, f"{where}: not printed, or not in this order: {missing!r}\n{output}"


def test_what_is_not_run_has_a_reason_and_is_counted():
    reasons = [(page.stem, block.remarks["not run"]) for page in GUIDE for block in blocks(page) if "not run" in block.remarks]
    assert all(len(reason) > 10 for _, reason in reasons), reasons
    assert collections.Counter(name for name, _ in reasons) == NOT_RUN


def flat(text):
    return re.sub(r"\s+", " ", text).strip()


@pytest.mark.parametrize("page", [pytest.param(page, id=page.stem) for page in GUIDE])
def test_code_on_a_page_is_code_that_is_built_or_run(page):
    for block in blocks(page):
        where = f"{page.name}:{block.line}"
        if "is" in block.remarks:
            parts = [part for part in re.split(r"^\s*(?://|#) \.\.\.$", block.text, flags=re.MULTILINE) if part.strip()]
            source = flat((REPOSITORY / block.remarks["is"]).read_text())
            assert all(flat(part) in source for part in parts), f"{where} is not what {block.remarks['is']} has"
        elif block.language not in ("bash", "console", "text", ""):
            assert "written to" in block.remarks or "not run" in block.remarks, f"{where}: no test sees this block"


def test_a_shown_line_that_is_not_printed_is_noticed():
    assert missing_line("a\n...\nc\n", "a\nb\nc  \n") is None
    assert missing_line("a step of ...\n", "a step of 3 ms\n") is None
    assert missing_line("c\na\n", "a\nb\nc\n") == "a"
