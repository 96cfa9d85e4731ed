# SPDX-License-Identifier: Apache-2.0
"""The host's peaks compared with the same training in Python, with transformers' models and
torch.optim, on the same device that computes nothing: equal to the byte, except for the differences
that cases.py explains.

Both use expandable segments, whose blocks are as large as their tensors. With its default settings
the allocator may hand out a free block that is up to 1 MiB too large, so the allocated bytes also
depend on which blocks were freed before, and in which order. With those settings the tensors' own
bytes are compared.
"""

import contextlib
import json
import os
import pathlib
import sqlite3
import subprocess
import sys

import pytest
import torch
from cases import CASES, EXPLAINED, ONE_OF_EACH_KIND, explained, is_quick, steps_of, yaml_of
from course_model import Transformer

HERE = pathlib.Path(__file__).parent
REPOSITORY = HERE.parents[2]
STRATA = os.environ.get("STRATA") or str(REPOSITORY / "build/release/bin/strata")
CARD = "h100-80gb"
EXACT_BLOCKS = "expandable_segments:True"
DEFAULT_BLOCKS = "expandable_segments:False"

# The tracer's constants of strata/ext/memory.h: 1 is an allocation, and 2 a free that the program
# requested. Device type 2 is CUDA.
TENSOR_BYTES = """
SELECT event.sequence, CASE event.action WHEN 1 THEN event.bytes ELSE -event.bytes END
FROM allocator_tracer_event AS event WHERE event.device_type = 2 AND event.action IN (1, 2) ORDER BY event.sequence
"""


@pytest.fixture(scope="module")
def python_peaks(conversation):
    """A function that returns train.py's result for a case, with these allocator options."""
    with conversation(STRATA, "exec", "--plugins", "none", "--dry", CARD, "--", sys.executable, HERE / "train.py") as ask:
        yield lambda case, allocator: ask({**case, "allocator": allocator})


@pytest.fixture
def host_run(tmp_path):
    """A function that returns the summary of the host's run of a case, with these allocator
    options."""

    def run(case, allocator):
        (tmp_path / "case.yaml").write_text(yaml_of(case))
        result = subprocess.run(
            [STRATA, "run", "case.yaml", "--dry", CARD, "--out", "out", "--json"],
            cwd=tmp_path,
            env={**os.environ, "PYTORCH_ALLOC_CONF": allocator},
            capture_output=True,
            text=True,
        )
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout)

    return run


def tensor_peak(folder):
    """Return the peak of the bytes that tensors requested in the last step."""
    (store,) = (folder / "out/rank0").glob("*.sqlite")
    with contextlib.closing(sqlite3.connect(store)) as database:
        ((begin, end),) = database.execute("SELECT begin_sequence, end_sequence FROM step ORDER BY step DESC LIMIT 1")
        alive = peak = 0
        for sequence, change in database.execute(TENSOR_BYTES):
            alive += change
            if begin <= sequence < end:
                peak = max(peak, alive)
    return peak


def each_case(is_ordinary, names=tuple(CASES)):
    """Parametrize with the cases; those that are not ordinary run with the long tests."""
    marked = [pytest.param(name, marks=[] if is_ordinary(name) else pytest.mark.long) for name in names]
    return pytest.mark.parametrize("name", marked)


@each_case(is_quick)
def test_peaks_are_equal_but_for_what_is_explained(host_run, python_peaks, name):
    case = CASES[name]
    summary = host_run(case, EXACT_BLOCKS)
    python = python_peaks(case, EXACT_BLOCKS)
    steps = [step["peak_allocated_bytes"] for step in summary["steps"]]
    assert (len(steps), len(python["allocated"])) == (steps_of(case), 3)
    # The first step is not equal: the host's optimizer creates the states of the parameters one
    # after the other.
    difference = sum(part.allocated_bytes for part in explained(case))
    settled = 1 if case["ranks"] == 1 else 2
    assert [peak + difference for peak in steps[settled - 3 :]] == python["allocated"][settled:]
    assert summary["peak"]["allocated_bytes"] == max(steps[1:])


# The other variants allocate nothing that these do not; their peaks are compared above.
@each_case(
    lambda name: is_quick(name) and name.endswith("plain"),
    [name for name in CASES if name.split(", ", 1)[1] in ONE_OF_EACH_KIND],
)
def test_tensors_are_the_same_in_blocks_of_the_default_allocator(host_run, python_peaks, tmp_path, name):
    case = CASES[name]
    summary = host_run(case, DEFAULT_BLOCKS)
    python = python_peaks(case, DEFAULT_BLOCKS)
    peak = tensor_peak(tmp_path)
    assert peak + sum(part.bytes for part in explained(case)) == python["requested"][-1]
    # Blocks are slightly larger than their tensors.
    assert peak < summary["steps"][-1]["peak_allocated_bytes"] < 1.05 * peak
    assert python["requested"][-1] < python["allocated"][-1] < 1.05 * python["requested"][-1]


def test_every_explanation_is_of_some_case():
    used = [part for case in CASES.values() for part in explained(case)]
    assert all(part in used for part in EXPLAINED)


def test_the_courses_model_computes_what_the_other_peer_does(monkeypatch):
    monkeypatch.syspath_prepend(HERE.parent / "transformer")
    import cs336_transformer

    torch.manual_seed(1)
    sizes = {"vocab": 50, "context": 9, "d_model": 16, "d_ff": 24, "layers": 2, "heads": 2}
    peer = cs336_transformer.Transformer(cs336_transformer.Sizes(**sizes))
    tokens = torch.randint(50, (3, 9))
    for is_naive in (True, False):
        model = Transformer(**sizes, is_naive=is_naive)
        model.load_state_dict(peer.state_dict())
        torch.testing.assert_close(model(tokens), peer(tokens))
