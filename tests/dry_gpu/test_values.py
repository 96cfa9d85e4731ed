# SPDX-License-Identifier: Apache-2.0
"""Values that real PyTorch reads back: the host's own, unknown ones by their reader, and the user's
answers."""

ITEM = "aten::_local_scalar_dense"


def known(value):
    return [value, {}]


def unknown(value, reader, size):
    return [value, {reader: [1, size, 0]}]


def test_what_the_host_has_uploaded_is_read_back(on_dry_gpu):
    facts = on_dry_gpu("values.py", "uploads")
    assert facts["list"] == facts["again"] == known([3, 1, 2])
    assert facts["item"] == known(1)
    assert facts["copy"] == known([3, 1, 2]), "a copy on the device"
    assert facts["pinned"] == known([3, 1, 2])
    assert facts["large"] == unknown(0.0, ITEM, 4), "more than 64 KiB are not kept"
    assert facts["after_a_sum"] == facts["after_a_kernel"] == known([4, 2, 3])
    assert facts["written"] == unknown([0, 0, 0], "aten::copy_", 24)
    assert facts["packed"] == [[6, 8], [3, 2, 1]]
    assert facts["repeated"] == [6, 8]
    assert facts["messages"] == []


def test_numbers_that_kernels_count_with_are_known(on_dry_gpu):
    facts = on_dry_gpu("values.py", "numbers")
    assert facts["steps"] == {"adam": known(2.0), "loop": known(2.0), "radam": known(2.0)}
    assert facts["batches"] == facts["counter"] == known(2)
    assert (facts["is_two"], facts["is_three"]) == (known(True), known(False))
    assert facts["total"] == known(6.0)
    assert facts["sum_of_unknown"] == unknown(0.0, ITEM, 4)


def test_nothing_is_kept_where_the_devices_say_so(on_dry_gpu):
    facts = on_dry_gpu("values.py", "uploads", contents_bytes=0)
    assert facts["list"] == unknown([0, 0, 0], "aten::copy_", 24)
    assert facts["item"] == unknown(0, ITEM, 8)


def test_unknown_reads_have_a_reader(on_dry_gpu):
    facts = on_dry_gpu("values.py", "unknown")
    assert facts["item"] == unknown(0.0, ITEM, 4)
    assert facts["nonzero"] == unknown([0, 1], "aten::nonzero", 4)
    assert facts["masked_select"] == unknown([0], "aten::nonzero", 4)
    assert facts["index"] == unknown([0], "aten::nonzero", 4)
    assert facts["tolist"] == unknown([0.0, 0.0], "aten::copy_", 8)
    assert facts["cpu"] == unknown(0.0, "aten::copy_", 4)
    assert facts["messages"] == []


def test_conditions_are_taken_to_be_met(on_dry_gpu):
    """Only two conditions are assumed true: that all values are true, and that a sum has reached a
    number above zero."""
    facts = on_dry_gpu("values.py", "conditions")
    assumed, not_known = [True, {}, 1], [*unknown(False, ITEM, 1), 0]
    for name in ("finite", "all_of_rows", "close", "sum_is_count", "sum_of_booleans"):
        assert facts[name] == assumed, name
    for name in ("any", "sum_is_zero", "sum_is_not_count", "sum_is_less", "value_is", "logical_and", "in_between"):
        assert facts[name] == not_known, name


def test_an_answer_goes_before_what_is_assumed(on_dry_gpu):
    facts = on_dry_gpu("values.py", "conditions", answers=[f"{ITEM} 1 repeat_last 00"])
    assert facts["finite"] == [False, {ITEM: [0, 0, 1]}, 0]


def test_answers_are_given_in_the_order_of_reading(on_dry_gpu):
    facts = on_dry_gpu(
        "values.py",
        "answers",
        answers=[
            f"{ITEM} 4 repeat_last 0000803f00000040",  # 1.0 and 2.0 in float32
            f"{ITEM} 8 cycle 2a00000000000000",  # 42 in int64
            f"{ITEM} 1 repeat_last 01",  # true in bool
            "aten::nonzero 4 unknown 11000000",  # 17 in int32, once
        ],
    )
    answered = {ITEM: [0, 0, 1]}
    assert facts["items"] == [[1.0, answered], [2.0, answered], [2.0, answered], [2.0, answered]]
    assert facts["count"] == [42, answered]
    assert facts["nonzero"] == [[17, 1], {"aten::nonzero": [0, 0, 1]}]
    assert facts["index"] == unknown([0], "aten::nonzero", 4)
    # The device computes two values: that no repeat is negative, and their sum.
    assert facts["repeated"] == [[42], {ITEM: [0, 0, 2]}]
    assert facts["uploaded"] == known(5.0), "what is known needs no answer"
    assert facts["tolist"] == unknown([0.0, 0.0], "aten::copy_", 8)
    assert facts["messages"] == []
