# SPDX-License-Identifier: Apache-2.0
"""`strata doctor --launcher`: whether a program started by a launcher could be recorded."""

import json
import sys

import pytest


def finding(workspace, launcher):
    result = workspace.strata("doctor", "--launcher", launcher, "--json")
    assert result.returncode == 0, result.stderr
    (found,) = json.loads(result.stdout)["checks"]
    assert found["name"] == "launcher"
    return found


@pytest.mark.parametrize("launcher", ["env", "nice -n 1", "sh -c 'exec \"$@\"' sh"])
def test_a_launcher_that_hands_on(workspace, launcher):
    assert finding(workspace, launcher)["verdict"] == "ok"


@pytest.mark.parametrize(
    ("launcher", "lost"),
    [
        ("env -i", "LD_PRELOAD, STRATA_ATTACH, STRATA_EXEC"),
        ("env -u LD_PRELOAD", "LD_PRELOAD"),
        ("env LD_PRELOAD=/lib/x86_64-linux-gnu/libm.so.6", "LD_PRELOAD"),
        ("env -u STRATA_EXEC", "STRATA_EXEC"),
    ],
)
def test_a_launcher_that_keeps_back(workspace, launcher, lost):
    found = finding(workspace, launcher)
    assert found["verdict"] == "warning"
    assert f"does not pass on {lost}:" in found["detail"]
    assert f"{launcher} strata exec -- python train.py" in found["remedy"]


def test_a_launcher_is_told_its_own_words(workspace):
    fake = workspace.write("srun", '#!/bin/sh\nshift 2\nexec env -i "$@"\n')
    fake.chmod(0o755)
    assert "srun --export=ALL" in finding(workspace, "./srun -n 1")["remedy"]


def test_a_launcher_that_starts_nothing(workspace):
    found = finding(workspace, "false")
    assert found["verdict"] == "warning" and "ended with 1 and started no program here" in found["detail"]


def test_what_keeps_strata_from_recording_is_what_the_doctor_says(workspace):
    workspace.write("train.py", "import torch\ntorch.ones(3)\n")
    lost = workspace.strata("exec", "--out", "out", "--", "env", "-i", sys.executable, "train.py")
    assert lost.returncode == 0
    assert "nothing was recorded" in lost.stderr and "strata doctor --launcher" in lost.stderr
    behind = workspace.command("exec", "--out", "out", "--", sys.executable, "train.py")
    result = workspace.strata("exec", "--plugins", "none", "--dry", "t4", "--", "env", "-i", *behind)
    assert result.returncode == 0 and (workspace.folder / "out/report.html").exists()
