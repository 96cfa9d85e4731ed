# SPDX-License-Identifier: Apache-2.0
"""The memory at a moment that no report shows: the peak within one step's optimizer."""

import collections
import csv
import io


def highest_in_optimizer(runs, cell, step):
    """Return bytes by (category, kind) at the peak between the end of the working memory of the
    step's backward and the end of its gradients.

    An optimizer that allocates nothing, such as a fused one, has that moment too."""
    told = runs.strata("export", cell.folder, "--format", "csv", "--what", "blocks", "--out", "-")
    blocks = list(csv.DictReader(io.StringIO(told)))
    of_backward = [block for block in blocks if block["step"] == str(step) and block["phase"] == "backward"]
    begin = max(int(block["birth_sequence"]) for block in of_backward)
    largest = max((block for block in of_backward if block["kind"] == "gradient"), key=lambda block: int(block["bytes"]))
    end = int(largest["death_sequence"])
    alive, most = collections.Counter(), collections.Counter()
    for sequence, amount, key in _changes(blocks):
        if sequence >= end:
            break
        alive[key] += amount
        if sequence > begin and not of_category(alive, "Autograd_Detail") and alive.total() > most.total():
            most = +alive
    return most


def of_category(moment, category):
    return sum(amount for (name, _), amount in moment.items() if name == category)


def of_kind(moment, kind):
    return sum(amount for (_, name), amount in moment.items() if name == kind)


def _changes(blocks):
    changes = []
    for block in blocks:
        key = (block["category"], block["kind"])
        changes.append((int(block["birth_sequence"]), int(block["bytes"]), key))
        if block["death_sequence"]:
            changes.append((int(block["death_sequence"]), -int(block["bytes"]), key))
    return sorted(changes)
