# SPDX-License-Identifier: Apache-2.0
"""Every option of PYTORCH_CUDA_ALLOC_CONF, with a case that it changes: the memory held with it and
without, calculated by hand.

The numbers follow from the allocator's constants (c10/cuda/CUDACachingAllocator.cpp,
c10/core/AllocatorConfig.h). tests/integration/test_exec.py tests cudaMallocAsync, which must be
chosen before torch is imported.
"""

import pytest


@pytest.fixture
def case(on_dry_gpu):
    def run(name, options=""):
        environment = {"PYTORCH_CUDA_ALLOC_CONF": options}
        result = on_dry_gpu("allocator_options.py", name, environment=environment, memory_bytes=4 << 30)
        assert result["messages"] == []
        assert all(result["segments"]) or "expandable" not in options
        return result["facts"]

    return run


def test_max_split_size_keeps_large_blocks_whole(case):
    # 100 is split off the 300, and so is 250. 290 leaves a rest of more than 1 MiB, which is split
    # off too.
    assert case("split") == [[100, 300], [290, 300], [250, 300]]
    # Blocks of this size cannot be split: 100 does not use the cached block. 290 uses all of it
    # (300 is less than 20 MiB more). 250 does not.
    assert case("split", "max_split_size_mb:128") == [[100, 400], [300, 300], [250, 550]]
    # 250 may waste up to 100.
    assert case("split", "max_split_size_mb:128,max_non_split_rounding_mb:100") == [[100, 400], [300, 300], [300, 300]]


def test_sizes_are_rounded_up_by_powers_of_two(case):
    # Below 10 MiB segments have 20 MiB, above they have the block's size in steps of 2 MiB. A rest
    # of at most 1 MiB is not split off.
    assert case("sizes") == [[pytest.approx(1.1, abs=0.001), 20], [pytest.approx(1.6, abs=0.001), 20], [12, 12], [150, 150]]
    # Steps of a quarter of the next lower power of two: 1.25 and 1.75; 12 of 8; 160 of 128.
    assert case("sizes", "roundup_power2_divisions:4") == [[1.25, 20], [1.75, 20], [12, 12], [160, 160]]
    # From 64 MiB on, steps of a half: 192.
    assert case("sizes", "roundup_power2_divisions:[32:4,64:2,>:2]") == [[1.25, 20], [1.75, 20], [12, 12], [192, 192]]


def test_expandable_segments_are_mapped_in_pages_of_20_mib(case):
    # 11 MiB need 12, and one page of 20 is mapped; 150 MiB need 8 pages.
    facts = case("sizes", "expandable_segments:True")
    assert facts[2:] == [[11, 20], [150, 160]]


def test_a_collection_frees_before_the_device_is_full(case):
    # 1,792 MiB are cached, and 300 more do not fit into 2,048, so all free memory is returned.
    assert case("garbage") == {"held": [300, 300], "retries": 1, "blocks": 300}
    # Above half, 1,024 MiB, the oldest blocks are freed until the rest is below that, without a
    # retry.
    facts = case("garbage", "garbage_collection_threshold:0.5")
    assert facts["retries"] == 0
    assert facts["held"][0] == 300


def test_a_process_may_be_given_a_fraction(case):
    whole, half = case("full"), case("full", "per_process_memory_fraction:0.5")
    assert (whole["blocks"], half["blocks"]) == (13, 8)
    assert "2.00 GiB allowed" in half["message"]


@pytest.mark.parametrize(
    "options",
    [
        "",
        "pinned_use_cuda_host_register:True",
        "pinned_use_cuda_host_register:True,pinned_num_register_threads:4",
        "pinned_use_background_threads:True",
    ],
)
def test_pinned_memory(case, options):
    assert case("pinned", options) == {"pinned": [True, True, True], "held": 5.25, "from_cuda": 3}


def test_pinned_memory_from_a_reserved_segment(case):
    facts = case("pinned", "pinned_reserve_segment_size_mb:16")
    assert facts == {"pinned": [True, True, True], "held": 5.25, "from_cuda": 3}


def test_a_capture_may_reuse_what_another_stream_is_done_with(case):
    # Besides the input, the graph keeps the random seed and offset: twice 512 bytes, in a segment
    # of 2 MiB.
    kept = 32 + 2 * 512 / (1 << 20)
    # A block that another stream used and that is freed during a capture waits for its end: three
    # blocks of 32.
    assert case("capture") == [kept, 32 + 2 + 3 * 32]
    # The graph itself shows that the streams have joined, so one block serves three times.
    assert case("capture", "graph_capture_record_stream_reuse:True") == [kept, 32 + 2 + 32]


@pytest.mark.parametrize("options", ["release_lock_on_cudamalloc:True"])
def test_options_that_move_no_block(case, options):
    assert case("sizes", options) == case("sizes")


def test_large_segments_may_be_larger(case):
    assert case("sizes", "large_segment_size_mb:64")[0][1] == 64
