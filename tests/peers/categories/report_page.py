# SPDX-License-Identifier: Apache-2.0
"""Strata's categories of a host run at the same moments, read from its report page, as a reader
sees them."""

import json
import re

import page_events
from profiled_cases import (
    AFTER_OPTIMIZER,
    BEFORE_OPTIMIZER,
    END_OF_FORWARD,
    LOOKED_AT,
    OPTIMIZER,
    PASSES,
    ROWS,
)

FACTS = re.compile(r'<script[^>]*id="facts"[^>]*>(.*?)</script>', re.DOTALL)


class Page:
    """The run's memory after each event, and its phases and steps, as numbers of preceding
    events."""

    def __init__(self, html):
        facts = json.loads(FACTS.search(html)[1])
        alive = {category["name"]: 0 for category in facts["categories"]}
        self.states = [dict(alive)]
        for category, size in page_events.changes(html, facts):
            alive[category] += size
            self.states.append(dict(alive))
        phase_names, phases = facts["phases"]["names"], facts["phases"]["list"]
        self.phases = {(phase_names[name], step): (begin, end) for name, _, step, *_, begin, end in phases}
        self.steps = {index: (begin, end) for index, *_, begin, end in facts["steps"]}

    def at(self, state):
        return self.states[state]

    def most(self, begin, end):
        return max(self.states[begin : end + 1], key=lambda state: sum(state.values()))

    def moments(self):
        """Return the bytes of each category, by moment."""
        begin, end = self.steps[LOOKED_AT]
        if ("optimizer", LOOKED_AT) not in self.phases:
            return {END_OF_FORWARD: self.at(self.phases["loss", LOOKED_AT][1]), PASSES: self.most(begin, end)}
        backward, _ = self.phases["backward", LOOKED_AT]
        before, after = self.phases["optimizer", LOOKED_AT]
        return {
            END_OF_FORWARD: self.at(backward),
            PASSES: self.most(begin, before),
            BEFORE_OPTIMIZER: self.at(before),
            OPTIMIZER: self.most(before, after),
            AFTER_OPTIMIZER: self.at(after),
        }


def rows_of(point):
    """Return the rows; autograd's working memory is in the row of operators' memory."""
    joined = {**point, "Temporary": point["Temporary"] + point["Autograd_Detail"]}
    return {row: joined[row] for row in ROWS}
