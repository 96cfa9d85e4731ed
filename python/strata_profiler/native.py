# SPDX-License-Identifier: Apache-2.0
"""The location of the native parts of Strata: in this package, as installed by the wheel, or in the tree that contains this package."""

from __future__ import annotations

import os
import pathlib
import subprocess
from typing import IO, Dict

_PACKAGE = pathlib.Path(os.path.abspath(__file__)).parent


class NativePartsMissing(RuntimeError):
    """The package was found without its libraries and its program."""


def folder() -> pathlib.Path:
    """The folder with `bin/strata` and `lib/strata`.

    In the wheel that is `_native` of this package. In a build tree or an installation, this package is `lib/strata/python/strata_profiler`.
    """
    in_package = _PACKAGE / "_native"
    for candidate in (in_package, _PACKAGE.parents[3]):
        if (candidate / "bin" / "strata").exists():
            return candidate
    raise NativePartsMissing(
        f"{_PACKAGE}: the native parts of Strata are neither in {in_package} nor in {_PACKAGE.parents[3]}. "
        "Install the package (`pip install .` in the checkout), or build it and put build/release/lib/strata/python on PYTHONPATH"
    )


def program() -> pathlib.Path:
    """The program `strata`."""
    return folder() / "bin" / "strata"


def run_program(*words: str) -> "subprocess.CompletedProcess[str]":
    """Runs the program with these arguments to its end, without the libraries that `strata exec` or the dry GPU preload for this process. Raises
    NativePartsMissing.
    """
    return subprocess.run([str(program()), *words], capture_output=True, text=True, env=_bare_environment())


def start_program(*words: str, stdout: IO[bytes], stderr: IO[bytes]) -> "subprocess.Popen[bytes]":
    """Starts the program like `run_program`, without waiting for its end."""
    return subprocess.Popen([str(program()), *words], stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, env=_bare_environment())


def _bare_environment() -> Dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}


def attach_library() -> pathlib.Path:
    """The library that holds a session in another program."""
    return folder() / "lib" / "strata" / "libstrata_attach.so"
