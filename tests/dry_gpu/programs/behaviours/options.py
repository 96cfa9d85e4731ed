# SPDX-License-Identifier: Apache-2.0
"""Settings of the allocator, made at run time and through the environment."""

import os

import torch
from behaviour import MIB, perform, raises


def settings(text):
    torch.cuda.memory._set_allocator_settings(text)


def allow(mib):
    """Allow the process this much more memory than it has now."""
    total = torch.cuda.mem_get_info()[1]
    torch.cuda.set_per_process_memory_fraction((mib * MIB + torch.cuda.memory_reserved()) / total)


def ones(mib):
    return torch.ones(mib * MIB, dtype=torch.int8, device="cuda")


def cached_blocks_of_both_kinds_are_released_under_a_split_limit():
    torch.cuda.init()
    allow(120)
    kept = []
    for expandable in (False, True, False):
        settings(f"expandable_segments:{expandable},max_split_size_mb:40")
        kept.append(ones(40))
    assert [segment["is_expandable"] for segment in torch.cuda.memory_snapshot()].count(True) == 1
    with raises(torch.OutOfMemoryError):
        ones(40)
    kept.clear()
    whole = ones(120)
    assert torch.cuda.memory_reserved() == whole.nbytes


def garbage_is_collected_beside_an_expandable_segment():
    torch.cuda.init()
    allow(120)
    settings("expandable_segments:False,garbage_collection_threshold:0.5")
    first = ones(40)
    settings("expandable_segments:True,garbage_collection_threshold:0.5")
    second = ones(40)
    del first, second
    third = ones(80)
    assert torch.cuda.memory_allocated() == third.nbytes
    assert torch.cuda.memory_stats()["num_ooms"] == 0
    assert torch.cuda.memory_reserved() == third.nbytes, "what only filled the cache is gone"


def _taken_by(count, name="active_bytes.all.allocated"):
    before = torch.cuda.memory_stats()[name]
    kept = torch.rand(count, device="cuda")
    return torch.cuda.memory_stats()[name] - before, kept


def sizes_round_up_as_told_and_settings_replace_each_other():
    torch.cuda.init()
    count, bytes = 21 * MIB, 84 * MIB
    kept = []

    def taken(count, name="active_bytes.all.allocated"):
        amount, tensor = _taken_by(count, name)
        kept.append(tensor)
        return amount

    settings("")
    assert taken(count) == bytes
    settings("roundup_power2_divisions:4")
    assert taken(count) == 96 * MIB, "64 MiB and its half"
    assert taken(count, "requested_bytes.all.allocated") == bytes
    settings("garbage_collection_threshold:0.5,max_split_size_mb:40")
    torch.cuda.empty_cache()
    assert taken(count) == bytes
    settings("garbage_collection_threshold:0.5,roundup_power2_divisions:[64:8,128:2,256:2,512:2,1024:1,>:1]")
    assert taken(count) == 88 * MIB, "an eighth of 64 MiB at a time"
    assert taken(100 * MIB) == 512 * MIB, "half of 256 MiB at a time"
    settings("release_lock_on_cudamalloc:True")
    torch.cuda.empty_cache()
    assert taken(count) == bytes


def settings_that_mean_nothing_are_refused():
    for text in (
        "foo:1,bar:2",
        "garbage_collection_threshold:1.2",
        "max_split_size_mb:2",
        "release_lock_on_cudamalloc:none",
        "pinned_use_cuda_host_register:none",
        "pinned_num_register_threads:none",
        "pinned_num_register_threads:1024",
    ):
        with raises(ValueError):
            torch._C._accelerator_setAllocatorSettings(text)


def the_environment_may_set_the_fraction():
    os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "per_process_memory_fraction:0.5"
    torch.cuda.init()
    assert torch.cuda.get_per_process_memory_fraction() == 0.5
    half = torch.cuda.mem_get_info()[1] // 2
    with raises(torch.OutOfMemoryError, "39.59 GiB allowed"):
        torch.empty(half + 2 * MIB, dtype=torch.int8, device="cuda")


def the_environment_cannot_set_a_fraction_beyond_one():
    os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "per_process_memory_fraction:1.1"
    with raises((RuntimeError, ValueError), "per_process_memory_fraction is invalid"):
        torch.empty(1, device="cuda")


if __name__ == "__main__":
    perform(globals())
