# SPDX-License-Identifier: Apache-2.0
"""Real PyTorch, its own allocator and dispatch, on a simulated GPU."""

import pytest

MIB = 1 << 20


@pytest.fixture
def facts(on_dry_gpu):
    return on_dry_gpu("allocator.py", memory_bytes=4 << 30)


def test_the_allocator_does_what_its_constants_say(facts):
    assert facts["name"] == "NVIDIA H100 80GB HBM3"
    assert facts["devices"] == 1
    assert facts["context"] == 545_259_520

    # CUDACachingAllocator rounds sizes to 512 bytes. Up to 1 MiB, blocks come from segments of 2
    # MiB; below 10 MiB, from segments of 20 MiB. A larger block has its own segment, rounded to 2
    # MiB. A rest of at most 1 MiB is not split off a large block, and counts as allocated.
    assert facts["sizes"] == {
        "1": [512, 2 * MIB],
        "512": [512, 2 * MIB],
        "513": [1024, 2 * MIB],
        str(MIB): [MIB, 2 * MIB],
        str(MIB + 1): [MIB + 512, 20 * MIB],
        str(10 * MIB): [10 * MIB, 10 * MIB],
        str(10 * MIB + 1): [10 * MIB + 512, 12 * MIB],
        str(11 * MIB + 1): [12 * MIB, 12 * MIB],
    }
    # 8 x 8 floats, and cuBLAS's workspace of 32 MiB on this architecture.
    assert facts["first_product"] == [512 + 32 * MIB, 32 * MIB]
    assert facts["item"] == 0.0, "values are not known"
    assert facts["capture"] == {"pools": 2, "bytes": 4 * MIB}

    # 4 GiB minus the context leave 3576 MiB: 13 blocks of 256 MiB, besides small blocks.
    memory = facts["out_of_memory"]
    assert memory["blocks"] == 13
    assert memory["message"].startswith("CUDA out of memory. Tried to allocate 256.00 MiB. GPU 0 has a total capacity of 4.00 GiB")
    assert (memory["ooms"], memory["retries"]) == (1, 1)
    assert memory["then"] == 1024 * MIB, "what is free in the cache is given back to make room"
    assert memory["retries_then"] == 2

    harmless = ("cufile", "nvshmem", "nvrtc-builtins")  # these make no device calls
    assert [path for path in facts["mapped"] if not any(name in path for name in harmless)] == []
    assert facts["messages"] == [], "nothing that these cases need is refused"


def test_the_workspace_of_cublas_is_by_architecture(on_dry_gpu):
    facts = on_dry_gpu("allocator.py", compute_major=8, name="NVIDIA A100-SXM4-40GB", memory_bytes=4 << 30)
    # ATen: twice 4096 KiB and eight times 16 KiB.
    workspace = 2 * 4096 * 1024 + 8 * 16 * 1024
    assert facts["first_product"][0] == 512 + workspace


def test_a_step_of_3_4_billion_parameters(on_dry_gpu):
    facts = on_dry_gpu("large_step.py")
    assert facts["parameters"] == 3_406_809_600
    allocated, reserved = facts["peaks"][2]
    assert (allocated / MIB, reserved / MIB) == (62656.1513671875, 64708.0)
    assert facts["messages"] == []


def test_the_event_stream_is_the_same_in_every_run(on_dry_gpu):
    runs = [on_dry_gpu("event_stream.py") for _ in range(3)]
    assert runs[0]["events"] > 500
    assert runs[0] == runs[1] == runs[2]


def test_kernels_are_compiled_with_what_lies_beside_torch(on_dry_gpu):
    (builtins,) = on_dry_gpu("compiled_kernel.py")["builtins"]
    assert "/site-packages/nvidia/cu13/lib/" in builtins, "not with those of a toolkit, which not every machine has"
