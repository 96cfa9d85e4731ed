# SPDX-License-Identifier: Apache-2.0
"""Faults around a recorded program: in its folder, in its machine's clock and memory, and a signal
while rows are written."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys

import pytest
from test_faults import TRAINS, manifest, recorded, steps_stored
from test_grid_faults import small_disk  # noqa: F401
from workspaces import TINY

# C functions that replace the program's own through preloading.
CLOCK = """
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec* time) {
  const long result = syscall(SYS_clock_gettime, clock, time);
  if (clock == CLOCK_REALTIME && access("set", F_OK) == 0) time->tv_sec += SECONDS;
  return (int)result;
}
"""
# The writer's thread blocks signals: TERM, INT and KILL hit the process in the middle of a
# transaction, and SEGV comes from the thread itself. The fault comes after so many writes that
# without a transaction, whole tables would be stored already and read a second time.
WRITES = """
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
ssize_t pwrite64(int file, const void* bytes, size_t count, off64_t at) {
  static int writes = 0;
  char name[16] = "";
  prctl(PR_GET_NAME, name);
  if (strcmp(name, "strata-writer") == 0 && access("now", F_OK) == 0 && ++writes == 120) {
    if (NUMBER == SIGSEGV) *(volatile int*)0 = 1;
    kill(getpid(), NUMBER);
  }
  return syscall(SYS_pwrite64, file, bytes, count, at);
}
"""


def behind(workspace, text, *definitions):
    """Run `strata exec` of program.py with the C functions of `text` preloaded."""
    source = workspace.write("front.c", text)
    subprocess.run(["gcc", "-w", "-shared", "-fPIC", *definitions, "-o", workspace.folder / "front.so", source], check=True)
    return workspace.strata("exec", "--out", "out", "--", "sh", "-c", f'LD_PRELOAD=./front.so:$LD_PRELOAD exec "{sys.executable}" program.py')


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_signal_while_rows_are_written(workspace, number):
    endless = "open('now', 'w').close()\n        while True: layer(torch.rand(8, 64)).sum().backward()"
    workspace.write("program.py", "import signal\nsignal.signal(signal.SIGINT, signal.SIG_DFL)\n" + TRAINS.format(fault=endless))
    result = behind(workspace, WRITES, f"-DNUMBER={int(number)}")
    assert result.returncode == 128 + number, result.stderr
    assert steps_stored(workspace) >= 3
    ((events, sequences),) = workspace.query("out", "SELECT count(*), count(DISTINCT sequence) FROM allocator_tracer_event")
    ((began, phases),) = workspace.query("out", "SELECT count(*), count(DISTINCT phase) FROM host_phase_begin")
    assert events == sequences > 0 and began == phases > 0  # no row is stored twice
    assert (manifest(workspace)["state"], manifest(workspace)["command"]["exit_code"]) == ("open", 128 + number)
    assert "recovered after the process died" in result.stderr


@pytest.mark.parametrize("seconds", [-86400, 86400])
def test_the_clock_is_set(workspace, seconds):
    """Durations do not change, and a message reports the clock change."""
    workspace.write("program.py", TRAINS.format(fault="open('set', 'w').close()"))
    result = behind(workspace, CLOCK, f"-DSECONDS={seconds}")
    assert result.returncode == 0, result.stderr
    assert steps_stored(workspace) == 6
    ((longest, shortest),) = workspace.query("out", "SELECT max(end_ns - begin_ns), min(end_ns - begin_ns) FROM step")
    assert 0 < shortest <= longest < 100e9
    assert f"the machine's clock was set by {seconds:+.1f} s during the run" in result.stderr


GROUP = """
import pathlib, sys
group = pathlib.Path(sys.argv[1])
(group / "cgroup.procs").write_text(str(os.getpid()))
kept = []
for mebibytes in range(2048):
    kept.append(torch.ones(1 << 20, dtype=torch.uint8))
raise SystemExit("2 GiB fit into 64 MiB")
"""


def own_group():
    """Return the folder of the memory control group that this process is in and the file for its
    limit, or the reason why there is none."""
    groups = dict(line.split(":", 2)[1:] for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines())
    for kind, root, limit in (("memory", "/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("", "/sys/fs/cgroup", "memory.max")):
        folder = pathlib.Path(root) / groups.get(kind, "nowhere").lstrip("/")
        if (folder / "cgroup.procs").exists():
            return folder, limit
    return pytest.skip("no control group that limits memory can be reached here")


@pytest.fixture
def small_group():
    """A control group that limits the processes in it to 64 MiB."""
    above, limit = own_group()
    folder = above / f"strata-test-{os.getpid()}"
    try:
        folder.mkdir()
    except OSError as error:
        pytest.skip(f"no control group can be made here: {error}")
    try:
        (folder / limit).write_text(str(64 << 20))
        yield folder
    except OSError as error:
        pytest.skip(f"a control group's memory cannot be limited here: {error}")
    finally:
        folder.rmdir()


def test_the_memory_of_its_control_group_is_full(workspace, small_group):
    """The kernel kills the program, as in a container."""
    swaps = pathlib.Path("/proc/swaps").read_text().splitlines()
    if len(swaps) > 1:
        pytest.skip("there is swap, into which it would go instead")
    workspace.write("program.py", TRAINS.format(fault="break") + GROUP)
    result = workspace.strata("exec", "--out", "out", "--", sys.executable, "program.py", small_group)
    assert result.returncode == 128 + signal.SIGKILL, result.stderr
    assert steps_stored(workspace) >= 3
    assert (manifest(workspace)["state"], manifest(workspace)["command"]["exit_code"]) == ("open", 137)
    assert "recovered after the process died" in result.stderr


def test_the_machines_memory_is_full(workspace):
    kept_in_small = """now = int(open("/proc/self/statm").read().split()[0]) * os.sysconf("SC_PAGESIZE")
        resource.setrlimit(resource.RLIMIT_AS, (now + (64 << 20), now + (64 << 20)))
        kept = [torch.ones(8 << 20, dtype=torch.uint8) for _ in range(64)]"""
    result = recorded(workspace, TRAINS.format(fault=kept_in_small))
    assert result.returncode == 1 and "can't allocate memory" in result.stderr
    assert steps_stored(workspace) == 4
    assert manifest(workspace)["end"] == "failed"
    assert "Out of memory" in result.stderr  # what had filled the memory


def test_the_runs_folder_is_removed(workspace):
    result = recorded(workspace, TRAINS.format(fault="shutil.rmtree('out')") + "print('trained')\nsys.exit(7)\n")
    assert (result.returncode, result.stdout) == (7, "trained\n")
    assert f"the run's folder {workspace.folder / 'out'} was removed while the program ran" in result.stderr
    assert "no process" not in result.stderr
    assert not (workspace.folder / "out").exists()


# Enough steps for the fault to come in the middle.
LONG = TINY.replace("active: 2", "active: 400")


def in_the_middle(workspace, fault):
    """Run `strata run` and cause `fault` after a step; return the exit code, the output and the
    messages."""
    workspace.write("tiny.yaml", LONG)
    process = workspace.start("run", "tiny.yaml", "--out", "out")
    said = ""
    for line in process.stderr:
        said += line
        if line.startswith("step 1/"):
            fault()
    out, _ = process.communicate(timeout=300)
    return process.returncode, out, said


def test_the_folder_of_a_run_of_ours_is_removed(workspace):
    code, out, said = in_the_middle(workspace, lambda: shutil.rmtree(workspace.folder / "out"))
    assert (code, out) == (1, ""), said
    gone = f"the run's folder {workspace.folder / 'out'} was removed while the program ran, and with it the whole recording"
    assert said.splitlines()[-1] == f"strata: {gone}"
    assert "no such run directory" not in said and "rows of this run" not in said
    assert not (workspace.folder / "out").exists()


def test_the_folder_of_a_run_of_ours_becomes_read_only(workspace):
    """Open files can be written, but new ones cannot be created. After that is over, the run is
    complete."""
    out = workspace.folder / "out"
    if os.geteuid() != 0:
        forbid, allow = (lambda: out.chmod(0o500)), (lambda: out.chmod(0o700))
    else:
        probe = subprocess.run(["unshare", "-m", "mount", "--bind", workspace.folder, workspace.folder], capture_output=True, text=True)
        if probe.returncode != 0:
            pytest.skip(f"nothing can be mounted here: {probe.stderr.strip()}")

        def forbid():
            subprocess.run(["mount", "--bind", out, out], check=True)
            subprocess.run(["mount", "-o", "remount,bind,ro", out], check=True)

        def allow():
            subprocess.run(["umount", out], check=True)

    try:
        code, printed, said = in_the_middle(workspace, forbid)
        assert code == 1, said
        assert "summary.json: " in said and "manifest.json: " in said
        assert "`strata report` recovers it" in said.splitlines()[-1]
    finally:
        allow()
    assert manifest(workspace)["state"] == "open"
    table = workspace.strata("report", "out", "--json")
    assert table.returncode == 0, table.stderr
    assert json.loads(table.stdout)["steps"]
    assert steps_stored(workspace) == 401


def test_a_folder_that_cannot_be_written_to(workspace, small_disk):  # noqa: F811
    """The run is rejected before anything starts, and a run that is already there can still be
    read."""
    (workspace.folder / "disk").symlink_to(small_disk)
    assert recorded(workspace, TRAINS.format(fault="pass")).returncode == 0
    shutil.copytree(workspace.folder / "out", small_disk / "run")
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    refused = workspace.strata("exec", "--out", "disk/other", "--", sys.executable, "-c", "print('ran')")
    assert (refused.returncode, refused.stdout) == (125, "")
    assert "Read-only file system" in refused.stderr and "name another with --out" in refused.stderr
    table = workspace.strata("report", "disk/run", "--json")
    assert json.loads(table.stdout)["steps"], table.stderr
    export = workspace.strata("export", "disk/run", "--format", "csv", "--out", "events.csv")
    assert export.returncode == 0, export.stderr
