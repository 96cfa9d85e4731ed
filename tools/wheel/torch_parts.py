# SPDX-License-Identifier: Apache-2.0
"""Strata's parts that link torch, built for releases of it: torch-<release>/ with the trainer, the
NCCL part, the replay, and a source of events for each variant, `torch-2.12.1+cu130.so` and
`torch-2.12.1+cpu.so`.
"""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys

from torch_sdk import torch_sdk

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
TARGETS = ("strata_trainer", "strata_nccl", "strata_replay", "strata_source_torch", "strata_source_torch_cpu")


def version_of(torch: pathlib.Path) -> str:
    """ "2.12.1+cu130", as torch calls itself."""
    return re.search(r"^__version__ = '(.*)'", (torch / "version.py").read_text(), re.M)[1]  # type: ignore[index]


def build_parts(tree: pathlib.Path, releases: list[str], folder: pathlib.Path) -> None:
    """Build the parts into `folder`, and the portable program in `tree`. For the torch of `tree`,
    take its parts and build its source without CUDA here."""
    checkout = pathlib.Path(_cached(tree, "CMAKE_HOME_DIRECTORY"))
    own = pathlib.Path(_cached(tree, "STRATA_TORCH_ROOT") or next(checkout.glob(".venv/lib/python3.*/site-packages/torch")))
    own_release = version_of(own).split("+")[0]
    _build(tree, ("strata_portable", "strata_source_torch_cpu"))
    _take(tree, own, folder, with_all=False)
    for release in releases:
        if release == own_release:
            continue
        print(f"wheel: parts for torch {release}", file=sys.stderr)
        torch = torch_sdk(release, own.parent / "nvidia")
        of_release = REPOSITORY / "build/torch" / release
        configure = ["cmake", "--preset", "release", "-B", of_release, "-DBUILD_TESTING=OFF", f"-DSTRATA_TORCH_ROOT={torch}"]
        configure.append(f"-DCMAKE_PREFIX_PATH={_cached(tree, 'CMAKE_PREFIX_PATH')}")
        subprocess.run([*map(str, configure)], cwd=REPOSITORY, check=True, stdout=subprocess.DEVNULL)
        _build(of_release, TARGETS)
        _take(of_release, torch, folder, with_all=True)


def _cached(tree: pathlib.Path, name: str) -> str:
    """Return a variable of a configured tree, or an empty string if it has none."""
    found = re.search(rf"^{name}:\w+=(.*)$", (tree / "CMakeCache.txt").read_text(), re.M)
    return found[1] if found else ""


def _build(tree: pathlib.Path, targets: tuple[str, ...]) -> None:
    command = ["cmake", "--build", str(tree), "--parallel", str(os.cpu_count()), "--target", *targets]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout[-8000:]}\n{done.stderr[-2000:]}")


def _take(tree: pathlib.Path, torch: pathlib.Path, folder: pathlib.Path, with_all: bool) -> None:
    version = version_of(torch)
    release = version.split("+")[0]
    target = folder / f"torch-{release}"
    target.mkdir(parents=True)
    installed = folder / "installed"
    for component in ("torch", "torch_cpu"):
        install = ["cmake", "--install", tree, "--prefix", installed, "--component", component, "--strip"]
        subprocess.run([*map(str, install)], check=True, stdout=subprocess.DEVNULL)
    sources = installed / "lib/strata/sources"
    [without_cuda] = sources.glob("torch-*-cpu.so")
    without_cuda.rename(target / f"torch-{release}+cpu.so")
    if with_all:
        [source] = sources.glob("torch-*.so")
        source.rename(target / f"torch-{version}.so")
        for part in (installed / "lib/strata").glob("*.so"):
            part.rename(target / part.name)
    shutil.rmtree(installed)
