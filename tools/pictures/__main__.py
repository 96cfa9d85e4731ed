# SPDX-License-Identifier: Apache-2.0
"""Takes the pictures of README.md, docs/report.md and docs/guide again, from runs that it makes
itself. The runs are dry, so any machine works.

    ./dev pictures                      all of them
    ./dev pictures timeline read/shape  these
    ./dev pictures --list               lists their names, and the run of each
"""

import argparse
import pathlib
import sys
import tempfile

import readme
import report
import shapes
from browser import Browser, NoBrowser
from picture_runs import COMMANDS, Failed, Runs

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
FOLDER = REPOSITORY / "docs/pictures"
PICTURES = {picture.name: picture for picture in (*readme.PICTURES, *report.PICTURES, *shapes.PICTURES)}


def take(names, runs):
    pages = {name: runs.page(PICTURES[name].run) for name in names}
    browser = Browser()
    try:
        for name in names:
            path = FOLDER / f"{name}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(PICTURES[name].take(browser, pages[name]))
            print(path.relative_to(REPOSITORY))
    finally:
        browser.close()


def main():
    options = argparse.ArgumentParser(prog="./dev pictures", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("names", nargs="*", metavar="NAME", help="as --list has them; all")
    options.add_argument("--list", action="store_true", help="name them, and take none")
    options.add_argument("--out", type=pathlib.Path, help="where the runs are kept, and looked for [nowhere]")
    chosen = options.parse_args()
    for name in chosen.names:
        if name not in PICTURES:
            options.error(f"there is no picture '{name}': ./dev pictures --list")
    if chosen.list:
        for name, picture in PICTURES.items():
            print(f"{name:30} {COMMANDS[picture.run]}")
        return
    with tempfile.TemporaryDirectory() as temporary:
        take(chosen.names or list(PICTURES), Runs(REPOSITORY, chosen.out or pathlib.Path(temporary)))


if __name__ == "__main__":
    try:
        main()
    except (Failed, NoBrowser) as failure:
        sys.exit(f"./dev pictures: {failure}")
