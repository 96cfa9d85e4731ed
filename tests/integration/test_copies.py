# SPDX-License-Identifier: Apache-2.0
"""Copies of a model's parameters and gradients, in programs recorded on dry cards: their owners and
names."""

import collections
import json
import sys

import copy_programs
import pytest
from copy_programs import WEIGHTS


@pytest.fixture
def kinds(workspace):
    """A function that records the program and returns the maximum bytes of each category and kind
    on a device, and the blocks."""

    def run(program, device="cuda:0", options=()):
        workspace.write("program.py", copy_programs.MODEL + program)
        done = workspace.strata("exec", "--dry", "a100-40gb:2", *options, "--out", "out", "--", sys.executable, "program.py")
        assert done.returncode == 0, done.stderr
        shown = workspace.strata("report", "out", "--device", device, "--json")
        assert shown.returncode == 0, shown.stderr
        summary = json.loads(shown.stdout)
        assert summary["categories"]["Unknown"]["max"] <= 0.01 * summary["peak"]["allocated_bytes"]
        blocks = json.loads(workspace.strata("report", "out", "--device", device, "--detail", "100%", "--json").stdout)["blocks"]
        found = collections.Counter()
        for block in blocks:
            found[block["category"], block["kind"]] += block["bytes"]
        return found, blocks

    return run


@pytest.mark.parametrize("program", ["CHECKPOINT", "REFERENCE", "BEST", "LATE_BEST", "DEEP_COPY"])
def test_a_kept_copy_of_the_weights_is_no_moving_average(kinds, program):
    found, blocks = kinds(getattr(copy_programs, program))
    assert found["Parameter", "weight_copy"] == WEIGHTS
    assert found["Parameter", "parameter"] == WEIGHTS and not found["Parameter", "ema"]
    names = {block["tensor"] for block in blocks if block["kind"] == "weight_copy"}
    layers = [f"{layer}.{part}" for layer in range(4) for part in ("weight", "bias")]
    assert names == ({f"{name}.copy" for name in layers} if program.endswith(("BEST", "DEEP_COPY")) else {f"copy.{name}" for name in layers})


@pytest.mark.parametrize("update", copy_programs.AVERAGED)
def test_a_copy_that_is_averaged_into_is_a_moving_average(kinds, update):
    found, _ = kinds(copy_programs.AVERAGE.replace("UPDATE", copy_programs.AVERAGED[update]))
    assert found["Parameter", "ema"] == WEIGHTS and not found["Parameter", "weight_copy"]


def test_a_copy_that_takes_the_weights_again_is_no_moving_average(kinds):
    found, _ = kinds(copy_programs.AVERAGE.replace("UPDATE", "mean.copy_(parameter)"))
    assert found["Parameter", "weight_copy"] == WEIGHTS and not found["Parameter", "ema"]


def test_kept_copies_of_gradients_are_gradients(kinds):
    found, blocks = kinds(copy_programs.GRADIENTS)
    copies = [block for block in blocks if (block["tensor"] or "").endswith(".grad.copy")]
    assert sum(block["bytes"] for block in copies) == WEIGHTS
    assert {(block["category"], block["kind"]) for block in copies} == {("Gradient", "gradient")}
    assert {block["layer"] for block in copies} == {str(layer) for layer in range(4)}


def test_replicas_on_another_card_are_copies_of_parameters(kinds):
    found, blocks = kinds(copy_programs.REPLICAS, device="cuda:1")
    assert found["Parameter", "weight_copy"] >= 4 * WEIGHTS  # in each step
    assert {block["kind"] for block in blocks if block["op"] == "Broadcast"} == {"weight_copy"}
