# SPDX-License-Identifier: Apache-2.0
"""What ./dev parity prints, and docs/parity.md."""

from comparison import explained
from recordings import NotRecorded

MIB = 1 << 20
HEAD = [
    "| case | events | first difference | allocated on the card | dry | reserved on the card | dry | verdict |",
    "|---|---|---|---|---|---|---|---|",
]


def peak(comparison, name):
    card, dry = comparison.card[name], comparison.dry[name]
    return f"{card / MIB:,.2f}", "equal" if card == dry else f"{comparison.error_of(name):+.3%}"


def row(name, result):
    if isinstance(result, NotRecorded):
        return f"| {name} | | | | | | | not recorded: {result} |"
    difference = result.difference
    where = "none" if difference is None else f"event {difference.index:,}"
    verdict = "differs" if result.problem() else "equal" if difference is None else "within its bound"
    cells = (name, f"{len(result.card['events']):,}", where, *peak(result, "allocated"), *peak(result, "reserved"), verdict)
    return f"| {' | '.join(cells)} |"


def table(results):
    """Peaks are in MiB."""
    return "\n".join([*HEAD, *(row(name, result) for name, result in results.items())])


def problems(results):
    """By name, what is wrong."""
    found = {name: str(result) if isinstance(result, NotRecorded) else result.problem() for name, result in results.items()}
    return {name: problem for name, problem in found.items() if problem}


def bounds(results):
    """The cases that may differ, by how much and why."""
    lines = []
    for name, result in results.items():
        if not isinstance(result, NotRecorded) and not result.bound.wants_equal_events:
            bound = result.bound
            lines.append(f"| {name} | {bound.allocated:.1%} | {bound.reserved:.1%} | {bound.because} |")
    if not lines:
        return []
    return ["## Cases that may differ", "", "| case | allocated | reserved | why |", "|---|---|---|---|", *lines, ""]


def differences(results):
    """The first difference of each case that has one."""
    lines = []
    for name, result in results.items():
        if not isinstance(result, NotRecorded) and result.difference is not None:
            lines += [f"### {name}", "", "```", *explained(result.difference), "```", ""]
    return ["## First differences", "", *lines] if lines else []


def page(results, recorded):
    card = next(result.card for result in results.values() if not isinstance(result, NotRecorded))
    date = recorded.about.get("recorded", "")
    equal = sum(not isinstance(result, NotRecorded) and result.difference is None for result in results.values())
    lines = [
        "# The dry GPU beside a card",
        "",
        f"The same programs ran on a card and on its dry profile. {equal} of {len(results)} do the same in every event of the caching allocator: each"
        " allocation, free and segment, with its size and its place.",
        "",
        f"Card: {card['device']}, driver {card['driver']}, torch {card['torch']}, {date}. Peaks are in MiB. `./dev parity` measures this on a machine"
        " with a GPU; `./dev parity --recorded tests/data/card-h200` compares with these recordings on any machine, and a test does so"
        " in CI ([tests/gpu/test_recorded.py](../tests/gpu/test_recorded.py)).",
        "",
        table(results),
        "",
        *bounds(results),
        *differences(results),
    ]
    return "\n".join(lines).rstrip() + "\n"
