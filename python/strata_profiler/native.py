# SPDX-License-Identifier: Apache-2.0
"""Where the native parts of Strata lie: in this package, as the wheel brings them, or in the tree that this package is part of."""

from __future__ import annotations

import os
import pathlib
import subprocess
from typing import IO, Dict

_PACKAGE = pathlib.Path(os.path.abspath(__file__)).parent


class NativePartsMissing(RuntimeError):
    """The package was found without the libraries and the program that it stands for."""


def folder() -> pathlib.Path:
    """The folder with `bin/strata` and `lib/strata`.

    In the wheel that is `_native` of this package. In a build tree or an installation this package is `lib/strata/python/strata_profiler`.
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
    """The program with these arguments, run to its end, without what `strata exec` or the dry GPU preload for this process. Raises
    NativePartsMissing.
    """
    return subprocess.run([str(program()), *words], capture_output=True, text=True, env=_bare_environment())


def start_program(*words: str, stdout: IO[bytes], stderr: IO[bytes]) -> "subprocess.Popen[bytes]":
    """The program as `run_program` has it, without waiting for its end."""
    return subprocess.Popen([str(program()), *words], stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, env=_bare_environment())


def _bare_environment() -> Dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}


def attach_library() -> pathlib.Path:
    """What holds a session in a program of others."""
    return folder() / "lib" / "strata" / "libstrata_attach.so"
