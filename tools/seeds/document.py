# SPDX-License-Identifier: Apache-2.0
"""The content of a page of docs/seeds: blocks of text, and pictures."""

import dataclasses
from collections.abc import Callable

from tables import fence


@dataclasses.dataclass(frozen=True)
class Block:
    make: Callable  # takes the Runs, returns the text
    is_measured: bool  # with a clock, or on this machine's CPU: another machine gives other numbers
    is_near: bool  # torch.profiler's labels differ a little from run to run
    is_long: bool


@dataclasses.dataclass(frozen=True)
class Picture:
    make: Callable  # takes the Runs, returns the picture's path
    is_measured: bool


class Document:
    """A page. `grids` are those that a card can run too: their names in configs/seeds/grids, each
    with its dry card."""

    def __init__(self, number, grids):
        self.number = number
        self.grids = grids
        self.blocks = {}
        self.pictures = {}

    def block(self, measured=False, near=False, long=False):
        """Decorate a function of the Runs that makes the block of its name, with dashes."""

        def register(function):
            self.blocks[function.__name__.replace("_", "-")] = Block(function, measured, near, long)
            return function

        return register

    def picture(self, file, measured=False):
        """Decorate a function of the Runs that returns the path of a picture."""

        def register(function):
            self.pictures[file] = Picture(function, measured)
            return function

        return register


def commands_and(lines, text):
    return fence(lines) + "\n\n" + text
