#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether the dry GPU does what a card does: the same programs on both, and every event of the allocator compared.

    ./dev parity                         # on a machine with a GPU: all cases, and docs/parity.md
    tests/gpu/parity.py --case small --case step
    tests/gpu/parity.py --profile my-card.yaml
    tests/gpu/parity.py --card a.json --dry b.json      # two recordings of tests/gpu/record.py, nothing is run

The card's profile is the one in configs/devices that has its name. Exit code 0: every case equal; 1: a case differs, and the
first difference is printed; 2: nothing could be compared.
"""

import argparse
import dataclasses
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
PROGRAMS = REPOSITORY / "tests/dry_gpu/programs"
STRATA = pathlib.Path(os.environ.get("STRATA", REPOSITORY / "build/release/bin/strata"))
REPORT = REPOSITORY / "docs/parity.md"
AROUND = 3  # events shown before a difference

# A case's program with its words, and what the environment has for it.
CASES = {
    "sizes": ([PROGRAMS / "allocator.py"], {}),
    "step": ([PROGRAMS / "event_stream.py"], {}),
    "transformer": ([PROGRAMS / "transformer.py"], {}),
    "large step": ([PROGRAMS / "large_step.py"], {}),
    "expandable": ([PROGRAMS / "event_stream.py"], {"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True"}),
    "rounded sizes": ([PROGRAMS / "event_stream.py"], {"PYTORCH_CUDA_ALLOC_CONF": "roundup_power2_divisions:4"}),
    "split": ([PROGRAMS / "allocator_options.py", "split"], {"PYTORCH_CUDA_ALLOC_CONF": "max_split_size_mb:128"}),
    "capture": ([PROGRAMS / "allocator_options.py", "capture"], {}),
}


@dataclasses.dataclass(frozen=True)
class Difference:
    """The first event that is not the same: its place, and what came just before it on both."""

    index: int
    card: list | None  # None: it had no more events
    dry: list | None
    before: list


def first_difference(card, dry):
    """None: the same events."""
    for index in range(max(len(card), len(dry))):
        ours = [events[index] if index < len(events) else None for events in (card, dry)]
        if ours[0] != ours[1]:
            return Difference(index, *ours, before=card[max(0, index - AROUND) : index])
    return None


def as_text(event):
    if event is None:
        return "(no more events)"
    action, segment, offset, size, stream = event
    place = "" if segment < 0 else f" in segment {segment} at {offset:,}"
    return f"{action} of {size:,} bytes{place}, stream {stream}"


def explained(difference):
    lines = [f"event {difference.index:,}:", *(f"  both  {as_text(event)}" for event in difference.before)]
    return [*lines, f"  card  {as_text(difference.card)}", f"  dry   {as_text(difference.dry)}"]


def profile_of(name):
    """The file in configs/devices for the card of that name."""
    for file in sorted((REPOSITORY / "configs/devices").glob("*.yaml")):
        named = re.search(r"^name: *(?:\{value: *)?[\"']?([^\"'\n,}]+)", file.read_text(), re.MULTILINE)
        if named is not None and named.group(1).strip() == name:
            return file
    return None


def recorded(command, environment, file, what):
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True)
    if not file.exists():
        sys.exit(f"{what}: {' '.join(map(str, command))}\nended with {done.returncode} and no recording:\n{done.stderr[-3000:]}")
    return json.loads(file.read_text())


def run_case(name, profile, folder):
    program, environment = CASES[name]
    files = [folder / f"{kind}.json" for kind in ("card", "dry")]
    for file in files:
        file.unlink(missing_ok=True)
    words = [[sys.executable, HERE / "record.py", file, *program] for file in files]
    card = recorded(words[0], environment, files[0], f"{name} on the card")
    dry = recorded([STRATA, "exec", "--plugins", "none", "--dry", profile, "--", *words[1]], environment, files[1], f"{name} on the dry card")
    return card, dry


def row(name, card, dry, difference):
    same = "equal" if difference is None else f"differs at event {difference.index:,}"
    peaks = (f"{facts['allocated']:,} / {facts['reserved']:,}" for facts in (card, dry))
    return f"| {name} | {len(card['events']):,} | {' | '.join(peaks)} | {same} |"


def report(results, profile):
    card = results[0][1]
    today = datetime.datetime.now(datetime.timezone.utc).date()
    lines = [
        "# The dry GPU beside a card",
        "",
        f"{card['device']}, driver {card['driver']}, torch {card['torch']}, {today}, profile `{profile.stem}`; written by `./dev parity`.",
        "",
        "| case | events | peak on the card (allocated / reserved) | on the dry card | events |",
        "|---|---|---|---|---|",
        *(row(*result) for result in results),
        "",
    ]
    for name, _, _, difference in results:
        if difference is not None:
            lines += [f"## {name}", "", "```", *explained(difference), "```", ""]
    return "\n".join(lines)


def compare_files(card_file, dry_file):
    card, dry = (json.loads(pathlib.Path(file).read_text()) for file in (card_file, dry_file))
    difference = first_difference(card["events"], dry["events"])
    print("\n".join(explained(difference)) if difference else f"{len(card['events']):,} events, all equal")
    return 1 if difference else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", action="append", choices=list(CASES), help="this one only; may be given again")
    parser.add_argument("--profile", type=pathlib.Path, help="the card's profile, when configs/devices has none of its name")
    parser.add_argument("--card", help="a recording made on the card, with --dry")
    parser.add_argument("--dry", help="a recording made on the dry card")
    parser.add_argument("--report", type=pathlib.Path, default=REPORT, help="where the table goes (docs/parity.md)")
    arguments = parser.parse_args()
    if (arguments.card is None) != (arguments.dry is None):
        parser.error("--card and --dry are given together")
    if arguments.card is not None:
        return compare_files(arguments.card, arguments.dry)

    import torch

    if not torch.cuda.is_available():
        print("parity: this machine has no GPU that PyTorch can use, so there is nothing to compare with", file=sys.stderr)
        return 2
    name = torch.cuda.get_device_name()
    profile = arguments.profile or profile_of(name)
    if profile is None:
        print(f"parity: configs/devices has no profile of a card named '{name}': give one with --profile", file=sys.stderr)
        return 2

    results = []
    with tempfile.TemporaryDirectory() as folder:
        for case in arguments.case or CASES:
            card, dry = run_case(case, profile, pathlib.Path(folder))
            results.append((case, card, dry, first_difference(card["events"], dry["events"])))
            print(row(*results[-1]), flush=True)
    arguments.report.write_text(report(results, profile))
    for case, _, _, difference in results:
        if difference is not None:
            print("\n".join([case, *explained(difference)]))
    return 1 if any(difference for *_, difference in results) else 0


if __name__ == "__main__":
    sys.exit(main())
