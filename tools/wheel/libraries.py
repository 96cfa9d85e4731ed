# SPDX-License-Identifier: Apache-2.0
"""Libraries that a wheel links and that a system may lack; auditwheel copies them into it."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys

PLATFORM = "manylinux_2_35_x86_64"  # glibc of Ubuntu 22.04, and later ones
# The user's own: torch, and the libraries of torch and the driver.
THE_USERS = ("libtorch*", "libc10*", "libcuda*", "libcu*.so*", "libnccl*", "libnv*")


def take_libraries_along(wheel: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    """Make the wheel again, in `folder`, named for the oldest system that it runs on."""
    repaired = wheel.parent / "repaired"
    command = [sys.executable, "-m", "auditwheel", "repair", "--plat", PLATFORM, "--only-plat", "--strip", "--wheel-dir", str(repaired)]
    for name in THE_USERS:
        command += ["--exclude", name]
    done = subprocess.run([*command, str(wheel)], capture_output=True, text=True, env=_with_patchelf())
    if done.returncode != 0:
        sys.exit(f"auditwheel:\n{done.stdout[-3000:]}\n{done.stderr[-6000:]}")
    folder.mkdir(parents=True, exist_ok=True)
    [made] = repaired.glob("*.whl")
    return pathlib.Path(shutil.move(made, folder / made.name))


def _with_patchelf() -> dict[str, str]:
    return {**os.environ, "PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"}
