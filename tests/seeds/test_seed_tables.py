# SPDX-License-Identifier: Apache-2.0
"""Helpers of the pages' tables: readable numbers, and the comparison of tables."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/seeds"))

from allocations import alike, detail, folded  # noqa: E402
from comparison import agree  # noqa: E402
from document import Block  # noqa: E402
from tables import difference, mib, table  # noqa: E402


def test_sizes_and_differences():
    assert mib(1_916_697_600) == "1,827.9"
    assert difference(1822.32, 1827.91, 2) == "-5.59"
    assert difference(1000.04, 1.0) == "+999.0"
    assert difference(1.04, 1.0) == difference(1.0, 1.04) == "0.0"  # neither -0.0 nor +0.0


def test_columns_of_numbers_are_set_to_the_right():
    assert table(["a", "b"], [["x", "1,000.5"], [2, "-3.0"]]).splitlines() == [
        "| a | b |",
        "| --- | ---: |",
        "| x | 1,000.5 |",
        "| 2 | -3.0 |",
    ]


def block(size, module=""):
    return {"bytes": str(size), "category": "Temporary", "op": "aten::div", "module": module}


def test_detail_is_by_number_and_keeps_what_is_as_large():
    small = [block(1)] * 17
    assert len(detail([block(9), block(8), *small, block(8)], 0.1)) == 3  # two of twenty, and one as large as the 2nd
    assert len(detail([block(9)], 0.1)) == 1
    assert folded("layers.12.ffn") == "layers.N.ffn"
    assert alike([block(9, "layers.1"), block(9, "layers.2")]) == [((9, "Temporary", "aten::div", "layers.N"), 2)]


@pytest.mark.parametrize(
    ("measured", "near", "made", "same"),
    [
        (False, False, "| a | 100.0 |", True),
        (False, False, "| a | 100.1 |", False),
        (False, True, "| a | 101.0 |", True),
        (False, True, "| a | 120.0 |", False),
        (True, False, "| a | 120.0 |", True),
        (True, False, "| b | 100.0 |", False),
        (True, True, "| a | 100.0 |\n| b | 1.0 |", False),
    ],
)
def test_what_counts_as_the_same(measured, near, made, same):
    assert agree(Block(None, measured, near, False), "| a | 100.0 |", made) == same


def test_what_varies_of_a_profilers_table():
    block = Block(None, False, True, False)
    kept = "\n".join(
        [
            "| mean | torch.profiler again | 223.7 |",
            "| median | torch.profiler again | 44.4 |",
            "| max | torch.profiler again | 1,271.5 |",
            "| median | **Strata** | 10.0 |",
        ]
    )
    assert agree(block, kept, kept.replace("44.4", "81.1"))
    assert agree(block, kept, kept.replace("223.7", "230.1"))
    assert not agree(block, kept, kept.replace("223.7", "240.0"))
    assert not agree(block, kept, kept.replace("1,271.5", "1,240.0"))
    assert not agree(block, kept, kept.replace("10.0", "10.1"))
