# SPDX-License-Identifier: Apache-2.0
"""Compares a newly made block with the one on a page."""

import re

RELATIVE, ABSOLUTE = 0.02, 4.0  # for near blocks, whose numbers are MiB
RELATIVE_OF_A_MEAN, ABSOLUTE_OF_A_MEAN = 0.06, 10.0  # for torch.profiler's


def agree(block, kept, made):
    """Compare exactly. For a measured block compare only its form, and for a near block its numbers
    with a tolerance.

    In a near block, Strata's rows are exactly the same. torch.profiler's median takes one of
    several values, because its labels of a few events vary: for the same program its unknown
    memory's median was 44.4, 81.1 and 84.1 MiB. Its means are over its events, and the same program
    has 23,458 to 23,946 of them: the mean of unknown memory was 223.7 to 230.1.
    """
    if block.is_near:
        rows = ours(kept) == ours(made)
        means = are_near(numbers(of_theirs("mean", kept)), numbers(of_theirs("mean", made)), RELATIVE_OF_A_MEAN, ABSOLUTE_OF_A_MEAN)
        return rows and means and form(kept) == form(made) and are_near(numbers(steady(kept)), numbers(steady(made)))
    if block.is_measured:
        return form(kept) == form(made)
    return kept == made


def form(text):
    """Return the lines without numbers, and of a table only the first column, because the others
    name processors and libraries."""
    lines = [line.split("|")[1].strip() if line.startswith("|") else line for line in text.splitlines()]
    return [re.sub(r"[-+]?[\d.,]+", "0", line) for line in lines]


def ours(text):
    return [line for line in text.splitlines() if "**Strata**" in line]


def of_theirs(statistic, text):
    return "\n".join(line for line in text.splitlines() if re.match(rf"\| {statistic} \| (torch\.profiler again|difference) ", line))


def steady(text):
    unsteady = {*of_theirs("mean", text).splitlines(), *of_theirs("median", text).splitlines()}
    return "\n".join(line for line in text.splitlines() if line not in unsteady)


def numbers(text):
    return [float(number.replace(",", "")) for number in re.findall(r"[-+]?\d[\d,]*\.\d+", text)]


def are_near(kept, made, relative=RELATIVE, absolute=ABSOLUTE):
    return len(kept) == len(made) and all(
        abs(one - other) <= max(absolute, relative * max(abs(one), abs(other))) for one, other in zip(kept, made)
    )
