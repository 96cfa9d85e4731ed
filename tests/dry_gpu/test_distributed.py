# SPDX-License-Identifier: Apache-2.0
"""torch.distributed over NCCL in one process: rank 0 of many, whose peers do not exist."""

import pathlib

import pytest

MIB = 1 << 20
REPOSITORY = pathlib.Path(__file__).parents[2]

# 8 blocks of a LayerNorm, 2048 -> 8192 and back, each with its bias.
BLOCK = [2048, 2048, 2048 * 8192, 8192, 8192 * 2048, 2048]
PARAMETERS = 8 * sum(BLOCK)


# The batch of 16 x 256 x 2048 floats; cuBLAS's workspaces of forward's and of backward's thread;
# and the workspace of cuBLASLt, which adds the bias.
BESIDE = 32 * MIB + 2 * 32 * MIB + MIB


@pytest.fixture(scope="module")
def server(serve):
    with serve("torch._dynamo", "torch.distributed.fsdp", "torch.nn.parallel", "torch.distributed.device_mesh") as process:
        yield process


@pytest.fixture(scope="module")
def first_runs():
    return {}


@pytest.fixture
def first_run(on_dry_gpu, first_runs):
    """A function that returns the output of the first run with that world and form; imports take
    most of a run's time."""

    def run(world, form):
        if (world, form) not in first_runs:
            first_runs[world, form] = on_dry_gpu("one_of_many.py", str(world), form)
        return first_runs[world, form]

    return run


def rounded(bytes_):
    return -(-bytes_ // 512) * 512


@pytest.mark.parametrize(("world", "peak"), [(8, 2561.5), (64, 2225.4)])
def test_fsdp2_keeps_a_share_of_everything(first_run, world, peak):
    facts = first_run(world, "fsdp2")
    assert facts["parameters"] == PARAMETERS == 268_550_144
    shares = 8 * sum(rounded(4 * elements // world) for elements in BLOCK)
    assert facts["allocated"] == 3 * shares + BESIDE, "parameters and both moments, each parameter on its own"
    assert round(facts["peak"] / MIB, 1) == peak
    assert facts["messages"] == []


def test_fsdp1_keeps_a_share_of_each_block(first_run):
    facts = first_run(64, "fsdp1")
    shares = 8 * rounded(4 * sum(BLOCK) // 64)
    assert facts["allocated"] == 3 * shares + BESIDE, "parameters and both moments, a block in one piece"
    assert facts["messages"] == []


# PyTorch's test_fully_shard_memory.py limits this forward to the shards, all gathered parameters
# and one block that is being gathered: 172 MB with its 16 MB for everything else. The actual peak
# is 190 MB. The limit counts one block too few, and its test does not notice because it starts from
# a peak. FSDP gathers a block while it still holds the previous one (`all_gather_state`), and
# `wait_for_unshard` keeps a variable for that one until it returns, after it has created the
# block's own parameters.
@pytest.mark.parametrize(("form", "unsharded_blocks"), [("keep", 3), ("reshard", 1)])
def test_fsdp2_holds_two_gathered_blocks_beside_what_it_copies_out(on_dry_gpu, form, unsharded_blocks):
    facts = on_dry_gpu("fsdp_memory.py", form)
    block, rest = facts["block"], facts["all"] - 3 * facts["block"]
    assert block == 4 * (4 * 768 * 768 + 2 * 768 * 3072 + 3072 + 768 + 4 * 768)
    assert facts["alive"]["foreach_all_gather"] == [2 * block, 2]
    assert facts["alive"]["init_all_gather_outputs"][0] == unsharded_blocks * block + rest
    if form == "keep":
        seen = facts["shards"] + sum(bytes_ for bytes_, _ in facts["alive"].values())
        bound = facts["shards"] + facts["all"] + block + 16_000_000
        assert seen > bound
    assert facts["messages"] == []


# DDP compares its parameters' shapes across all ranks: it reads back what they broadcast.
def test_ddp_keeps_all_and_gradients_in_buckets(first_run):
    facts = first_run(64, "ddp")
    whole = 8 * sum(rounded(4 * elements) for elements in BLOCK)
    assert facts["allocated"] == 4 * whole + BESIDE, "parameters, both moments and the buckets"
    assert facts["peak"] == 6 * whole + BESIDE, "these, the gradients, and what AdamW computes for all at once"
    assert facts["messages"] == []


@pytest.mark.parametrize("form", ["fsdp1", "fsdp2", "ddp"])
def test_every_run_has_the_same_events(on_dry_gpu, first_run, form):
    assert on_dry_gpu("one_of_many.py", "64", form) == first_run(64, form)


def test_collectives_have_the_shapes_that_their_ranks_give_them(on_dry_gpu):
    facts = on_dry_gpu("collectives.py")
    assert (facts["world"], facts["rank"]) == (64, 0)
    assert facts["all_gather"] == [[64 * 6, 5], [[6, 5], [6, 5]]]
    assert facts["reduce_scatter"] == [6, 5]
    assert facts["all_to_all"] == [[64, 7], [sum((rank + 2) % 3 for rank in range(64)), 7]]
    assert facts["groups"] == [4, [0, 0], 8]
    assert facts["kept"] == 0, "nothing of a transfer that is over"
    assert facts["completed"]
    assert "No backend type associated with device type cpu" in facts["errors"]["on the host"]
    assert "output tensor size must be equal to world_size times input tensor size" in facts["errors"]["too small"]
    assert facts["messages"] == []


def test_a_communicator_takes_what_it_is_said_to(on_dry_gpu):
    before, beside, after = on_dry_gpu("communicator_memory.py")["free"]
    assert before == beside == after
    before, beside, after = on_dry_gpu("communicator_memory.py", nccl_memory_bytes=600 * MIB)["free"]
    assert (before - beside, before - after) == (600 * MIB, 0)

