# SPDX-License-Identifier: Apache-2.0
"""What every change of a program is."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional

from ..program import Program
from .frameworks import Frameworks


class CannotBeMade(RuntimeError):
    """Raised within the program's own call where a change turns out not to fit it."""


class Change:
    """One that is made from outside, without a line of the program's source. Of `group` one can be in force at a time."""

    name = ""
    group = ""
    cost = "none"
    same_training = True  # but for the order of sums
    within_models = False  # torch.compile, which has its own copy of a model's code, would not see it

    def __init__(self) -> None:
        self.facts: Dict[str, Any] = {}  # what `watch` saw; in a trial of the change, what it saw in the one before. JSON
        self.made = 0  # how often the change was made in this trial
        self.problem: Optional[str] = None  # why it was not

    def watch(self, program: Program, frameworks: Frameworks) -> None:
        """Of the program as it is: adds to `facts`."""

    def reason(self) -> Optional[str]:
        """After that: why the change cannot be made, or would change nothing; None: it is worth a trial."""
        return None

    def apply(self, program: Program, frameworks: Frameworks) -> None:
        """Before the program's first line of torch."""
        raise NotImplementedError

    def missing(self) -> Optional[str]:
        """After that trial: why it was not made after all."""
        return self.problem or (None if self.made else "the program gave no occasion for it")

    def write(self, framework: str) -> str:
        """What to write into a program whose loop is made by "torch", "transformers", "lightning" or "accelerate"."""
        raise NotImplementedError

    def refuse(self, problem: str) -> None:
        self.problem = problem
        raise CannotBeMade(problem)


class ChangeOfCalls(Change):
    """A change of certain calls, wherever the program makes them."""

    absent = ""  # the reason where it makes none

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
        """Calls `occurs` at each such call, which it changes if `changes`."""
        raise NotImplementedError
