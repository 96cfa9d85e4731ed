# SPDX-License-Identifier: Apache-2.0
"""Callbacks for training frameworks: `strata.integrations.transformers`, `strata.integrations.lightning`. Each module imports its framework when
it is first asked for, and this package none of them.
"""

from __future__ import annotations

import importlib
from typing import Any

_MODULES = ("lightning", "transformers")


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}; there are {' and '.join(_MODULES)}")
