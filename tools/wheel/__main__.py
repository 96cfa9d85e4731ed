# SPDX-License-Identifier: Apache-2.0
"""Makes a wheel that needs only a Python from 3.9 on, glibc 2.35 or later, and the installed torch.

It has a trainer and a source of events for each release of torch in third_party/torch-releases.txt,
and the libraries that it links. `./dev wheel` calls this after it has built build/release.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

from libraries import take_libraries_along
from licences import copy_licences
from torch_parts import build_parts

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
MOST_BYTES = 25_000_000  # limit of an install's download


def releases() -> list[str]:
    lines = (REPOSITORY / "third_party/torch-releases.txt").read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def plain_wheel(tree: pathlib.Path, parts: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    """Make a wheel as pip does, with the portable program and all parts; its libraries are still
    the system's."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", folder]
    for setting in (f"STRATA_BUILD_TREE={tree}", f"STRATA_WHEEL_PARTS={parts}"):
        command += ["--config-settings", f"cmake.define.{setting}"]
    command += ["--config-settings", f"build-dir={folder / 'build'}", REPOSITORY]
    environment = {**os.environ, "PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"}
    subprocess.run(command, check=True, env=environment)
    [wheel] = folder.glob("*.whl")
    return wheel


def main() -> None:
    parser = argparse.ArgumentParser(prog="./dev wheel", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--torch", nargs="+", default=releases(), metavar="RELEASE", help="releases of torch to have parts for (default: %(default)s); that of .venv always"
    )
    parser.add_argument("--out", type=pathlib.Path, default=REPOSITORY / "build/release/packages", help="folder for the wheel (default: build/release/packages)")
    parser.add_argument("--tree", type=pathlib.Path, default=REPOSITORY / "build/release", help="the build tree (default: build/release)")
    parser.epilog = "example: ./dev wheel --torch 2.15.0    # for .venv's torch and 2.15 alone: a few minutes"
    arguments = parser.parse_args()
    if unknown := sorted(set(arguments.torch) - set(releases())):
        sys.exit(f"./dev wheel: --torch {' '.join(unknown)}: third_party/torch-releases.txt has {', '.join(releases())}")
    tree = arguments.tree
    with tempfile.TemporaryDirectory() as scratch:
        parts = pathlib.Path(scratch) / "parts"
        build_parts(tree, arguments.torch, parts / "lib/strata")
        copy_licences(tree, parts / "share/doc/strata/licences")
        wheel = take_libraries_along(plain_wheel(tree, parts, pathlib.Path(scratch) / "wheel"), arguments.out)
    size = wheel.stat().st_size
    if size > MOST_BYTES:
        sys.exit(f"{wheel}: {size / 1e6:.1f} MB, more than the {MOST_BYTES / 1e6:.0f} that it may have")
    print(f"{wheel} ({size / 1e6:.1f} MB; torch {', '.join(arguments.torch)})")


if __name__ == "__main__":
    main()
