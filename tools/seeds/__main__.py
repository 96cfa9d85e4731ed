# SPDX-License-Identifier: Apache-2.0
"""Makes the pages of docs/seeds again: their tables, between markers, and their pictures.

    ./dev seeds                 all of them
    ./dev seeds 003             one
    ./dev seeds 003 --check     lists tables that would change now, and changes nothing
    ./dev seeds 003 --card      runs the page's grids on this machine's GPU, and adds the
                                measurements to the dry figures
"""

import argparse
import importlib
import pathlib
import sys
import tempfile

from card import measure
from comparison import agree
from page import Page
from runs import Failed, Runs

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
FOLDER = REPOSITORY / "docs/seeds"
NUMBERS = ("000", "001", "002", "003", "004")


def document(number):
    return importlib.import_module(f"document_{number}").DOCUMENT


def chosen_of(names, only, number):
    """Return the requested blocks and pictures of a page, or all if none was requested."""
    unknown = set(only or ()) - set(names)
    if unknown:
        sys.exit(f"{number} has no {', '.join(sorted(unknown))}; it has {', '.join(names)}")
    return [name for name in names if not only or name in only]


def make_again(number, runs, only):
    page, chosen = Page(FOLDER / f"{number}.md"), document(number)
    for name in chosen_of([*chosen.blocks, *chosen.pictures], only, number):
        print(f"{number}: {name}", file=sys.stderr)
        if name in chosen.blocks:
            page.put(name, chosen.blocks[name].make(runs))
            page.write()  # after each one, because the next may fail, and some take minutes
        else:
            runs.keep_picture(chosen.pictures[name].make(runs), FOLDER / number / name)


def is_fresh(number, runs, only):
    """Whether the page's tables are the same as newly made ones."""
    page, chosen = Page(FOLDER / f"{number}.md"), document(number)
    stale = []
    for name in chosen_of(list(chosen.blocks), only, number):
        print(f"{number}: {name}", file=sys.stderr)
        block = chosen.blocks[name]
        if not agree(block, page.block(name), block.make(runs)):
            print(f"{page.path}: {name} is not what it would be made now", file=sys.stderr)
            stale.append(name)
    return not stale


def main():
    options = argparse.ArgumentParser(prog="./dev seeds", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("numbers", nargs="*", metavar="NUMBER", help=f"of {', '.join(NUMBERS)}; all")
    options.add_argument("--check", action="store_true", help="change nothing; exit 1 where something differs")
    options.add_argument("--only", action="append", metavar="NAME", help="this block or picture; as often as wanted")
    options.add_argument("--card", action="store_true", help="on this machine's GPU too")
    options.add_argument("--out", type=pathlib.Path, help="where the runs are kept [nowhere]")
    chosen = options.parse_args()
    for number in chosen.numbers:
        if number not in NUMBERS:
            options.error(f"there is no document '{number}': {', '.join(NUMBERS)}")
    with tempfile.TemporaryDirectory() as temporary:
        runs = Runs(REPOSITORY, chosen.out or pathlib.Path(temporary))
        stale = []
        for number in chosen.numbers or NUMBERS:
            if chosen.card:
                measure(document(number), runs, FOLDER / number / "card.json")
            if not chosen.check:
                make_again(number, runs, chosen.only)
            elif not is_fresh(number, runs, chosen.only):
                stale.append(number)
    sys.exit(1 if stale else 0)


if __name__ == "__main__":
    try:
        main()
    except Failed as failure:
        sys.exit(f"./dev seeds: {failure}")
