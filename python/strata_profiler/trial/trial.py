# SPDX-License-Identifier: Apache-2.0
"""One trial: the changes made, the observations, and the notes that this process leaves."""

from __future__ import annotations

import atexit
import json
import os
from typing import Any, Dict, Optional, Sequence

import torch
import torch.utils.checkpoint

from . import steps
from .changes import all_changes
from .changes.change import Change
from .changes.frameworks import Frameworks
from .program import Program, make_replaceable


def make_replaceable_what_changes_replace() -> None:
    """Functions of modules that programs import by name."""
    for owner, name in (
        (torch.autograd, "backward"),
        (torch.autograd, "grad"),
        (torch.utils.checkpoint, "checkpoint"),
        (torch.nn.functional, "cross_entropy"),
        (torch.nn.functional, "softmax"),
        (torch, "softmax"),
    ):
        make_replaceable(owner, name)


def begin() -> None:
    """Begins according to the environment."""
    facts: Dict[str, Any] = {}
    if os.environ.get("STRATA_TRIAL_FACTS"):
        with open(os.environ["STRATA_TRIAL_FACTS"], encoding="utf-8") as file:
            facts = json.load(file)["facts"]
    Trial(os.environ["STRATA_TRIAL_NOTES"], os.environ.get("STRATA_TRIAL_CHANGES", "").split("\n"), facts).begin()


class Trial:
    """`names`: the changes to make; none: the unchanged program. `facts`: for each change by name, as noted by the trial of the unchanged program."""

    def __init__(self, folder: str, names: Sequence[str], facts: Dict[str, Any]) -> None:
        self._folder = folder
        self._program = Program()
        self._frameworks = Frameworks(self._program)
        self._changes = all_changes()
        for change in self._changes:
            change.facts = facts.get(change.name, {})
        self._made = [change for change in self._changes if change.name in names]

    def begin(self) -> None:
        for change in self._made:
            change.apply(self._program, self._frameworks)
        if not self._made:
            for change in self._changes:
                change.watch(self._program, self._frameworks)
        self._program.begin()
        atexit.register(self.write)
        steps.at_end.append(self.write)

    def _reason(self, change: Change) -> Optional[str]:
        if change.within_models and self._program.is_compiled:
            return "torch.compile runs its own copy of the model's code"
        return change.reason()

    def write(self) -> None:
        changes = []
        for change in self._made or self._changes:
            problem = change.missing() if self._made else self._reason(change)
            changes.append(
                {
                    "name": change.name,
                    "group": change.group,
                    "cost": change.cost,
                    "same_training": change.same_training,
                    "problem": problem,
                    "write": change.write(self._frameworks.name),
                }
            )
        facts = {change.name: change.facts for change in self._changes}
        with open(os.path.join(self._folder, f"{os.getpid()}.json"), "w", encoding="utf-8") as file:
            json.dump({"changes": changes, "facts": facts, "framework": self._frameworks.name}, file)
