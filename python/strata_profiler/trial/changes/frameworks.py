# SPDX-License-Identifier: Apache-2.0
"""Uses a framework's own switch for a change if it has one, so that the memory is the same as when the user sets it."""

from __future__ import annotations

import functools
from types import ModuleType
from typing import Any, Callable, Dict, List

from ..imports import when_imported
from ..program import Program, replace

# Where each framework takes its switches: module, class, method, and the list below whose functions are then called.
ENTRIES = (
    ("transformers.training_args", "TrainingArguments", "__post_init__", "training_arguments"),
    ("accelerate.accelerator", "Accelerator", "__init__", "accelerator"),
    ("lightning.pytorch.trainer.trainer", "Trainer", "__init__", "lightning"),
    ("pytorch_lightning.trainer.trainer", "Trainer", "__init__", "lightning"),
)


class Frameworks:
    """The frameworks that make the program's loop. The functions in these lists are called before the framework reads its arguments.

    set_training_arguments: with transformers' TrainingArguments, also TRL's, whose fields are set as its call would set them
    set_accelerator, set_lightning: with the keyword arguments of accelerate's Accelerator and of Lightning's Trainer
    """

    def __init__(self, program: Program) -> None:
        self.set_training_arguments: List[Callable[[Any], None]] = []
        self.set_accelerator: List[Callable[[Dict[str, Any]], None]] = []
        self.set_lightning: List[Callable[[Dict[str, Any]], None]] = []
        self.has_training_arguments = self.has_accelerator = self.has_lightning = False
        for place, kind, method, name in ENTRIES:
            when_imported(place, functools.partial(self._wrap, kind, method, name))

    @property
    def name(self) -> str:
        if self.has_lightning:
            return "lightning"
        if self.has_training_arguments:
            return "transformers"
        return "accelerate" if self.has_accelerator else "torch"

    def _wrap(self, kind: str, method: str, name: str, module: ModuleType) -> None:
        def setting_first(run: Callable[..., Any]) -> Callable[..., Any]:
            def set_first(made: Any, *arguments: Any, **named: Any) -> None:
                setattr(self, f"has_{name}", True)
                for each in getattr(self, f"set_{name}"):
                    each(made if method == "__post_init__" else named)
                run(made, *arguments, **named)

            return set_first

        replace(getattr(module, kind), method, setting_first)
