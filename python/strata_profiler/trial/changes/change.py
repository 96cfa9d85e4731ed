# SPDX-License-Identifier: Apache-2.0
"""The interface of all changes to a program."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional

from ..program import Program
from .frameworks import Frameworks


class CannotBeMade(RuntimeError):
    """Raised inside the program's own call if a change turns out not to fit it."""


class Change:
    """A change made from outside, without editing the program's source. Only one of each `group` can be active at a time."""

    name = ""
    group = ""
    cost = "none"
    same_training = True  # except for the order of sums
    within_models = False  # torch.compile, which has its own copy of a model's code, would not see it

    def __init__(self) -> None:
        self.facts: Dict[str, Any] = {}  # from `watch`; in a trial of the change, from the trial before. JSON
        self.made = 0  # how often the change was made in this trial
        self.problem: Optional[str] = None  # why it was not made

    def watch(self, program: Program, frameworks: Frameworks) -> None:
        """Called for the unchanged program: adds to `facts`."""

    def reason(self) -> Optional[str]:
        """Afterwards: why the change cannot be made, or would have no effect; None: it is worth a trial."""
        return None

    def apply(self, program: Program, frameworks: Frameworks) -> None:
        """Called before the program's first use of torch."""
        raise NotImplementedError

    def missing(self) -> Optional[str]:
        """After that trial: why the change was not made after all."""
        return self.problem or (None if self.made else "the program ran nothing that it would change")

    def write(self, framework: str) -> str:
        """What to write in a program whose loop is made by "torch", "transformers", "lightning" or "accelerate"."""
        raise NotImplementedError

    def refuse(self, problem: str) -> None:
        self.problem = problem
        raise CannotBeMade(problem)


class ChangeOfCalls(Change):
    """A change to certain calls, wherever the program makes them."""

    absent = ""  # the reason if it makes none

    def watch(self, program: Program, frameworks: Frameworks) -> None:
        self.facts["occurs"] = False
        self.wrap(program, lambda: self.facts.update(occurs=True), changes=False)

    def reason(self) -> Optional[str]:
        return None if self.facts["occurs"] else self.absent

    def apply(self, program: Program, frameworks: Frameworks) -> None:
        def count() -> None:
            self.made += 1

        self.wrap(program, count, changes=True)

    def wrap(self, program: Program, occurs: Callable[[], None], changes: bool) -> None:
        """Calls `occurs` at each such call; the call is changed if `changes`."""
        raise NotImplementedError
