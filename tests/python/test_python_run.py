# SPDX-License-Identifier: Apache-2.0
"""strata.run(): runs that a program opens itself."""

import json
import re
import subprocess

import pytest
from training_programs import BEGIN

from program_folder import REPOSITORY, STRATA

RUN = (
    BEGIN
    + """
with strata.run("out", OPTIONS) as run:
    model, optimizer = make()
    strata.attach(model, optimizer)
    for index in range(4):
        strata.step()
        train(model, optimizer, *batch())
    LAST
print(run.directory)
"""
)


def opened(options="", last=""):
    return RUN.replace("OPTIONS", options).replace("LAST", last)


@pytest.mark.smoke
def test_a_run_is_what_the_program_makes_of_one(programs):
    programs.write("train.py", opened("", ""))
    done = programs.python("train.py")
    assert done.returncode == 0, done.stderr
    assert programs.steps() == [0, 1, 2, 3]
    assert done.stdout.splitlines()[-1] == str(programs.folder / "out")
    assert "Peak" in done.stderr and "report.html" in done.stderr
    assert (programs.folder / "out/report.html").stat().st_size > 100_000
    manifest = json.loads((programs.folder / "out/manifest.json").read_text())
    assert (manifest["state"], manifest["end"]) == ("closed", "done")
    summary = programs.summary()
    again = subprocess.run([STRATA, "report", programs.folder / "out", "--json"], capture_output=True, text=True, check=True)
    assert json.loads(again.stdout) == summary


def test_what_it_says_of_plugins_window_and_settings(programs):
    options = (
        'plugins=["allocator_tracer", {"warmup_analyzer": {}}], name="mine", wait=1, warmup=1, active=1,'
        ' settings={"trace.memory_samples": "step"}, quiet=True'
    )
    programs.write("train.py", opened(options, ""))
    done = programs.python("train.py")
    assert (done.returncode, done.stderr) == (0, "")
    summary = programs.summary()
    assert summary["window"] == {"first_step": 2, "last_step": 2}
    statuses = {plugin["id"]: plugin["status"] for plugin in summary["plugins"]}
    assert statuses == {"torch": "ok", "allocator_tracer": "ok", "warmup_analyzer": "ok"}
    assert json.loads((programs.folder / "out/manifest.json").read_text())["name"] == "mine"


@pytest.mark.parametrize(("last", "end", "exit_code"), [("raise KeyboardInterrupt", "interrupted", -2), ("sys.exit(3)", "failed", 3)])
def test_how_the_run_ends(programs, last, end, exit_code):
    programs.write("train.py", opened("quiet=True", last))
    assert programs.python("train.py").returncode == exit_code
    assert json.loads((programs.folder / "out/manifest.json").read_text())["end"] == end
    assert programs.steps() == [0, 1, 2, 3]


ENDS = {
    "ValueError()": "failed",
    "KeyboardInterrupt()": "interrupted",
    "MemoryError()": "out_of_memory",
    "SystemExit(3)": "failed",
    "SystemExit('no such file')": "failed",
    "SystemExit(0)": "done",
    "SystemExit()": "done",
}


def test_how_runs_end_whose_exceptions_the_program_catches(programs):
    """The program gets the exception and continues with the next run."""
    programs.write(
        "train.py",
        BEGIN
        + f"""
model, optimizer = make()
strata.attach(model, optimizer)
for number, raised in enumerate([{", ".join(ENDS)}]):
    try:
        with strata.run(f"out{{number}}", quiet=True):
            for index in range(2):
                strata.step()
                train(model, optimizer, *batch())
            raise raised
    except BaseException as caught:
        assert caught is raised
""",
    )
    done = programs.python("train.py")
    assert done.returncode == 0, done.stderr
    for number, end in enumerate(ENDS.values()):
        assert json.loads((programs.folder / f"out{number}/manifest.json").read_text())["end"] == end
        assert programs.steps(f"out{number}") == [0, 1]


def test_several_runs_in_one_process(programs):
    programs.write(
        "train.py",
        BEGIN
        + """
model, optimizer = make()
strata.attach(model, optimizer)
for name in ("one", "two"):
    with strata.run(name, quiet=True):
        for index in range(2):
            strata.step()
            train(model, optimizer, *batch())
    train(model, optimizer, *batch())  # in neither
""",
    )
    done = programs.python("train.py")
    assert done.returncode == 0, done.stderr
    for name in ("one", "two"):
        assert programs.steps(name) == [0, 1]
        assert programs.layers(name) == {"", "0", "1", "2"}


MARKED = """
#include <strata/trainer.h>
void begin(void) { STRATA_STEP_BEGIN(); }
void end(void) { STRATA_STEP_END(); }
"""


def test_steps_that_c_marks_count_from_0_in_each_run(programs):
    source = programs.write("marked.c", MARKED)
    include = f"-I{REPOSITORY / 'plugin_api/include'}"
    subprocess.run(["gcc", "-shared", "-fPIC", include, "-o", programs.folder / "marked.so", source], check=True)
    programs.write(
        "train.py",
        BEGIN
        + """
import ctypes, os
from strata_profiler import native
os.environ["STRATA_ATTACH"] = str(native.attach_library())
marks = ctypes.CDLL("./marked.so")
model, optimizer = make()
for name in ("one", "two"):
    with strata.run(name, quiet=True):
        for index in range(2):
            marks.begin()
            train(model, optimizer, *batch())
            marks.end()
""",
    )
    done = programs.python("train.py")
    assert done.returncode == 0, done.stderr
    assert (programs.steps("one"), programs.steps("two")) == ([0, 1], [0, 1])


def test_within_exec_the_run_that_is_open_has_it_all(programs):
    programs.write("train.py", opened("", ""))
    done = programs.exec("train.py", out="outer")
    assert done.stdout.splitlines()[-1] == "None"
    assert not (programs.folder / "out").exists()
    assert programs.steps("outer") == [0, 1, 2, 3]


def test_within_exec_torch_may_come_with_the_run(programs):
    """Importing torch opens the session of `strata exec`, between the run's first look for a
    session and its own."""
    programs.write("late.py", "import strata_profiler as strata\nwith strata.run('inner') as run:\n    import torch\n    torch.zeros(8)\n    print(run.directory)\n")
    assert programs.exec("late.py", out="late").stdout.splitlines()[-1] == "None"
    assert not (programs.folder / "inner").exists()


def test_a_killed_run_is_recovered_by_whoever_opens_it(programs):
    import strata_profiler as strata

    programs.write("train.py", opened("", "import os; os.kill(os.getpid(), 9)"))
    assert programs.python("train.py").returncode == -9
    assert [step["index"] for step in strata.open(programs.folder / "out").summary["steps"]] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ('plugins=["allocator_tracr"]', "Did you mean 'allocator_tracer'"),
        ('settings={"optimizer.lr": 1}', "optimizer.lr"),
        ('active=-1', "schedule.active"),
    ],
)
def test_what_cannot_be_is_one_message_and_no_folder(programs, options, message):
    programs.write("train.py", opened(options, ""))
    done = programs.python("train.py")
    assert done.returncode == 1
    _, _, said = done.stderr.partition("\nstrata_profiler.recording.RecordingError: ")
    assert message in said and "Traceback" not in said, done.stderr
    assert not (programs.folder / "out").exists()


def test_a_folder_that_is_not_empty_is_refused(programs):
    programs.write("out/mine.txt", "mine")
    programs.write("train.py", opened("", ""))
    done = programs.python("train.py")
    assert done.returncode == 1 and "is not empty" in done.stderr
    assert [path.name for path in (programs.folder / "out").iterdir()] == ["mine.txt"]


def test_a_forked_child_may_open_a_run_of_its_own(programs):
    programs.write(
        "forks.py",
        BEGIN
        + """
import os
def trained(folder, steps):
    with strata.run(folder, quiet=True):
        model, optimizer = make()
        for index in range(steps):
            strata.step()
            train(model, optimizer, *batch())
            if folder == "parent" and index == 0:
                child = os.fork()
                if child == 0:
                    trained("child", 3)
                    os._exit(0)
                assert os.waitpid(child, 0)[1] == 0
trained("parent", 3)
""",
    )
    # GNU's OpenMP hangs in a child whose parent had several threads, recorded or not.
    done = programs.python("forks.py", OMP_NUM_THREADS="1", timeout=60)
    assert done.returncode == 0, done.stderr
    assert (programs.steps("parent"), programs.steps("child")) == ([0, 1, 2], [0, 1, 2])
    counted = "SELECT count(*) FROM allocator_tracer_op JOIN step ON sequence BETWEEN begin_sequence AND end_sequence WHERE step = 1"
    operators = {}
    for name in ("parent", "child"):
        assert programs.summary(name)["categories"]["Optimizer_State"]["max"] > 0, name
        [(operators[name],)] = programs.query(counted, name)
    assert operators["child"] == operators["parent"] > 0, "each operator is told once"


TABLE = (
    BEGIN
    + """
import ctypes
class Table(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("abi_major", ctypes.c_uint16), ("abi_minor", ctypes.c_uint16),
        ("step_begin", ctypes.c_void_p), ("step_end", ctypes.c_void_p), ("step_result", ctypes.c_void_p), ("micro_batch", ctypes.c_void_p),
        ("phase_begin", ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_char_p)), ("phase_end", ctypes.CFUNCTYPE(None, ctypes.c_uint32)),
        ("module_begin", ctypes.c_void_p), ("module_end", ctypes.c_void_p), ("wants_tensors", ctypes.CFUNCTYPE(ctypes.c_int32))]
library = ctypes.CDLL(str(strata.native.attach_library()))
library.strata_trainer_bind.restype = ctypes.POINTER(Table)
model, optimizer = make()
for name in ("one", "two"):
    with strata.run(name, quiet=True):
        if name == "one":
            marks = library.strata_trainer_bind(MAJOR).contents
        assert marks.wants_tensors() == 1
        strata.step()
        phase = marks.phase_begin(f"of {name}".encode())
        train(model, optimizer, *batch())
        marks.phase_end(phase)
    assert marks.wants_tensors() == 0
    marks.phase_end(marks.phase_begin(b"in neither"))
"""
)


def test_a_compiled_parts_marks_are_the_open_runs(programs):
    """strata/trainer.h gets its table only once, but a process may have several runs."""
    [major] = re.findall(r"#define STRATA_ABI_MAJOR (\d+)", (REPOSITORY / "plugin_api/include/strata/version.h").read_text())
    programs.write("table.py", TABLE.replace("MAJOR", major))
    done = programs.python("table.py")
    assert done.returncode == 0, done.stderr
    for name in ("one", "two"):
        marked = {phase for phase, inferred, _ in programs.phases(name) if not inferred}
        assert marked == {f"of {name}"}


def test_where_nothing_was_allocated_it_says_so(programs):
    programs.write("idle.py", 'import strata_profiler as strata\nwith strata.run("out"):\n    pass\n')
    done = programs.python("idle.py")
    assert done.returncode == 0, done.stderr
    assert "nothing was recorded" in done.stderr
