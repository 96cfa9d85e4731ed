# SPDX-License-Identifier: Apache-2.0
"""Every file that git lists states its licence, in the file or in REUSE.toml."""

import pathlib
import shutil
import subprocess
import sys

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
HEADER = "SPDX-License-" + "Identifier: Apache-2.0"  # split, because reuse would read a whole header as this file's
# These files can have a comment, whatever else REUSE.toml allows: no pattern there may hide a
# missing one.
SOURCES = {".c", ".h", ".cpp", ".hpp", ".py", ".js", ".css", ".cmake", ".sh", ".toml", ".ini", ".dict", ".supp"}


def listed():
    names = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"], cwd=REPOSITORY, capture_output=True, text=True, check=True
    ).stdout.split("\0")
    return sorted({name for name in names if name and (REPOSITORY / name).is_file() and not (REPOSITORY / name).is_symlink()})


def lint(folder):
    return subprocess.run([sys.executable, "-m", "reuse", "--root", folder, "lint"], capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """The files that git lists, without other files beside them: builds, environments, runs."""
    pytest.importorskip("reuse", reason="reuse: third_party/requirements.txt")
    folder = tmp_path_factory.mktemp("listed")
    for name in listed():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(REPOSITORY / name, folder / name)
    return folder


def test_reuse_finds_a_licence_for_every_file(copied):
    done = lint(copied)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", ["host/new.cpp", "tools/new.py", "docs/new.txt"])
def test_a_file_without_one_is_found(copied, name):
    (copied / name).write_text("\n")
    try:
        done = lint(copied)
    finally:
        (copied / name).unlink()
    assert done.returncode == 1 and name in done.stdout


def test_every_source_says_so_at_its_head():
    without = []
    for name in listed():
        path = REPOSITORY / name
        if path.suffix in SOURCES or path.name == "CMakeLists.txt":
            if not any(HEADER in line for line in path.read_text(errors="replace").splitlines()[:2]):
                without.append(name)
    assert without == []


def test_the_licence_is_the_whole_text():
    text = (REPOSITORY / "LICENSE").read_text()
    assert "Apache License" in text and "END OF TERMS AND CONDITIONS" in text and len(text.splitlines()) > 190
    assert text == (REPOSITORY / "LICENSES/Apache-2.0.txt").read_text()
