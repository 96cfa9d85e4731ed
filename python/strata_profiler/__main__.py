# SPDX-License-Identifier: Apache-2.0
"""The program `strata` of this package, for `python -m strata_profiler` and for the command that the wheel installs."""

from __future__ import annotations

import os
import sys

from . import native


def main() -> None:
    try:
        program = native.program()
    except native.NativePartsMissing as error:
        sys.exit(f"strata: {error}")
    os.execv(program, ["strata", *sys.argv[1:]])


if __name__ == "__main__":
    main()
