# SPDX-License-Identifier: Apache-2.0
"""Behaviours that PyTorch's own tests check on a card, run on a simulated GPU:
tests/dry_gpu/UPSTREAM.md."""

import ast
import pathlib

import pytest

FOLDER = pathlib.Path(__file__).parent / "programs/behaviours"

# Parts of behaviours that hold on a card and not here, with the reason. A listed part must fail,
# and no other may. Parts that check whether `all()` of a tensor is true pass anyway:
# docs/decisions/030-conditions-are-met.md.
VALUE = "a kernel computes it, and values are not known"
TIME = "work is done as soon as it is submitted"
FALLS_SHORT = {
    "checkpoints.tensors_made_of_addresses_can_own_their_blocks_again": {"the sums": VALUE},
    "devices.a_value_that_must_be_true_is_checked_on_the_device": {"the assertion": VALUE},
    "graph_pools.a_later_graph_of_a_pool_uses_what_an_earlier_one_freed": {"the sums": VALUE},
    "graph_pools.results_outlive_their_graph": {"the result": VALUE},
    "graph_pools.successive_graphs_share_a_pool_when_reported": {"the sums": VALUE},
    "graphs.a_capture_keeps_each_operation": {"the sum": VALUE},
    "pinned.a_copy_to_the_other_device_holds_the_memory_too": {"the copy is under way": TIME},
    "pinned.a_copy_without_waiting_gives_pinned_memory": {"the copy is under way": TIME},
    "pinned.freed_memory_is_used_again_but_not_while_it_is_copied": {"the copy is under way": TIME},
    "snapshots.the_profiler_tells_allocations_of_the_device": {"a kernel is a row of the profile": TIME},
    "stream_ordered.a_graph_allocates_and_replays": {"the sum": VALUE},
    "streams.a_block_is_not_used_again_before_its_stream_is_done": {"work takes time": TIME},
    "streams.a_stream_may_wait_for_the_other_device": {"work takes time": TIME},
    "streams.a_view_records_for_the_whole_block": {"work takes time": TIME},
    "streams.an_event_is_complete_when_its_work_is": {"work takes time": TIME},
    "streams.the_other_device_is_busy_and_this_one_is_not": {"work takes time": TIME},
}

# Calls of a behaviour that are rejected and that it can do without.
REFUSED = {"snapshots.the_profiler_tells_allocations_of_the_device": ["cuptiSubscribe"]}  # has no modelled clock


def words_of(function, name):
    """Return the keywords of the decorator `name` on a function, or None if it does not have it."""
    for decorator in function.decorator_list:
        if getattr(decorator, "id", None) == name:
            return {}
        if isinstance(decorator, ast.Call) and decorator.func.id == name:
            return {word.arg: eval(ast.unparse(word.value), {}) for word in decorator.keywords}
    return None


def behaviours(programs):
    for program in programs:
        for function in ast.parse((FOLDER / f"{program}.py").read_text()).body:
            if not isinstance(function, ast.FunctionDef) or function.name.startswith("_") or function.args.args:
                continue
            card = words_of(function, "card") or {}
            name = f"{program}.{function.name}"
            yield pytest.param(program, function.name, (), card, id=name)
            if words_of(function, "also_on_expandable_segments") is not None:
                yield pytest.param(program, function.name, ("expandable",), card, id=f"{name}[expandable]")


def check(program, name, result):
    expected = FALLS_SHORT.get(f"{program}.{name}", {})
    unexpected = {part: what for part, what in result["fell_short"].items() if part not in expected}
    assert unexpected == {}
    assert set(expected) - set(result["fell_short"]) == set(), "listed as falling short, and holds"
    refused = sorted(message.removeprefix("strata dry gpu: ").split()[0] for message in result["messages"])
    assert refused == REFUSED.get(f"{program}.{name}", []), result["messages"]


STREAM_ORDERED, FIRST_USE = "stream_ordered", "first_use"  # these need their own server
PROGRAMS = sorted(
    path.stem for path in FOLDER.glob("*.py") if path.stem not in ("behaviour", STREAM_ORDERED, FIRST_USE)
)
CASES = ("program", "name", "words", "card")


@pytest.mark.parametrize(CASES, [*behaviours(PROGRAMS)])
def test_behaviour(on_dry_gpu, program, name, words, card):
    check(program, name, on_dry_gpu(f"behaviours/{program}.py", name, *words, **card))


class TestOnTheStreamOrderedAllocator:
    """libtorch chooses its allocator when it is loaded."""

    @pytest.fixture(scope="class")
    @classmethod
    def server(cls, serve):
        with serve("torch._dynamo", PYTORCH_CUDA_ALLOC_CONF="backend:cudaMallocAsync") as process:
            yield process

    @pytest.mark.parametrize(CASES, [*behaviours([STREAM_ORDERED])])
    def test_behaviour(self, on_dry_gpu, program, name, words, card):
        check(program, name, on_dry_gpu(f"behaviours/{program}.py", name, *words, **card))


class TestFirstUse:
    """Run in a process that has imported only torch."""

    @pytest.fixture(scope="class")
    @classmethod
    def server(cls, serve):
        with serve() as process:
            yield process

    @pytest.mark.parametrize(CASES, [*behaviours([FIRST_USE])])
    def test_behaviour(self, on_dry_gpu, program, name, words, card):
        check(program, name, on_dry_gpu(f"behaviours/{program}.py", name, *words, **card))


def test_what_is_listed_is_there():
    names = {"{}.{}".format(*each.values[:2]) for each in behaviours([*PROGRAMS, STREAM_ORDERED, FIRST_USE])}
    assert (set(FALLS_SHORT) | set(REFUSED)) - names == set()
