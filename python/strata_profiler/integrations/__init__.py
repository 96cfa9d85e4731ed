# SPDX-License-Identifier: Apache-2.0
"""Callbacks for training frameworks: `strata.integrations.transformers`, `strata.integrations.lightning`. Metric logs:
`strata.integrations.wandb`, `strata.integrations.tensorboard`, `strata.integrations.mlflow`. `%%strata` for Jupyter. Each module imports its
library when it is first used; this package imports none of them.
"""

from __future__ import annotations

import importlib
from typing import Any

_MODULES = ("jupyter", "lightning", "mlflow", "tensorboard", "transformers", "wandb")


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(_MODULES)}")
