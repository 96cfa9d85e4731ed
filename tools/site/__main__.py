# SPDX-License-Identifier: Apache-2.0
"""Makes the site from the pages in docs/, with a reference made from the code: `./dev docs`."""

import argparse
import pathlib
import shutil
import subprocess
import sys

import reference

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
# The repository's files that are pages of the site, besides docs/.
PAGES = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "THIRD_PARTY_LICENSES.md", "plugin_api/conventions/*.md"]


def stage(folder):
    """Copy the site's sources, in the repository's structure."""
    if folder.exists():
        shutil.rmtree(folder)
    shutil.copytree(REPOSITORY / "docs", folder / "docs", ignore=shutil.ignore_patterns("conf.py", "site", "__pycache__"))
    for page in (path for pattern in PAGES for path in REPOSITORY.glob(pattern)):
        copy = folder / page.relative_to(REPOSITORY)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(page, copy)


def main():
    parser = argparse.ArgumentParser(prog="./dev docs", description=__doc__)
    parser.add_argument("--strata", default="build/release/bin/strata", help="the program that the reference is made from")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("build/docs"), help="the site's folder")
    arguments = parser.parse_args()
    out = arguments.out.resolve()
    work = out.parent / f"{out.name}.work"
    stage(work / "source")
    reference.write(REPOSITORY, pathlib.Path(arguments.strata).resolve(), work / "source/docs/reference")
    shutil.rmtree(out, ignore_errors=True)
    status = subprocess.run(
        # fmt: skip
        [
            sys.executable, "-m", "sphinx", "-b", "html", "-c", REPOSITORY / "docs", "-d", work / "doctrees",
            "-W", "--keep-going", "--fail-on-warning", "--quiet", work / "source", out,
        ],
    ).returncode  # fmt: skip
    if status == 0:
        print(out / "index.html")
    return status


if __name__ == "__main__":
    sys.exit(main())
