# SPDX-License-Identifier: Apache-2.0
"""The output of ./dev parity, and docs/parity.md."""

from parity_comparison import explained
from parity_recordings import NotRecorded

MIB = 1 << 20
BEGIN, END = "<!-- begin measured: ./dev parity -->", "<!-- end measured -->"
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
    """Return the table; peaks are in MiB."""
    return "\n".join([*HEAD, *(row(name, result) for name, result in results.items())])


def problems(results):
    """Return the problem of each failing case, by name."""
    found = {name: str(result) if isinstance(result, NotRecorded) else result.problem() for name, result in results.items()}
    return {name: problem for name, problem in found.items() if problem}


def bounds(results):
    """Return the cases that may differ, with the bound and the reason."""
    lines = []
    for name, result in results.items():
        if not isinstance(result, NotRecorded) and not result.bound.wants_equal_events:
            bound = result.bound
            lines.append(f"| {name} | {bound.allocated:.1%} | {bound.reserved:.1%} | {bound.because} |")
    if not lines:
        return []
    return ["### Cases that may differ", "", "| case | allocated | reserved | why |", "|---|---|---|---|", *lines, ""]


def differences(results):
    """Return the first difference of each case that has one."""
    lines = []
    for name, result in results.items():
        if not isinstance(result, NotRecorded) and result.difference is not None:
            lines += [f"#### {name}", "", "```", *explained(result.difference), "```", ""]
    return ["### First differences", "", *lines] if lines else []


def measured(results, recorded):
    """Return the part of docs/parity.md that comes from a comparison."""
    card = next(result.card for result in results.values() if not isinstance(result, NotRecorded))
    equal = sum(not isinstance(result, NotRecorded) and result.difference is None for result in results.values())
    lines = [
        f"{card['device']}, driver {card['driver']}, torch {card['torch']}, {recorded.about.get('recorded', 'no date')}. {equal} of {len(results)} cases are equal in every event."
        " Peaks are in MiB.",
        "",
        table(results),
        "",
        *bounds(results),
        *differences(results),
    ]
    return "\n".join(lines).rstrip() + "\n"


def page(text, results, recorded):
    """Return the page `text` with its measured part replaced."""
    before, rest = text.split(BEGIN, 1)
    _, after = rest.split(END, 1)
    return f"{before}{BEGIN}\n{measured(results, recorded)}{END}{after}"
