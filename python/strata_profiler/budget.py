# SPDX-License-Identifier: Apache-2.0
"""Memory budgets: parses sizes as people write them, and checks a run against one."""

from __future__ import annotations

import json
import re
from typing import Any, Dict, Union

_UNITS = {
    "": 1, "b": 1,
    "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
    "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12,
}  # fmt: skip
_LEAST_BYTES = 65536  # for a plain number; a smaller one is MiB or GiB whose unit was forgotten
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*")


class BudgetError(ValueError):
    """The given budget is invalid."""


def parse_size(size: Union[str, int, float]) -> int:
    """The bytes of "12 GiB", "800 MB", or of a plain number of bytes, at least 65,536. Raises BudgetError."""
    if isinstance(size, (int, float)) and not isinstance(size, bool):
        amount, unit = float(size), ""
    else:
        match = _SIZE.fullmatch(size) if isinstance(size, str) else None
        if match is None or match.group(2).lower() not in _UNITS:
            raise BudgetError(f'{size!r} is not a size: expected one such as "12 GiB" or "800 MB", or a number of bytes')
        amount, unit = float(match.group(1)), match.group(2).lower()
    bytes_of = int(amount * _UNITS[unit])
    if not 0 < bytes_of < 1 << 62:
        raise BudgetError(f"{size!r} is not a size: expected more than 0 and less than 4 EiB")
    if not unit and bytes_of < _LEAST_BYTES:
        raise BudgetError(f'{size!r} without a unit means bytes, which is too small a budget; did you mean "{amount:g} {"GiB" if amount <= 1024 else "MiB"}"?')
    return bytes_of


def parse_check(document: str) -> Dict[str, Any]:
    """Parses the output of `strata report --budget --json`."""
    return dict(json.loads(document))
