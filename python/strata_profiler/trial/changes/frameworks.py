# SPDX-License-Identifier: Apache-2.0
"""Where a framework has a switch of its own for a change, the switch is used: the bytes are then those of who writes it."""

from __future__ import annotations

import functools
from types import ModuleType
from typing import Any, Callable, Dict, List

from ..imports import when_imported
from ..program import Program

# Where each takes its switches: module, class and method.
ENTRIES = (
    ("transformers.training_args", "TrainingArguments", "__post_init__"),
    ("accelerate.accelerator", "Accelerator", "__init__"),
    ("lightning.pytorch.trainer.trainer", "Trainer", "__init__"),
    ("pytorch_lightning.trainer.trainer", "Trainer", "__init__"),
)


class Frameworks:
    """Who makes the program's loop. What is in these lists is called before the framework reads its arguments.

    set_training_arguments: with transformers' TrainingArguments, also TRL's, whose fields are set as its call would set them
    set_accelerator, set_lightning: with the named arguments of accelerate's Accelerator, of Lightning's Trainer
    """

    def __init__(self, program: Program) -> None:
        self.set_training_arguments: List[Callable[[Any], None]] = []
        self.set_accelerator: List[Callable[[Dict[str, Any]], None]] = []
        self.set_lightning: List[Callable[[Dict[str, Any]], None]] = []
        self.has_training_arguments = self.has_accelerator = self.has_lightning = False
        wraps = (self._wrap_training_arguments, self._wrap_accelerator, self._wrap_trainer, self._wrap_trainer)
        for (place, _, _), wrap in zip(ENTRIES, wraps):
            when_imported(place, wrap)

    @property
    def name(self) -> str:
        if self.has_lightning:
            return "lightning"
        if self.has_training_arguments:
            return "transformers"
        return "accelerate" if self.has_accelerator else "torch"

    def _wrap_training_arguments(self, module: ModuleType) -> None:
        settle = module.TrainingArguments.__post_init__

        @functools.wraps(settle)
        def set_first(arguments: Any) -> None:
            self.has_training_arguments = True
            for each in self.set_training_arguments:
                each(arguments)
            settle(arguments)

        module.TrainingArguments.__post_init__ = set_first

    def _wrap_accelerator(self, module: ModuleType) -> None:
        self._wrap(module.Accelerator, "accelerator")

    def _wrap_trainer(self, module: ModuleType) -> None:
        self._wrap(module.Trainer, "lightning")

    def _wrap(self, kind: Any, name: str) -> None:
        make = kind.__init__

        @functools.wraps(make)
        def set_first(made: Any, *arguments: Any, **named: Any) -> None:
            setattr(self, f"has_{name}", True)
            for each in getattr(self, f"set_{name}"):
                each(named)
            make(made, *arguments, **named)

        kind.__init__ = set_first
