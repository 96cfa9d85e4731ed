# SPDX-License-Identifier: Apache-2.0
"""The settings of a measurement: the build, the amount to run, and the output folder."""

import argparse
import dataclasses
import os
import pathlib
import shutil
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


@dataclasses.dataclass(frozen=True)
class Settings:
    build: pathlib.Path
    quick: bool
    whole: bool
    scratch: pathlib.Path
    most_rounds: int = 100
    valgrind: bool = True
    results: object = None  # of the other tables, or None

    @property
    def strata(self):
        return self.build / "bin/strata"

    @property
    def peers(self):
        """Return the folder with the packages of third_party/requirements-bench.txt."""
        return pathlib.Path(os.environ.get("STRATA_BENCH_PEERS", REPOSITORY / ".cache/peers"))

    @property
    def nsys(self):
        """Return Nsight Systems: the machine's, or the one that tests/peers/nsys/fetch_nsys
        unpacks; or None."""
        unpacked = sorted((REPOSITORY / ".cache/nsight-systems").glob("*/usr/lib/nsight-systems/bin/nsys"))
        return shutil.which("nsys") or (str(unpacked[-1]) if unpacked else None)

    @property
    def python(self):
        return sys.executable

    def rounds(self, usual):
        return 1 if self.quick else min(usual, self.most_rounds)

    def folder(self, name):
        """Return an empty folder of that name."""
        folder = self.scratch / name
        folder.mkdir(parents=True)
        return folder


def say(*words):
    print(*words, file=sys.stderr, flush=True)


def options(description):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=REPOSITORY / "build/release", help="the build that is measured")
    parser.add_argument("--quick", action="store_true", help="one round, and the small end of each curve: to see that it runs")
    parser.add_argument("--rounds", type=int, default=100, metavar="N", help="at most so many, where a table has more [3, or 5]")
    parser.add_argument("--no-valgrind", action="store_true", help="count no instructions, which takes half an hour of a processor's time")
    parser.add_argument("--whole", action="store_true", help="the large end of each curve too: 10^8 events, 1,000 cells that run")
    return parser
