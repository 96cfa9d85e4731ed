# SPDX-License-Identifier: Apache-2.0
"""Faults in a recorded program: its exit code is kept, the store opens, and the manifest records
how it ended."""

import json
import signal
import subprocess
import sys

import pytest
from workspaces import REPOSITORY

TRAINS = """
import os, resource, shutil, signal, threading, torch
layer = torch.nn.Linear(64, 64)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
for step in range(6):
    optimizer.zero_grad()
    layer(torch.rand(8, 64)).sum().backward()
    optimizer.step()
    if step == 3:
        {fault}
"""


def recorded(workspace, text, *words):
    workspace.write("program.py", text)
    return workspace.strata("exec", *words, "--out", "out", "--", sys.executable, "program.py")


def manifest(workspace):
    return json.loads((workspace.folder / "out/manifest.json").read_text())


def steps_stored(workspace):
    ((integrity,),) = workspace.query("out", "PRAGMA integrity_check")
    assert integrity == "ok"
    ((steps,),) = workspace.query("out", "SELECT count(*) FROM step WHERE optimizer_ran = 1")
    return steps


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_signal_that_kills(workspace, number):
    """SIGTERM and SIGINT have their default action; Python has its own handler for SIGINT."""
    result = recorded(workspace, TRAINS.format(fault=f"signal.signal(signal.SIGINT, signal.SIG_DFL); os.kill(os.getpid(), {int(number)})"))
    assert result.returncode == 128 + number, result.stderr
    assert steps_stored(workspace) >= 3  # the fourth step ends when the next one begins
    assert (manifest(workspace)["state"], manifest(workspace)["command"]["exit_code"]) == ("open", 128 + number)
    assert "recovered after the process died" in result.stderr
    end = "interrupted" if number in (signal.SIGINT, signal.SIGTERM) else "killed"
    assert f"\n  ended: {end}\n" in result.stderr


def test_a_crash_on_another_thread(workspace):
    crash = "threading.Thread(target=lambda: os.kill(os.getpid(), signal.SIGSEGV)).start()"
    result = recorded(workspace, TRAINS.format(fault=crash))
    assert result.returncode == 128 + signal.SIGSEGV
    assert steps_stored(workspace) >= 3
    assert (manifest(workspace)["state"], manifest(workspace)["command"]["exit_code"]) == ("open", 139)


def test_an_exception_is_a_failure(workspace):
    result = recorded(workspace, TRAINS.format(fault="raise ValueError('on purpose')"))
    assert result.returncode == 1 and "ValueError: on purpose" in result.stderr
    assert steps_stored(workspace) == 4
    assert (manifest(workspace)["end"], manifest(workspace)["command"]["exit_code"]) == ("failed", 1)


COUNTER = (REPOSITORY / "plugin_api/examples/c/step_counter.c").read_text()
COUNTS = "counter->steps += 1;"
# A name, then pairs of what is replaced in the smallest C plugin and its replacement, and the
# message.
REFUSED = {
    "a symbol that nobody has": (COUNTS, COUNTS + " extern int nobody_has_it(void); counter->steps += (uint64_t)nobody_has_it();", "undefined symbol: nobody_has_it"),
    "another major": ("STRATA_ABI_MAJOR, STRATA_ABI_MINOR, init", "77, STRATA_ABI_MINOR, init", "was built for plugin ABI 77.0"),
    "a short entry": ("sizeof(strata_entry), STRATA_ABI_MAJOR", "8, STRATA_ABI_MAJOR", "strata_plugin_entry is incomplete"),
    "no create": ("descriptor, create,", "descriptor, NULL,", "no function may be null"),
    "no descriptor": ("return index == 0 ? &the_descriptor : NULL;", "(void)index; return NULL;", "descriptor 0 is null"),
    "four billion plugins": ("  return 1;\n", "  return 4000000000u;\n", "declares 4000000000 plugins"),
}
SURVIVED = {
    "no destroy": ("counter, listener, destroy}", "counter, listener, NULL}", "create returned an incomplete plugin"),
    "no listener": ("counter, listener, destroy}", "counter, NULL, destroy}", "create returned an incomplete plugin"),
    "create fails": ("calloc(1, sizeof *counter)", "NULL", "out of memory"),
    "rows of another size": ("{sizeof table, sizeof(step_row),", "{sizeof table, 1u << 20,", "a row must have 1 to 4096 bytes, found 1048576"),
    "a listener that says it is short": ("strata_step_listener step = {sizeof step,", "strata_step_listener step = {4,", "0 steps"),
    "a listener that says it is long": ("strata_step_listener step = {sizeof step,", "strata_step_listener step = {4000000000u,", "6 steps"),
    "memory that it keeps": (COUNTS, COUNTS + " memset(malloc(1 << 20), 1, 1 << 20);", "6 steps"),
}


# A call that lasts until the file exists, at most two minutes.
WAITS = """
#define _GNU_SOURCE
#include <signal.h>
#include <unistd.h>
static inline void wait_for(const char* file) {
  for (int naps = 0; naps < 1200 && access(file, F_OK) != 0; ++naps) usleep(100000);
}
"""


def build(workspace, *changes):
    """Build the smallest C plugin. `changes` alternates between a text and its replacement."""
    text = COUNTER
    for replaced, by in zip(changes[::2], changes[1::2], strict=True):
        assert text.count(replaced) == 1
        text = text.replace(replaced, by)
    source = workspace.write("faulty.c", WAITS + text)
    include = f"-I{REPOSITORY / 'plugin_api/include'}"
    subprocess.run(["gcc", "-shared", "-fPIC", include, "-o", workspace.folder / "faulty.so", source], check=True)


@pytest.mark.parametrize("fault", REFUSED)
def test_a_plugin_that_is_none_is_refused_before_the_program_starts(workspace, fault):
    *change, said = REFUSED[fault]
    build(workspace, *change)
    result = recorded(workspace, TRAINS.format(fault="pass") + "print('trained')\n", "--plugins", "./faulty.so")
    assert (result.returncode, result.stdout) == (125, "")  # 125 is Strata's own code, as env(1) has it, not the program's
    assert said in result.stderr and "faulty.so" in result.stderr
    assert not (workspace.folder / "out").exists()


@pytest.mark.parametrize("fault", SURVIVED)
def test_a_plugin_that_lies_leaves_the_program_alone(workspace, fault):
    *change, said = SURVIVED[fault]
    build(workspace, *change)
    result = recorded(workspace, TRAINS.format(fault="pass") + "print('trained')\n", "--plugins", "./faulty.so,allocator_tracer")
    assert (result.returncode, result.stdout) == (0, "trained\n"), result.stderr
    assert said in result.stderr
    assert steps_stored(workspace) == 6
    ((events,),) = workspace.query("out", "SELECT count(*) FROM allocator_tracer_event")
    assert events > 0
    (plugin,) = [plugin for plugin in manifest(workspace)["plugins"] if plugin["id"] == "step_counter"]
    assert plugin["status"] in ("ok", "disabled") and (plugin["status"] == "disabled") == ("disabled" in result.stderr)


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_signal_that_kills_within_a_plugin(workspace, number):
    build(workspace, COUNTS, COUNTS + f" if (counter->steps == 4) raise({int(number)});")
    text = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_DFL)\n" + TRAINS.format(fault="pass")
    result = recorded(workspace, text, "--plugins", "allocator_tracer,./faulty.so")
    assert result.returncode == 128 + number, result.stderr
    assert steps_stored(workspace) >= 3
    assert (manifest(workspace)["state"], manifest(workspace)["command"]["exit_code"]) == ("open", 128 + number)
    assert "recovered after the process died" in result.stderr


def test_a_plugin_that_hangs_is_named(workspace):
    build(workspace, COUNTS, COUNTS + " if (counter->steps == 3) sleep(8);")
    result = recorded(workspace, TRAINS.format(fault="pass") + "print('trained')\n", "--plugins", "./faulty.so,allocator_tracer")
    assert (result.returncode, result.stdout) == (0, "trained\n"), result.stderr
    assert "[step_counter] has not returned from an event for 5 s, and thread " in result.stderr
    assert "[step_counter] returned from its event after " in result.stderr
    assert steps_stored(workspace) == 6


def named_in(workspace, functions, *words):
    """Run the program with a plugin whose `functions` each block until a message names them; return
    its messages."""
    process = workspace.start(*words)
    said, left = "", list(functions)
    for line in process.stderr:
        said += line
        if left and f"[step_counter] has not returned from {left[0]} for " in line:
            (workspace.folder / left.pop(0)).touch()
    out, _ = process.communicate(timeout=300)
    assert left == [], said
    for function in functions:
        assert f"[step_counter] returned from {function} after " in said
    return process.returncode, out, said


def test_a_plugin_that_hangs_as_it_starts_is_named(workspace):
    init, create = "size_t reason_bytes) {\n  (void)path;\n", "  (void)id;\n  if (!counter)"
    build(workspace, init, init + '  wait_for("init");\n', create, '  wait_for("create");\n' + create)
    workspace.write("program.py", TRAINS.format(fault="pass") + "print('trained')\n")
    words = ("exec", "--out", "out", "--plugins", "./faulty.so,allocator_tracer", "--", sys.executable, "program.py")
    code, out, said = named_in(workspace, ["init", "create"], *words)
    assert (code, out) == (0, "trained\n"), said
    assert steps_stored(workspace) == 6


def test_a_plugin_that_hangs_as_it_ends_is_named(tiny):
    build(tiny, "  free(plugin);", '  wait_for("destroy");\n  free(plugin);', "deinit(void) {}", 'deinit(void) { wait_for("deinit"); }')
    code, _, said = named_in(tiny, ["destroy", "deinit"], "run", "tiny.yaml", "plugins=[./faulty.so, allocator_tracer]", "--out", "out")
    assert code == 0, said
    assert steps_stored(tiny) == 3
    assert manifest(tiny)["end"] == "done"
