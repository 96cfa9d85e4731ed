# SPDX-License-Identifier: Apache-2.0
"""The build to install, and the environment of a user who has only torch."""

import os
import pathlib
import subprocess
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("STRATA")
BUILD = pathlib.Path(PROGRAM).resolve().parents[1] if PROGRAM else REPOSITORY / "build/release"
sys.path.insert(0, str(REPOSITORY / "tools/release"))

from versions import version  # noqa: E402

VERSION = version()
PYTHON_FOLDER = pathlib.Path(sys.executable).parent
TORCH = next(pathlib.Path(sys.prefix).glob("lib/python3.*/site-packages/torch"))


def run(*words, status=0, **options):
    options.setdefault("timeout", 600)
    result = subprocess.run([*map(str, words)], capture_output=True, text=True, **options)
    assert result.returncode == status, f"{words}\n{result.stdout}\n{result.stderr}"
    return result


# Only PATH, as `env -i` leaves it: with the python3 that has torch, and without.
WITH_TORCH = {"PATH": f"{PYTHON_FOLDER}:/usr/bin:/bin"}
WITHOUT_TORCH = {"PATH": "/usr/bin:/bin"}
