# SPDX-License-Identifier: Apache-2.0
"""The steps of `./dev release` after the build: checks that this tree is a release, and puts its
files into one folder.

    ./dev release --check    only checks the tree, the versions and the licences
    ./dev release            then makes the .deb, the tarball, the wheel, the sdist, a list of
                             their contents, and SHA256SUMS

The wheel has parts for all releases of torch in third_party/torch-releases.txt, or for those of
--torch.

docs/releasing.md describes the steps before and after.
"""

import argparse
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys

import third_party
import versions

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
SUMS = "SHA256SUMS"


def run(*words, **options):
    done = subprocess.run([*map(str, words)], cwd=REPOSITORY, capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}")
    return done.stdout


def problems():
    """Return the reasons why this tree cannot be released, one sentence each."""
    found = [f"not committed: {line}" for line in run("git", "status", "--porcelain").splitlines()]
    found += versions.problems()
    if (REPOSITORY / third_party.LIST).read_text() != third_party.page():
        found.append(f"{third_party.LIST} is not what third_party/libraries.json says: tools/release/third_party.py list")
    linted = subprocess.run([sys.executable, "-m", "reuse", "lint", "--quiet"], cwd=REPOSITORY, capture_output=True, text=True)
    if linted.returncode != 0:
        found.append(f"not every file says its licence: .venv/bin/python -m reuse lint {linted.stderr.strip()}".rstrip())
    return found


def make(tree, folder, torch):
    """Make the files in `folder`, which is emptied first: files built from another commit are not
    part of this release."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    environment = os.environ | {"SOURCE_DATE_EPOCH": run("git", "log", "-1", "--format=%ct").strip()}
    run("cpack", "--config", tree / "CPackConfig.cmake", "-B", folder, env=environment)
    shutil.rmtree(folder / "_CPack_Packages", ignore_errors=True)
    for_releases = ["--torch", *torch] if torch else []
    run(sys.executable, "-B", "tools/wheel", "--tree", tree, "--out", folder, *for_releases, env=environment)
    backend = "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"
    run(sys.executable, "-c", backend, folder, env=environment)
    shutil.copyfile(tree / "papers/strata.cdx.json", folder / f"strata-{versions.version()}.cdx.json")


def write_sums(folder):
    """Write them in the format of `sha256sum --check SHA256SUMS`."""
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.name != SUMS)
    (folder / SUMS).write_text("".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files))
    return [*files, folder / SUMS]


def main():
    parser = argparse.ArgumentParser(prog="./dev release", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only look, and say what keeps this tree from being released")
    parser.add_argument("--tree", type=pathlib.Path, default=REPOSITORY / "build/release", help="the build tree")
    parser.add_argument("--out", type=pathlib.Path, help="the folder that the files go to; TREE/packages unless said")
    parser.add_argument("--torch", nargs="+", help="of tools/wheel: releases of torch that the wheel has parts for")
    arguments = parser.parse_args()
    found = problems()
    if found:
        sys.exit("\n".join(["this tree is no release:", *found]))
    if arguments.check:
        return
    folder = arguments.out or arguments.tree / "packages"
    make(arguments.tree, folder, arguments.torch)
    for path in write_sums(folder):
        print(path)


if __name__ == "__main__":
    main()
