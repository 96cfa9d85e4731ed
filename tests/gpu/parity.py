#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the dry GPU with a card: runs the same programs on both and compares every event of the
caching allocator.

    ./dev parity                                # on a machine with a GPU: every case
    ./dev parity --case step --case gpt2        # these cases only
    ./dev parity --profile my-card.yaml         # a card that configs/devices does not have
    ./dev parity --recorded tests/data/card-h200    # on any machine: compare with older recordings
    ./dev parity --card a.json.gz --dry b.json.gz   # compare two recordings; nothing is run

On a machine with a GPU, the recordings of both sides are kept in build/parity, and docs/parity.md
is written. The card's profile is the file in configs/devices with its name.

Exit codes: 0 every case is within its bound (equal events if no bound is given); 1 a case is not,
or could not be recorded; 2 nothing could be compared.
"""

import argparse
import concurrent.futures
import datetime
import json
import os
import pathlib
import sys
import tempfile

import parity_page
from parity_cases import CASES, REPOSITORY
from parity_comparison import Comparison, explained, first_difference
from parity_recordings import NotRecorded, Recorded, profile_of, read, record

KEPT = REPOSITORY / "build/parity"
REPORT = REPOSITORY / "docs/parity.md"


def say(text):
    print(text, file=sys.stderr, flush=True)


def side_by_side(work, names, jobs):
    """Run `work(name)` for each name, several at once; those that fill the card run alone, at the
    end. Returns by name the result, or why there is none."""
    together = [name for name in names if not CASES[name].fills_the_card]
    alone = [name for name in names if CASES[name].fills_the_card]
    found = {}
    for group, workers in ((together, jobs), (alone, 1)):
        with concurrent.futures.ThreadPoolExecutor(max(1, workers)) as pool:
            running = {pool.submit(work, name): name for name in group}
            for done in concurrent.futures.as_completed(running):
                name = running[done]
                found[name] = done.exception() if isinstance(done.exception(), NotRecorded) else done.result()
                say(f"parity: {len(found)} of {len(names)}: {name}" + (f": {found[name]}" if isinstance(found[name], NotRecorded) else ""))
    return {name: found[name] for name in names}


def compared(names, recorded, profile, folder, jobs):
    """Compare a card's recordings with new ones of the dry card of `profile`."""

    def compare(name):
        dry = record(name, folder / f"{name}.json.gz", profile)
        return Comparison(name, recorded.recording(name), dry, recorded.bound(name))

    return side_by_side(compare, names, jobs)


def record_card(names, folder, jobs):
    """Record every case on this machine's card. Returns the recordings, and by name why a case has
    none."""
    about = {"recorded": datetime.datetime.now(datetime.timezone.utc).date().isoformat()}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "about.json").write_text(json.dumps(about, indent=1) + "\n")
    recorded = Recorded.read(folder)
    found = side_by_side(lambda name: record(name, recorded.file(name)), names, jobs)
    return recorded, {name: what for name, what in found.items() if isinstance(what, NotRecorded)}


def tell(results, recorded, report):
    """Print the table, write the page if one is wanted, and return the exit code."""
    print(parity_page.table(results))
    problems = parity_page.problems(results)
    for name, problem in problems.items():
        print(f"\n{name}: {problem}")
    if report is not None:
        page = report if report.exists() else REPORT  # a new page starts as a copy of the existing one
        report.write_text(parity_page.page(page.read_text(), results, recorded))
        say(f"parity: wrote {report}")
    return 1 if problems else 0


def compare_files(card_file, dry_file):
    card, dry = (read(file) if str(file).endswith(".gz") else json.loads(pathlib.Path(file).read_text()) for file in (card_file, dry_file))
    if not card["events"] or not dry["events"]:
        print("a recording without events compares with nothing")
        return 2
    difference = first_difference(card["events"], dry["events"])
    print("\n".join(explained(difference)) if difference else f"{len(card['events']):,} events, all equal")
    return 1 if difference else 0


def parse():
    parser = argparse.ArgumentParser(
        prog="./dev parity", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--case", action="append", choices=list(CASES), metavar="NAME", help=f"this case only; may be repeated: {', '.join(CASES)}")
    parser.add_argument("--recorded", type=pathlib.Path, metavar="FOLDER", help="compare with the recordings in this folder; needs no card")
    parser.add_argument("--profile", type=pathlib.Path, help="the card's profile, if configs/devices has none with its name")
    parser.add_argument("--jobs", type=int, default=min(os.cpu_count() or 1, 8), help="cases that run at once (default: %(default)s)")
    parser.add_argument("--out", type=pathlib.Path, default=KEPT, help="where the recordings of a card are kept (default: build/parity)")
    parser.add_argument("--report", type=pathlib.Path, help="write the page here (default on a card: docs/parity.md; with --recorded: none)")
    parser.add_argument("--card", help="a recording made on a card, to compare with --dry")
    parser.add_argument("--dry", help="a recording made on a dry card")
    arguments = parser.parse_args()
    if (arguments.card is None) != (arguments.dry is None):
        parser.error("--card and --dry are given together")
    return arguments


def choose_recorded(arguments):
    """Return the recordings to compare with, the cases that the card did not record, and the page
    to write. Exits if there is no card."""
    if arguments.recorded is not None:
        recorded = Recorded.read(arguments.recorded)
        names = arguments.case or recorded.names()
        if not recorded.names():
            say(f"parity: {arguments.recorded}/recordings holds no recording of a known case")
            sys.exit(2)
        absent = {name: NotRecorded("the folder has no recording of it") for name in names if not recorded.file(name).exists()}
        return recorded, names, absent, arguments.report
    import torch

    if not torch.cuda.is_available():
        say("parity: this machine has no GPU that PyTorch can use; compare with recordings of one: ./dev parity --recorded tests/data/card-h200")
        sys.exit(2)
    if arguments.profile is None and profile_of(torch.cuda.get_device_name()) is None:
        say(f"parity: configs/devices has no profile of a card named '{torch.cuda.get_device_name()}': give one with --profile")
        sys.exit(2)
    names = arguments.case or list(CASES)
    recorded, absent = record_card(names, arguments.out, arguments.jobs)
    return recorded, names, absent, arguments.report or REPORT


def main():
    arguments = parse()
    if arguments.card is not None:
        return compare_files(arguments.card, arguments.dry)
    recorded, names, absent, report = choose_recorded(arguments)
    there = [name for name in names if name not in absent]
    if not there:
        say("parity: no case was recorded: " + "; ".join(f"{name} {why}" for name, why in absent.items()))
        return 2
    profile = arguments.profile or profile_of(recorded.recording(there[0])["device"])
    if profile is None:
        say(f"parity: configs/devices has no profile of a card named '{recorded.recording(there[0])['device']}': give one with --profile")
        return 2
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) if arguments.recorded is not None else arguments.out / "dry"
        results = compared(there, recorded, profile.resolve(), folder, arguments.jobs)
    return tell({name: results.get(name, absent.get(name)) for name in names}, recorded, report)


if __name__ == "__main__":
    sys.exit(main())
