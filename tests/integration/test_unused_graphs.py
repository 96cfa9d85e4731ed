# SPDX-License-Identifier: Apache-2.0
"""Forwards that no backward goes through and nobody told torch so of, and programs that only look so: what is said, and what no_grad gains."""

import json
import re
import sys

import pytest

from unused_graph_programs import IS_FOR_NOTHING, IS_NONE, KEEPS, MODELS


@pytest.fixture
def record(workspace):
    """A function: records the program, and returns what it printed last, and another function, that gives a report of it."""
    runs = 0

    def run(program, *words, options=("--layers",), code=0):
        nonlocal runs
        runs += 1
        workspace.write("program.py", MODELS + program + "\nprint(torch.cuda.max_memory_allocated())\n")
        out = f"run{runs}"
        done = workspace.strata("exec", "--dry", "a100-40gb", *options, "--out", out, "--", sys.executable, "program.py", *words)
        assert done.returncode == code, done.stderr
        return done.stdout.split("\n")[0], lambda *asked: json.loads(workspace.strata("report", out, *asked, "--json").stdout)

    return run


def shapes_of(report):
    return [shape for shape in report("--shapes")["shapes"] if shape["kind"] == "unused_graph"]


def no_grad_of(remedies):
    return [remedy for remedy in remedies if re.fullmatch(r"forwards [^+]* under torch\.no_grad\(\)", remedy["change"])]


@pytest.mark.parametrize("options", [("--layers",), ()], ids=["layers", "no layers"])
@pytest.mark.parametrize("name", KEEPS)
def test_the_peak_without_the_graph_is_what_no_grad_leaves(record, name, options):
    forwards, program = KEEPS[name]
    _, report = record(program, options=options)
    (shape,) = shapes_of(report)
    named = "" if forwards == "forwards that no backward follows" else f" of {forwards}"
    assert re.fullmatch(rf"No backward goes through \d+ graphs{named}, which keep up to .*", shape["sentence"])
    assert shape["remedy"] == f"{forwards} under torch.no_grad() keep nothing but their output"
    remedies = report("--budget", "1MiB")["remedies"]
    (remedy,) = no_grad_of(remedies)
    assert remedy["change"] == f"{forwards} under torch.no_grad()"
    assert not [other for other in remedies if other["change"].startswith("del of")]
    left, told = record(program, "told", options=options)
    assert remedy["peak_then_bytes"] == pytest.approx(int(left), rel=0.05)
    assert not shapes_of(told) and not no_grad_of(told("--budget", "1MiB")["remedies"])


@pytest.mark.parametrize("name", IS_FOR_NOTHING)
def test_gradients_that_no_optimizer_takes_are_not_to_be_made(record, name):
    _, report = record(IS_FOR_NOTHING[name])
    (shape,) = shapes_of(report)
    assert shape["sentence"].startswith("No optimizer takes the gradients that come of 4 graphs of forwards of ")
    (remedy,) = no_grad_of(report("--budget", "1MiB")["remedies"])
    left, told = record(IS_FOR_NOTHING[name], "told")
    # What a loss keeps for the way to the teacher is of no module, and is not said to be gained.
    assert remedy["peak_then_bytes"] == pytest.approx(int(left), rel=0.08)
    assert not shapes_of(told) and not no_grad_of(told("--budget", "1MiB")["remedies"])


@pytest.mark.parametrize("options", [("--layers",), ()], ids=["layers", "no layers"])
@pytest.mark.parametrize("name", IS_NONE)
def test_what_a_backward_reads_and_what_is_no_graph_is_not_told(record, name, options):
    for words in ((), ("reentrant",)) if name == "blocks that are checkpointed" else ((),):
        _, report = record(IS_NONE[name], *words, options=options)
        assert not shapes_of(report)
        assert not no_grad_of(report("--budget", "1MiB")["remedies"])


def test_where_memory_ran_out_beside_it_no_grad_is_enough(record):
    forwards, program = KEEPS["a teacher's, of convolutions"]
    program = program.replace("batch(64)", "batch(128)")
    room = ("--layers", "--device-memory", "2300MiB")
    _, report = record(program, options=room, code=1)
    # For a convolution that finds no room for its workspace torch tries other ways, with less or none.
    *tried, failure = report()["out_of_memory"]
    assert {each["op"] for each in tried} <= {"aten::cudnn_convolution"}
    (remedy,) = no_grad_of(failure["remedies"])
    assert failure["step"] == 1 and remedy["enough"]
    record(program, "told", options=room)


def test_a_forward_that_ran_out_of_memory_is_not_advised_to_go_without_its_graph(record):
    """Its backward would have come: what the exception lets go of is no graph that nobody wanted."""
    caught = """
model = Encoder().cuda()
def loss(rows=4):
    words = tokens(rows)
    return F.cross_entropy(model(words).flatten(0, 1), words.flatten())
optimizer = torch.optim.AdamW(model.parameters(), fused=True)
for rows in (4, 4096, 4, 4):
    try: loss(rows).backward()
    except torch.OutOfMemoryError: continue
    optimizer.step()
    optimizer.zero_grad()
"""
    _, report = record(caught)
    assert report()["out_of_memory"]
    assert not shapes_of(report)
    assert not no_grad_of(report("--budget", "1MiB")["remedies"])
