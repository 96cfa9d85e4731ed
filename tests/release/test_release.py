# SPDX-License-Identifier: Apache-2.0
"""`./dev release`: it rejects a tree that is not a release, and makes all files of a release, with
their checksums."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("STRATA")
BUILD = pathlib.Path(PROGRAM).resolve().parents[1] if PROGRAM else REPOSITORY / "build/release"
sys.path.insert(0, str(REPOSITORY / "tools/release"))

from versions import version  # noqa: E402

VERSION = version()


def git(folder, *words):
    identity = ("-c", "user.name=test", "-c", "user.email=test@localhost")
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """The files that git lists here, changed or not, as one commit."""
    pytest.importorskip("reuse", reason="reuse: third_party/requirements.txt")
    folder = tmp_path_factory.mktemp("clone")
    names = subprocess.run(["git", "ls-files", "-z"], cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout.split("\0")
    for name in filter(None, names):
        if (REPOSITORY / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(REPOSITORY / name, folder / name)
    git(folder, "init", "--quiet")
    git(folder, "add", "--all", "--force")
    git(folder, "commit", "--quiet", "--message", "all")
    return folder


def release(clone, *words):
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"}
    return subprocess.run([sys.executable, "tools/release", *map(str, words)], cwd=clone, capture_output=True, text=True, timeout=900, env=environment)


def test_a_clean_tree_is_one(clone):
    done = release(clone, "--check")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("README.md", "more\n", "not committed:  M README.md"),
        ("host/new.cpp", "\n", "not every file says its licence"),
        ("third_party/licences/LICENSE-fmt", "more\n", "THIRD_PARTY_LICENSES.md is not what"),
        ("CITATION.cff", "version: 9.9.9\n", "CITATION.cff says no version, or several"),
    ],
)
def test_a_tree_that_is_none_is_refused(clone, name, text, said):
    with (clone / name).open("a") as file:
        file.write(text)
    try:
        done = release(clone, "--check")
    finally:
        git(clone, "reset", "--hard", "--quiet")
        git(clone, "clean", "--force", "-d", "--quiet")
    assert done.returncode == 1 and said in done.stderr


@pytest.mark.long
def test_it_makes_every_file_and_their_sums(clone, tmp_path):
    pytest.importorskip("scikit_build_core", reason="scikit-build-core: third_party/requirements-workloads.txt")
    out = tmp_path / "packages"
    done = release(clone, "--tree", BUILD, "--out", out, "--torch", "2.11.0")
    assert done.returncode == 0, done.stderr
    names = {path.name for path in out.iterdir()}
    assert names == {
        f"strata_{VERSION}_amd64.deb",
        f"strata-{VERSION}-Linux.tar.gz",
        f"strata_profiler-{VERSION}-py3-none-manylinux_2_35_x86_64.whl",
        f"strata_profiler-{VERSION}.tar.gz",
        f"strata-{VERSION}.cdx.json",
        "SHA256SUMS",
    }
    assert {pathlib.Path(line).name for line in done.stdout.splitlines()} == names
    check = ["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"]
    assert subprocess.run(check, cwd=out).returncode == 0
    (out / f"strata-{VERSION}.cdx.json").write_text("{}")
    assert subprocess.run(check, cwd=out, capture_output=True).returncode == 1
