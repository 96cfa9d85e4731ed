# SPDX-License-Identifier: Apache-2.0
"""The ranges in a run's store, in the form an NVTX tool should have received them: counts by
(message, payload)."""

import collections
import contextlib
import sqlite3

# Phases from strata/ext/phase.h that open a micro-batch. Listed by name because the host itself
# emits them.
WITHIN_MICRO_BATCH = ("data", "forward", "loss", "backward")
SUFFIX = {0: "", 1: " backward", 2: " recompute"}


class StoredRanges:
    def __init__(self, out):
        (store,) = (out / "rank0").glob("*.sqlite")
        with contextlib.closing(sqlite3.connect(store)) as database:
            self.steps = database.execute("SELECT step, schedule, tokens FROM step ORDER BY step").fetchall()
            self.phases = database.execute(
                "SELECT name, step, micro_batch, parent FROM phase ORDER BY begin_sequence"
            ).fetchall()
            self.modules = database.execute(
                "SELECT path, type, direction, phase.step, thread, module.parent, phase.name"
                " FROM module LEFT JOIN phase ON phase.phase = module.phase ORDER BY module.begin_sequence"
            ).fetchall()
            (self.driver,) = database.execute("SELECT thread FROM module WHERE direction = 0 ORDER BY begin_sequence LIMIT 1").fetchone()

    def loop_ranges(self, *, only=None):
        """Count steps, micro-batches and phases, of the steps in `only` if it is given."""
        ranges = collections.Counter()
        for step, _, _ in self.steps:
            ranges["step", step] += 1
        for name, step, _, _ in self.phases:
            ranges[name, None if step < 0 else step] += 1
        if only is not None:
            ranges = collections.Counter({key: n for key, n in ranges.items() if key[1] in only})
        for _, micro_batch in {
            (step, micro_batch)
            for name, step, micro_batch, parent in self.phases
            if step >= 0 and parent == 0 and name in WITHIN_MICRO_BATCH and (only is None or step in only)
        }:
            ranges["micro-batch", micro_batch] += 1
        return ranges

    def layers(self, *, only=None):
        """Count modules, plus the phase's name for each outermost range on a thread other than the
        driver's."""
        ranges = collections.Counter()
        for path, kind, direction, step, thread, parent, phase in self.modules:
            if only is not None and step not in only:
                continue
            payload = None if step is None or step < 0 else step
            ranges[(path or kind) + SUFFIX[direction], payload] += 1
            if thread != self.driver and parent == 0:
                ranges[phase, payload] += 1
        return ranges
