# SPDX-License-Identifier: Apache-2.0
"""The program's exit code says how a training ended, whatever else goes wrong."""

import resource
import struct
import subprocess

import pytest

pytestmark = pytest.mark.smoke

HUGE = ("model.layers=1", "model.d_model=4096", "model.d_ff=4096", "model.vocab=10000000")


def run_out_of_memory(tiny, stdout):
    """Allocate one tensor of 160 GB with only 64 GiB of address space."""
    return subprocess.run(
        tiny.command("run", "tiny.yaml", "--out", "out", *HUGE),
        cwd=tiny.folder,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        timeout=400,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (64 << 30, 64 << 30)),
    )


def test_out_of_memory_is_3(tiny):
    result = run_out_of_memory(tiny, subprocess.PIPE)
    assert result.returncode == 3, result.stderr
    assert "out of memory" in result.stderr and "data.batch_size" in result.stderr
    assert "out_of_memory" in (tiny.folder / "out/manifest.json").read_text()


def test_out_of_memory_stays_3_when_the_results_cannot_be_printed(tiny):
    with open("/dev/full", "w") as full:
        result = run_out_of_memory(tiny, full)
    assert result.returncode == 3, result.stderr
    assert "cannot write to standard output" in result.stderr


def test_a_training_that_fails_is_1_and_is_reported(tiny):
    # A token beyond the vocabulary fails in the middle of a step.
    tiny.write("tokens.bin", struct.pack("<200H", *([300] * 200)))
    result = tiny.strata(
        "run", "tiny.yaml", "--out", "out", "data.source=text", "data.path=tokens.bin", "data.tokens=uint16"
    )
    assert result.returncode == 1, result.stderr
    assert "the run failed after 0 steps" in result.stderr
    assert (tiny.folder / "out/report.html").exists()


def test_a_run_that_nobody_may_write_to_is_shown(finished, workspace):
    """The command prints the table that was asked for, although it cannot write the summary
    again."""
    out = workspace.folder / "out"
    subprocess.run(["cp", "-r", finished.folder / "out", out], check=True)
    (out / "summary.json").unlink()
    (out / "summary.json.part").mkdir()  # blocks the file's name, also for root
    result = workspace.strata("report", "out")
    assert result.returncode == 1
    assert "Optimizer_State" in result.stdout
    assert "cannot write" in result.stderr
