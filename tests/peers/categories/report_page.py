"""Our categories of a run of the host, at the same moments, read from the page that its report is: as the reader sees them."""

import itertools
import json
import re

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
    """The run's timeline, event by event, and its phases."""

    def __init__(self, html):
        facts = json.loads(FACTS.search(html)[1])
        timeline = facts["timeline"]
        assert timeline["column_ns"] == 0, "so many events that the page does not hold each"
        names = [category["name"] for category in facts["categories"]]
        columns = [itertools.accumulate(column) for column in timeline["bytes"]]
        self.points = list(
            zip(itertools.accumulate(timeline["ns"]), (dict(zip(names, bytes_of)) for bytes_of in zip(*columns)))
        )
        phase_names, phases = facts["phases"]["names"], facts["phases"]["list"]
        self.phases = {(phase_names[name], step): (begin, end) for name, _, step, _, _, begin, end in phases}
        self.steps = {index: (begin, end) for index, _, begin, end, *_ in facts["steps"]}

    def at(self, moment):
        return [point for ns, point in self.points if ns <= moment][-1]

    def most(self, begin, end):
        points = [self.at(begin)] + [point for ns, point in self.points if begin <= ns < end]
        return max(points, key=lambda point: sum(point.values()))

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
