# SPDX-License-Identifier: Apache-2.0
"""Whether a block that was made now is the one that a page holds."""

import re

RELATIVE, ABSOLUTE = 0.02, 4.0  # of near ones, whose numbers are MiB


def agree(block, kept, made):
    """To the last digit; of what is measured its form, and of what is near its numbers nearly."""
    if block.is_near:
        return form(kept) == form(made) and are_near(numbers(kept), numbers(made))
    if block.is_measured:
        return form(kept) == form(made)
    return kept == made


def form(text):
    """Its lines without numbers, and of a table the first column, for the others name processors and libraries."""
    lines = [line.split("|")[1].strip() if line.startswith("|") else line for line in text.splitlines()]
    return [re.sub(r"[-+]?[\d.,]+", "0", line) for line in lines]


def numbers(text):
    return [float(number.replace(",", "")) for number in re.findall(r"[-+]?\d[\d,]*\.\d+", text)]


def are_near(kept, made):
    return len(kept) == len(made) and all(
        abs(one - other) <= max(ABSOLUTE, RELATIVE * max(abs(one), abs(other))) for one, other in zip(kept, made)
    )
