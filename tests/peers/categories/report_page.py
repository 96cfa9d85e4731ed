# SPDX-License-Identifier: Apache-2.0
"""Our categories of a run of the host, at the same moments, read from the page that its report is: as the reader sees them."""

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
    """What the run held after each event, and its phases and steps, as numbers of events that had happened."""

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
        """By moment the bytes of each category."""
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
    """What autograd computes in is in the row of what operators do."""
    joined = {**point, "Temporary": point["Temporary"] + point["Autograd_Detail"]}
    return {row: joined[row] for row in ROWS}
