# SPDX-License-Identifier: Apache-2.0
"""The prefixes for the names of a model's parts if there are several models: one list for everything that names models in this process.

The source `torch` names the models that it finds among the program's objects (sources/torch/training/name_models.hpp), `attach` those passed to it.
"""

from __future__ import annotations

import sys
import types
import weakref
from typing import Any, Container, Dict, Iterable, Optional, Tuple

# Not a module of this package: `strata exec` may have loaded the package under another name, or not at all.
_PLACE = "_strata_model_names"


def keep(model: Any, name: str) -> None:
    """Fixes the name of a model; "" if it is the only one."""
    _known()[id(model)] = (weakref.ref(model), name)


def name_of(model: Any) -> Optional[str]:
    known = _known().get(id(model))
    return known[1] if known is not None and known[0]() is model else None


def named(models: Iterable[Any]) -> Dict[str, Any]:
    """Existing names first; others are named by class, with a number if that is taken."""
    models = list(models)
    names = {name: model for model in models if (name := name_of(model)) is not None}
    for model in models:
        if name_of(model) is None:
            only = "" if len(models) == 1 else first_free(type(model).__name__, names)
            names[only] = model
    return names


def first_free(kind: str, taken: Container[str]) -> str:
    number, name = 0, kind
    while name in taken:
        number += 1
        name = f"{kind}_{number}"
    return name


def _known() -> Dict[int, Tuple["weakref.ref[Any]", str]]:
    if _PLACE not in sys.modules:
        sys.modules[_PLACE] = types.ModuleType(_PLACE)
    known: Dict[int, Tuple["weakref.ref[Any]", str]] = vars(sys.modules[_PLACE]).setdefault("names", {})
    return known
