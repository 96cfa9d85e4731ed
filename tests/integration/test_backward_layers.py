# SPDX-License-Identifier: Apache-2.0
"""Layers of backward in real runs: they mirror forward's, run on the thread that runs the nodes,
and agree with autograd's sequence numbers."""

import collections
import contextlib
import itertools
import pathlib
import sqlite3
import typing

import pytest
from workspaces import STRATA

# Strata reports backward's ranges when a plugin listens to modules.
TEST_PLUGINS = pathlib.Path(STRATA).parents[1] / "tests/runtime/plugins"
TRANSFORMER = "{size: custom, layers: 3, d_model: 32, d_ff: 64, heads: 2, vocab: 64, context: 16}"
MODELS = {
    "transformer": TRANSFORMER,
    "llama": TRANSFORMER.replace("{", "{name: llama, ", 1),
    "resnet18": "{name: resnet18, image_size: 32, classes: 10}",
}
CONFIG = """\
model: %s
data: {source: synthetic, batch_size: 2}
schedule: {wait: 1, warmup: 1, active: 1}
backend: {threads: 1}
plugins: [allocator_tracer, module_listener]
"""
CHECKPOINTING = ["none", "block", "{every: 2}", "{every: 1, reentrant: true}", "{select: attention}", "{every: 1, offload: true}"]
RUNS = {
    **{f"transformer, {name}, {device}": ("transformer", [f"checkpointing={name}", f"device={device}"])
       for name, device in itertools.product(CHECKPOINTING, ("cpu", "{dry: h100-80gb}"))},
    "llama": ("llama", []),
    "resnet18": ("resnet18", []),
    "resnet18, dry": ("resnet18", ["device={dry: h100-80gb}", "checkpointing=block"]),
    "accumulation": ("transformer", ["accumulation=3"]),
    "an optimizer's step within backward": ("transformer", ["optimizer.per_layer=true", "checkpointing=block"]),
    "ranks": ("transformer", ["world_size=2"]),
    "fp16, dry": ("transformer", ["precision=fp16_autocast", "device={dry: h100-80gb}"]),
}
FORWARD, BACKWARD, RECOMPUTE = range(3)
NODE = 1  # STRATA_OP_BACKWARD
NOWHERE = object()


class Range(typing.NamedTuple):
    ordinal: int
    parent: int
    direction: int
    path: str
    thread: int
    begin: int
    end: int
    step: int
    micro_batch: int
    phase: str
    phase_end: int


class Stored:
    def __init__(self, out, rank=0):
        (self.path,) = (out / f"rank{rank}").glob("*.sqlite")
        rows = self.query(
            "SELECT module.module, module.parent, direction, path, thread, module.begin_sequence, module.end_sequence, step,"
            " micro_batch, phase.name, phase.end_sequence FROM module JOIN phase ON phase.phase = module.phase"
            " ORDER BY module.begin_sequence"
        )
        self.ranges = {row[0]: Range(*row) for row in rows}
        (self.count,) = self.query("SELECT count(*) FROM host_module_begin")[0]

    def query(self, statement):
        with contextlib.closing(sqlite3.connect(self.path)) as database:
            return database.execute(statement).fetchall()

    def around(self, ordinal):
        """Return the range and those around it, innermost first."""
        while ordinal in self.ranges:
            yield self.ranges[ordinal]
            ordinal = self.ranges[ordinal].parent

    def runs_again(self, module):
        return any(outer.direction == RECOMPUTE for outer in self.around(module.ordinal))

    def passes(self, direction):
        """Return the ranges of each micro-batch; forward's without those that are recomputed."""
        passes = collections.defaultdict(list)
        for module in self.ranges.values():
            if module.direction == direction and not self.runs_again(module):
                passes[module.step, module.micro_batch].append(module)
        return passes


@pytest.fixture(params=RUNS)
def run(request, workspace):
    model, words = RUNS[request.param]
    workspace.write("run.yaml", CONFIG % MODELS[model])
    result = workspace.strata("run", "run.yaml", "--out", "out", *words, STRATA_PLUGIN_PATH=str(TEST_PLUGINS))
    assert result.returncode == 0, result.stderr
    return workspace.folder / "out", "dry" in " ".join(words)


def check_mirrored(stored, is_dry):
    assert len(stored.ranges) == stored.count, "each lies in a phase"
    forward, backward = stored.passes(FORWARD), stored.passes(BACKWARD)
    assert len(forward) >= 3 and forward.keys() == backward.keys()
    drivers = {module.thread for modules in forward.values() for module in modules}
    for key, modules in backward.items():
        last_first = sorted(forward[key], key=lambda module: -module.end)
        assert [module.path for module in modules] == [module.path for module in last_first]
        assert {module.phase for module in modules} == {"backward"}
        (thread,) = {module.thread for module in modules}
        assert (thread not in drivers) == is_dry
        for module in modules:
            assert module.begin < module.end < module.phase_end
            outer = stored.ranges.get(module.parent)
            if module.path == "":
                assert outer is None
                continue
            assert outer.direction == BACKWARD and outer.begin < module.begin and module.end < outer.end
            assert module.path.startswith(outer.path)
        siblings = collections.defaultdict(list)
        for module in modules:
            siblings[module.parent].append(module)
        for beside in siblings.values():
            assert all(one.end < next_one.begin for one, next_one in itertools.pairwise(beside))


def test_backward_is_forwards_mirror_image(run):
    out, is_dry = run
    for rank in range(len(list(out.glob("rank*")))):
        check_mirrored(Stored(out, rank), is_dry)


def test_what_runs_again_lies_within_a_backward(run):
    stored = Stored(run[0])
    for module in stored.ranges.values():
        if module.direction == RECOMPUTE:
            outer = stored.ranges[module.parent]
            assert outer.direction == BACKWARD and outer.thread == module.thread
            assert outer.path.startswith(module.path) or module.path.startswith(outer.path)


class Numbers:
    """A second way to find the layer of a backward node: autograd gives the node and the operator
    that created it the same sequence number."""

    def __init__(self, stored):
        self.rows = {}
        self.layers = {}
        made = {}
        for op, parent, kind, number, thread, module in stored.query(
            "SELECT op, parent, kind, autograd_sequence, forward_thread, module FROM allocator_tracer_op ORDER BY sequence"
        ):
            number = number - (1 << 64) if number is not None and number >= 1 << 63 else number
            self.rows[op] = parent
            if kind == NODE:
                self.layers[op] = made.get((thread, number), NOWHERE)
                self.layers[parent] = self.layers[op]  # the engine's own operator around the node
                continue
            within = next((one.path for one in stored.around(module) if one.direction == FORWARD), None)
            if number >= 0:
                made[thread, number] = within

    def layer(self, op):
        """Return the layer of the innermost node around the operator, or NOWHERE if there is none
        or no operator created it."""
        while op != 0 and op not in self.layers:
            op = self.rows[op]
        return self.layers.get(op, NOWHERE) if op else NOWHERE


def test_both_ways_find_the_same_layer(run):
    stored = Stored(run[0])
    numbers = Numbers(stored)
    compared = collections.Counter()
    for op, module in stored.query(
        "SELECT op, module FROM allocator_tracer_event JOIN phase USING (phase)"
        " WHERE phase.name = 'backward' AND action = 1 AND op != 0"
    ):
        inner = stored.ranges.get(module)
        if inner is not None and inner.direction != BACKWARD:
            continue  # recomputed: its layer is that of its own forward
        by_number = numbers.layer(op)
        if by_number is NOWHERE:
            continue  # accumulates a gradient, or is in no node
        assert (None if inner is None else inner.path) == by_number
        compared[by_number] += 1
    assert sum(compared.values()) > 100
    assert len(compared) > 10, "of many layers"


WIDE = "{size: custom, layers: 3, d_model: 256, d_ff: 512, heads: 16, vocab: 256, context: 2048}"


@pytest.mark.parametrize("checkpointing", ["block", "{every: 1, reentrant: true}"])
def test_what_runs_out_of_memory_ends_its_ranges_with_the_backward(workspace, checkpointing):
    workspace.write("run.yaml", (CONFIG % WIDE).replace("batch_size: 2", "batch_size: 32"))
    result = workspace.strata("run", "run.yaml", "--out", "out", "--dry", "a100-40gb", f"checkpointing={checkpointing}", STRATA_PLUGIN_PATH=str(TEST_PLUGINS))
    assert result.returncode == 3, result.stderr
    stored = Stored(workspace.folder / "out")
    backward = [module for module in stored.ranges.values() if module.direction == BACKWARD]
    assert len(backward) > 1
    assert {module.phase for module in backward} == {"backward"}
    assert all(module.begin < module.end < module.phase_end for module in stored.ranges.values())
