# SPDX-License-Identifier: Apache-2.0
"""Reasons against a change that no test of a whole program can cause."""

import pytest
import torch
import torch.utils.checkpoint
from strata_profiler.trial import trial
from strata_profiler.trial.changes import checkpoints, graphs
from strata_profiler.trial.changes.frameworks import Frameworks
from strata_profiler.trial.program import Program

GIB = 1 << 30


@pytest.mark.smoke
@pytest.mark.parametrize(
    ("calls", "free", "reason"),
    [
        ([], 64, "no backward was seen"),
        ([{"backward": 1}], 15, "its trial may need 8 GiB of host memory, and 15 GiB are free"),
        ([{"backward": 1}], 16, None),
    ],
)
def test_saved_tensors_go_to_a_host_that_has_room(monkeypatch, calls, free, reason):
    monkeypatch.setattr(graphs.torch.cuda, "max_memory_allocated", lambda: 8 * GIB)
    monkeypatch.setattr(graphs, "_free_host_memory", lambda: free * GIB)
    program = Program()
    change = graphs.Offload()
    change.watch(program, Frameworks(program))
    change._reached.calls.extend(calls)
    assert change.reason() == reason


def test_checkpoints_that_follow_one_another_are_counted():
    program, change = Program(), checkpoints.Checkpoints(2)
    trial.make_replaceable_what_changes_replace()
    change.watch(program, Frameworks(program))
    layers = [torch.nn.Linear(4, 4) for _ in range(4)]
    for _ in range(2):
        x = torch.ones(1, 4, requires_grad=True)
        for layer in layers:
            x = torch.utils.checkpoint.checkpoint(layer, x, use_reentrant=False)
    assert change.reason() == "the program checkpoints already, 4 times in a row: one checkpoint around several blocks keeps fewer inputs"
    four = checkpoints.Checkpoints(4)
    four.facts.update(change.facts)
    assert four.reason() == "the program checkpoints already"
