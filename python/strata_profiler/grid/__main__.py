# SPDX-License-Identifier: Apache-2.0
"""`python -m strata_profiler.grid`: its options, and its exit codes, which are those of `strata grid resume`."""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import shlex
import signal
import sys
from typing import Any, Dict, List, Optional

from .. import native
from ..__main__ import name_torch
from .folder import BAD_USAGE, FAILED, Cell, GridFolder, Refused, plan_grid, say
from .hand_out import Interruption, Scheduler, hand_out

_EXAMPLES = """\
Each cell without a result is a job. Ctrl-C cancels all jobs; the same command continues.

Exit codes: 0 every cell has a result (out of memory is one), 1 some cells have none, 2 bad usage or configuration:
nothing was started, 130 and 143 interrupted.

examples:
  python -m strata_profiler.grid configs/grids/optimizers.yaml --out grids/optimizers --through ray
  python -m strata_profiler.grid grids/optimizers --through ray --address auto --option 'resources={"a100": 1}'
  python -m strata_profiler.grid grids/optimizers --through submitit --cluster slurm --option slurm_partition=gpu
"""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m strata_profiler.grid",
        description="Run the cells of a grid as jobs of submitit or Ray.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("grid", metavar="GRID", help="folder of a grid, or its YAML with --out")
    parser.add_argument("overrides", metavar="OVERRIDE", nargs="*", help="with a YAML: key.path=value for all cells, as for `strata grid run`")
    parser.add_argument("--through", choices=["submitit", "ray"], required=True)
    parser.add_argument("--out", metavar="DIR", help="with a YAML: folder of the grid")
    parser.add_argument("--keep", metavar="STATUS", default="", help="which of failed and timeout not to run again [none]")
    parser.add_argument("--at-once", metavar="N", type=int, help="largest number of jobs at once [submitit without Slurm: 1; else what the cluster allows]")
    parser.add_argument("--cluster", choices=["slurm", "local"], help="submitit's [slurm, if srun is here]")
    parser.add_argument("--address", default="", help="Ray's: auto, HOST:PORT, or local, which starts one here [RAY_ADDRESS, or local]")
    parser.add_argument(
        "--option",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="for submitit: a parameter of its executor (slurm_partition, timeout_min); for Ray: an option of each task (num_gpus, resources); repeatable",
    )
    parser.add_argument("--json", action="store_true", help="print the JSON of `strata grid status --json` at the end")
    return parser


def main(words: Optional[List[str]] = None) -> int:
    arguments = _parser().parse_intermixed_args(words)
    try:
        return _run(arguments)
    except Refused as refused:
        if str(refused):
            say(f"error: {refused}")
        return refused.exit_code
    except native.NativePartsMissing as error:
        say(f"error: {error}")
        return BAD_USAGE
    except OSError as error:
        say(f"error: {error}")
        return FAILED


def _run(arguments: argparse.Namespace) -> int:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # until jobs are submitted, there is nothing to cancel; a library may wait where Python does not see it
    name_torch()
    options = dict(map(_option, arguments.option))
    if arguments.at_once is not None and arguments.at_once < 1:
        raise Refused(f"--at-once {arguments.at_once}: expected a number from 1")
    _require_library(arguments.through)
    folder = _folder(arguments)
    with folder.held():
        cells = folder.cells_left(arguments.keep)
        number = _hand_out(cells, _scheduler(arguments, folder, options)) if cells else None
    if number:
        say(f"interrupted; continue with `{_again(arguments, folder)}`")
        return 128 + number
    folder.show(arguments.json)
    if folder.has_all_results():
        return 0
    say(f"not every cell has a result; continue with `{_again(arguments, folder)}`")
    return FAILED


def _hand_out(cells: List[Cell], scheduler: Scheduler) -> Optional[int]:
    """Returns the signal that interrupted it."""
    interruption = Interruption()  # after Ray has installed a handler of its own
    try:
        hand_out(cells, scheduler, interruption)
    finally:
        scheduler.close()
    return interruption.signal


def _option(text: str) -> "tuple[str, Any]":
    name, is_set, value = text.partition("=")
    if not name or not is_set:
        raise Refused(f"--option {text}: expected NAME=VALUE")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _require_library(name: str) -> None:
    try:
        __import__(name)
    except ModuleNotFoundError as error:
        remedy = f"{sys.executable} -m pip install {name}"
        raise Refused(f"--through {name} needs {name}, which this Python does not have ({error}): {remedy}") from None


def _folder(arguments: argparse.Namespace) -> GridFolder:
    if pathlib.Path(arguments.grid).is_file():
        if not arguments.out:
            raise Refused(f"{arguments.grid} is a file: name the folder of its grid with --out")
        plan_grid(arguments.grid, arguments.out, arguments.overrides)
        return GridFolder(pathlib.Path(arguments.out).absolute())
    if arguments.out or arguments.overrides:
        raise Refused(f"{arguments.grid} is not a file: --out and key=value are for a grid's YAML")
    folder = GridFolder(pathlib.Path(arguments.grid).absolute())
    if not (folder.path / "plan.json").exists():
        raise Refused(f"{arguments.grid} contains no grid; plan one with `strata grid run GRID.yaml --engine manifest --out {arguments.grid}`")
    return folder


def _scheduler(arguments: argparse.Namespace, folder: GridFolder, options: Dict[str, Any]) -> Scheduler:
    # The program asks for torch where the job runs; this Python's is the one that the grid was planned with.
    environment = {name: os.environ[name] for name in ("STRATA_TORCH_ROOT",) if name in os.environ}
    if arguments.through == "ray":
        from .through_ray import Ray

        return Ray(folder, options, arguments.at_once, arguments.address, environment)
    from .through_submitit import Submitit

    return Submitit(folder, options, arguments.at_once, arguments.cluster, environment)


def _again(arguments: argparse.Namespace, folder: GridFolder) -> str:
    words = ["python", "-m", "strata_profiler.grid", str(folder.path), "--through", arguments.through]
    for name in ("cluster", "address", "keep", "at_once"):
        if getattr(arguments, name):
            words += [f"--{name.replace('_', '-')}", str(getattr(arguments, name))]
    for option in arguments.option:
        words += ["--option", option]
    return shlex.join(words)


if __name__ == "__main__":
    sys.exit(main())
