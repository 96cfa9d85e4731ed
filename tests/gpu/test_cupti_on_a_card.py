# SPDX-License-Identifier: Apache-2.0
"""CUPTI's records of a training step: every launch has its kernel, in order and within its step,
and every kernel its operator.

On an H200 the first run had 1,352 kernels, and the runtime launched 1,331 of them: libraries
launched the others with the driver's own functions. Without a card the test uses the dry GPU, which
launches products of 16 bits in the same way.
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

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
STRATA = pathlib.Path(os.environ.get("STRATA") or REPOSITORY / "build/release/bin/strata")
WRITER = STRATA.parents[1] / "tests/sources_cupti/plugins/activity_writer.so"
RUN = f"""\
model: {{name: gpt2, size: custom, layers: 2, d_model: 64, d_ff: 128, heads: 2, vocab: 256, context: 32}}
data: {{source: synthetic, batch_size: 2}}
schedule: {{wait: 0, warmup: 1, active: 2}}
plugins: [{WRITER}]
"""
ON_A_CARD = pytest.param("card", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU, this machine has none"))
DEVICES = [ON_A_CARD, "dry"]
OF_THE_DRIVER = 0x102  # STRATA_API_DRIVER | STRATA_API_LAUNCHES


@pytest.fixture(scope="module", params=DEVICES)
def recorded(request, tmp_path_factory):
    is_dry = request.param == "dry"
    folder = tmp_path_factory.mktemp("cupti")
    (folder / "run.yaml").write_text(RUN)
    device = ["device={dry: h200, clock: modelled}", "precision=bf16_autocast"] if is_dry else ["device=cuda"]
    result = subprocess.run([STRATA, "run", "run.yaml", "--out", "out", *device], cwd=folder, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    sources = json.loads((folder / "out/manifest.json").read_text())["sources"]
    (source,) = [source for source in sources if source["id"] == "cupti"]
    assert source["status"] == "ok", source["reason"]
    (store,) = (folder / "out/rank0").glob("*.sqlite")
    with contextlib.closing(sqlite3.connect(store)) as database:
        database.row_factory = sqlite3.Row
        yield database


def test_nothing_is_missing(recorded, request):
    (row,) = recorded.execute("SELECT c.*, string.text AS refused FROM cupti_capture AS c JOIN string ON string.id = c.refused_kinds")
    assert row["regime"] in (1, 2)
    assert row["launches"] == row["answered_launches"] > 100
    assert row["kernels"] == row["launches"], "no graph is launched"
    for count in ("dropped", "without_times", "without_call", "lost_origins", "broken_buffers", "other_records"):
        assert row[count] == 0, count
    assert row["refused"] == ""
    assert row["modelled"] == ("dry" in request.node.callspec.id)
    assert row["clock_uncertainty_ns"] < 100_000


def test_kernels_that_libraries_launch_by_the_driver_have_their_op_phase_and_layer(recorded):
    kernels = recorded.execute(
        "SELECT kernel.op, kernel.phase, kernel.module FROM activity_writer_activity AS kernel"
        " JOIN activity_writer_activity AS call ON call.correlation = kernel.correlation AND call.kind = 5"
        " WHERE kernel.kind = 1 AND call.detail = ?",
        (OF_THE_DRIVER,),
    ).fetchall()
    assert kernels
    assert all(kernel["op"] != 0 and kernel["phase"] != 0 for kernel in kernels)
    assert any(kernel["module"] != 0 for kernel in kernels)


def test_kernels_have_names_and_follow_each_other_in_their_stream_within_the_window(recorded):
    kernels = recorded.execute(
        "SELECT a.begin_ns, a.end_ns, a.op, a.phase, string.text AS name FROM activity_writer_activity AS a"
        " JOIN string ON string.id = a.name WHERE kind = 1 ORDER BY a.begin_ns"
    ).fetchall()
    ((begin_ns, end_ns),) = recorded.execute("SELECT min(begin_ns), max(end_ns) FROM step WHERE step >= 1").fetchall()
    slack_ns = 1_000_000  # the last kernels may end after the host's step
    assert begin_ns - 100_000 <= kernels[0]["begin_ns"]
    assert kernels[-1]["end_ns"] <= end_ns + 100 * slack_ns
    assert all(kernel["end_ns"] > kernel["begin_ns"] for kernel in kernels)
    products = ("gemm", "matmul", "cutlass", "nvjet")
    assert any(product in kernel["name"].lower() for product in products for kernel in kernels)
    assert not any(kernel["name"].startswith("_Z") for kernel in kernels)
    assert all(kernel["op"] != 0 and kernel["phase"] != 0 for kernel in kernels)


def test_a_kernel_begins_after_its_launch(recorded):
    pairs = recorded.execute(
        "SELECT call.begin_ns AS called_ns, kernel.begin_ns FROM activity_writer_activity AS kernel"
        " JOIN activity_writer_activity AS call ON call.correlation = kernel.correlation AND call.kind = 5"
        " WHERE kernel.kind = 1"
    ).fetchall()
    assert pairs
    tolerance_ns = 100_000  # for converting one clock to the other
    assert all(begin_ns >= called_ns - tolerance_ns for called_ns, begin_ns in pairs)


PROGRAM = """
import torch
model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 64)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(4):
    model(torch.randn(32, 64, device="cuda")).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
"""


@pytest.mark.parametrize("device", DEVICES)
def test_a_program_is_recorded_up_to_its_exit(tmp_path, device):
    (tmp_path / "program.py").write_text(PROGRAM)
    dry = ["--dry", "h200", "--clock", "modelled"] if device == "dry" else []
    words = [*dry, "--plugins", "allocator_tracer,cupti_timeline", "--out", "out", "--", sys.executable, "program.py"]
    done = subprocess.run([STRATA, "exec", *words], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    (store,) = (tmp_path / "out/rank0").glob("*.sqlite")
    with contextlib.closing(sqlite3.connect(store)) as database:
        ((launches, answered),) = database.execute("SELECT launches, answered_launches FROM cupti_capture")
        ((last,),) = database.execute("SELECT max(begin_ns) FROM step")
        ((of_last_step,),) = database.execute("SELECT count(*) FROM cupti_timeline_activity WHERE kind = 1 AND begin_ns >= ?", (last,))
    assert launches == answered > 0
    assert of_last_step > 0
