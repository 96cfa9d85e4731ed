# SPDX-License-Identifier: Apache-2.0
"""Forwards outside torch.no_grad() that no backward uses, and programs that only look so: the
findings."""

import json
import re
import sys

import pytest

from unused_graph_programs import IS_FOR_NOTHING, IS_NONE, KEEPS, MODELS

LAYERS = ("--layers",)


@pytest.fixture
def record(workspace):
    """A function that records the program and returns its last line of output and another function,
    which gives a report of the run."""
    runs = 0

    def run(program, *words, options=LAYERS, code=0):
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


def unused_in(findings):
    return [finding for finding in findings if finding["kind"] in ("unused_graph", "untaken_gradients")]


# Graphs that Strata finds from operators when it gets no modules. Each is found in a different way.
WITHOUT_LAYERS = {
    "a teacher's, of convolutions",
    "an evaluation's, of a transformer",
    "an evaluation's, whose last output a variable holds while it trains",
    "a graph that its backward keeps",
    "what a list of branches puts together",
    "a decoder that puts its outputs in a list",
    "hidden states of a teacher that is told",
    "what a function's variables hold",
}


def options_for(name):
    return (LAYERS, ()) if name in WITHOUT_LAYERS else (LAYERS,)


def test_every_program_without_layers_is_one():
    assert WITHOUT_LAYERS <= {*KEEPS, *IS_NONE}


def some(programs):
    """Mark every second program for the long tests."""
    return [pytest.param(name, marks=[pytest.mark.long] if nth % 2 else []) for nth, name in enumerate(programs)]


@pytest.mark.parametrize("name", some(KEEPS))
def test_a_graph_that_no_backward_uses_is_found_at_the_peak(record, name):
    forwards, program = KEEPS[name]
    left, told = record(program, "told")
    assert not shapes_of(told) and not unused_in(told("--budget", "1MiB")["findings"])
    named = "" if forwards == "forwards that no backward follows" else f" of {forwards}"
    for options in options_for(name):
        _, report = record(program, options=options)
        (shape,) = shapes_of(report)
        assert re.fullmatch(rf"No backward uses \d+ graphs{named}\. Each keeps up to .*", shape["sentence"]), options
        assert shape["remedy"] == f"{forwards} under torch.no_grad() keep only their output"
        result_of = report("--budget", "1MiB")
        (finding,) = unused_in(result_of["findings"])
        assert (finding["kind"], finding["module"]) == ("unused_graph", forwards.removeprefix("forwards of ") if named else None)
        assert not [other for other in result_of["findings"] if other["kind"] == "held_by_program"]
        # A forward without the graph allocates some of the graph's blocks too, but one after the
        # other.
        assert 0.5 * finding["bytes"] < result_of["peak_bytes"] - int(left) <= 1.05 * finding["bytes"]


@pytest.mark.parametrize("name", some(IS_FOR_NOTHING))
def test_gradients_that_no_optimizer_takes_are_not_to_be_made(record, name):
    _, report = record(IS_FOR_NOTHING[name])
    (shape,) = shapes_of(report)
    assert shape["sentence"].startswith("No optimizer uses the gradients of 4 graphs of forwards of ")
    findings = unused_in(report("--budget", "1MiB")["findings"])
    assert "unused_graph" in {finding["kind"] for finding in findings}
    assert len({finding["module"] for finding in findings}) == 1 and all("No optimizer uses" in finding["text"] for finding in findings)


def test_a_teacher_without_gradients_is_not_told(record):
    _, told = record(IS_FOR_NOTHING["a teacher that the loss is computed with"], "told")
    assert not shapes_of(told) and not unused_in(told("--budget", "1MiB")["findings"])


@pytest.mark.parametrize("name", some(IS_NONE))
def test_what_a_backward_reads_and_what_is_no_graph_is_not_told(record, name):
    runs = [(options, ()) for options in options_for(name)]
    if name == "blocks that are checkpointed":
        runs.append((LAYERS, ("reentrant",)))
    for options, words in runs:
        _, report = record(IS_NONE[name], *words, options=options)
        assert not shapes_of(report), (options, words)
        assert not unused_in(report("--budget", "1MiB")["findings"]), (options, words)


def test_it_is_found_where_memory_ran_out_beside_it(record):
    forwards, program = KEEPS["a teacher's, of convolutions"]
    program = program.replace("batch(64)", "batch(128)")
    room = ("--layers", "--device-memory", "2300MiB")
    _, report = record(program, options=room, code=1)
    # If there is no room for a convolution's workspace, torch tries other ways, with less or none.
    *tried, failure = report()["out_of_memory"]
    assert {each["op"] for each in tried} <= {"aten::cudnn_convolution"}
    (finding,) = unused_in(failure["findings"])
    assert failure["step"] == 1 and (finding["kind"], finding["module"]) == ("unused_graph", "teacher")
    record(program, "told", options=room)


def test_a_forward_that_ran_out_of_memory_has_no_unused_graph(record):
    """Its backward would have come, so memory that the exception frees is no unused graph."""
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
    assert not unused_in(report("--budget", "1MiB")["findings"])
