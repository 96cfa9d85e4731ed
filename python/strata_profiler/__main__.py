# SPDX-License-Identifier: Apache-2.0
"""The program `strata` of this package, for `python -m strata_profiler` and for the command installed by the wheel."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys

from . import native


def main() -> None:
    try:
        program = native.program()
    except native.NativePartsMissing as error:
        sys.exit(f"strata: {error}")
    name_torch()
    os.execv(program, ["strata", *sys.argv[1:]])


def name_torch() -> None:
    """Sets the torch of this Python, for an environment that is not activated: by default `strata` asks the python3 in PATH."""
    first = shutil.which("python3")
    if "STRATA_TORCH_ROOT" in os.environ or (first and os.path.dirname(first) == os.path.dirname(sys.executable)):
        return
    torch = importlib.util.find_spec("torch")
    if torch is not None and torch.origin is not None:
        os.environ["STRATA_TORCH_ROOT"] = os.path.dirname(torch.origin)


if __name__ == "__main__":
    main()
