# SPDX-License-Identifier: Apache-2.0
"""What a page of docs/seeds is made of: blocks of text, and pictures."""

import dataclasses
from collections.abc import Callable

from tables import fence


@dataclasses.dataclass(frozen=True)
class Block:
    make: Callable  # of the Runs that it may ask: the text
    is_measured: bool  # by a clock, or on this machine's CPU: another machine makes other numbers
    is_near: bool  # torch.profiler's labels differ a little from run to run
    is_long: bool


@dataclasses.dataclass(frozen=True)
class Picture:
    make: Callable  # of the Runs that it may ask: the path of what was drawn
    is_measured: bool


class Document:
    """`grids` are those that a card can run too: their names in configs/seeds/grids, each with the card that it is dry on."""

    def __init__(self, number, grids):
        self.number = number
        self.grids = grids
        self.blocks = {}
        self.pictures = {}

    def block(self, measured=False, near=False, long=False):
        """Of a function of the Runs: it makes the block of its name, with dashes."""

        def register(function):
            self.blocks[function.__name__.replace("_", "-")] = Block(function, measured, near, long)
            return function

        return register

    def picture(self, file, measured=False):
        """Of a function of the Runs that returns the path of a picture."""

        def register(function):
            self.pictures[file] = Picture(function, measured)
            return function

        return register


def commands_and(lines, text):
    return fence(lines) + "\n\n" + text
