# SPDX-License-Identifier: Apache-2.0
"""If there is no room for a run's rows, a message reports the loss: `strata run` fails, and a
user's own program continues with its own exit code."""

import json
import os
import resource
import subprocess
import sys

import pytest
from test_grid_faults import small_disk  # noqa: F401

# A spool file does not fit into this limit; a report does.
TIGHT = (1_000_000, 1_000_000)

TRAINS = """
import sys, torch
layer = torch.nn.Linear(64, 64)
for _ in range(3):
    layer(torch.randn(8, 64)).sum().backward()
"""


def limited(workspace, *words):
    return subprocess.run(
        workspace.command(*words),
        cwd=workspace.folder,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, TIGHT),
        capture_output=True,
        text=True,
        timeout=300,
    )


def lost(workspace):
    store = json.loads((workspace.folder / "out/manifest.json").read_text())["store"]
    assert store["dropped_rows"] > 0 and store["lost"].startswith(f"{store['dropped_rows']} rows of this run are lost")
    assert str(workspace.folder / "out/rank0") in store["lost"] and "free some space" in store["lost"]
    return store["lost"]


def test_a_run_that_lost_its_rows_fails_and_says_so_last(tiny):
    result = limited(tiny, "run", "tiny.yaml", "--out", "out")
    assert result.returncode == 1, result.stderr
    assert result.stderr.splitlines()[-1] == "strata: " + lost(tiny)


def test_a_run_that_lost_none_is_done(tiny):
    assert tiny.strata("run", "tiny.yaml", "--out", "out").returncode == 0
    assert json.loads((tiny.folder / "out/manifest.json").read_text())["store"]["lost"] == ""


@pytest.mark.parametrize("exit_code", [0, 7])
def test_a_program_keeps_its_exit_code(workspace, exit_code):
    workspace.write("program.py", TRAINS + f"sys.exit({exit_code})\n")
    result = limited(workspace, "exec", "--out", "out", "--", sys.executable, "program.py")
    assert result.returncode == exit_code, result.stderr
    assert lost(workspace) in result.stderr
    assert "no process that the command started used torch" not in result.stderr


def test_what_finds_no_room_at_all_is_recovered_later(workspace, small_disk):  # noqa: F811
    """The program itself fills the disk: the rows stay in their spools, and the message is right to
    suggest another try."""
    fill = "import os\nwith open('filler', 'wb', 0) as file:\n    while file.write(b'x' * 4096) == 4096: pass\n"
    workspace.write("program.py", f"{TRAINS}try:\n    exec({fill!r})\nexcept OSError: pass\nprint('on', flush=True)\nos._exit(0)\n".replace("import sys", "import os, sys"))
    result = subprocess.run(
        workspace.command("exec", "--out", "out", "--", sys.executable, workspace.folder / "program.py"),
        cwd=small_disk,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (result.returncode, result.stdout) == (0, "on\n"), result.stderr
    assert "strata: " in result.stderr
    (small_disk / "filler").unlink()
    result = workspace.strata("report", small_disk / "out", "--json")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["categories"]["Gradient"]["max"] > 0


@pytest.mark.parametrize("options", [[], ["--dry", "a100-40gb", "--account", "nowhere/account.json"]])
def test_a_report_that_cannot_be_written_is_no_failure_of_the_program(workspace, options):
    workspace.write("program.py", TRAINS + "import os\nos.makedirs('out/report.html/taken')\n")
    result = workspace.strata("exec", *options, "--out", "out", "--", sys.executable, "program.py")
    assert result.returncode == 0, result.stderr
    assert "cannot write " + str(workspace.folder / "out/report.html") in result.stderr.replace("write out/", f"write {workspace.folder}/out/")
    assert ("nowhere/account.json" in result.stderr) == bool(options)
