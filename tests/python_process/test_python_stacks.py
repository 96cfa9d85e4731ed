# SPDX-License-Identifier: Apache-2.0
"""Stacks of a run that a Python process records of itself: they name the program's own functions
and lines."""

import contextlib
import os
import pathlib
import re
import sqlite3
import subprocess
import sys

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
STRATA = pathlib.Path(os.environ.get("STRATA") or REPOSITORY / "build/release/bin/strata")
RECORDER = STRATA.parents[1] / "tests/record_python.so"
PROGRAM = pathlib.Path(__file__).with_name("recorded_program.py")
MEBIBYTE = 1 << 20


def line_of(what):
    """Return recorded_program.py:LINE of the line with that comment."""
    lines = PROGRAM.read_text().splitlines()
    (number,) = [number for number, line in enumerate(lines, 1) if line.endswith(f"# line of {what}")]
    return f"{PROGRAM.name}:{number}"


@pytest.fixture(scope="session")
def record(python3):
    """A function that records the program in a folder, under a command."""

    def run(folder, what, *more, under=()):
        folder.mkdir()
        words = [*(under or python3[:-1]), sys.executable, PROGRAM, RECORDER, folder, what, *more]
        return subprocess.run(words, capture_output=True, text=True, timeout=300)

    return run


def query(folder, statement):
    (store,) = (folder / "rank0").glob("*.sqlite")
    with contextlib.closing(sqlite3.connect(store)) as database, database:
        return database.execute(statement).fetchall()


def stack_of(folder, size):
    """Return [(function, file, line)], innermost first, of the only block of that size, or an empty
    list if it has no Python stack."""
    ((event,),) = query(folder, f"SELECT sequence FROM allocator_tracer_event WHERE action = 1 AND bytes = {size}")
    return query(
        folder,
        "SELECT function.text, file.text, line FROM torch_event_python_stack AS e JOIN torch_python_stack AS s USING (stack)"
        " JOIN torch_python_frame AS f USING (frame) JOIN string AS function ON function.id = f.function"
        f" JOIN string AS file ON file.id = f.file WHERE e.sequence = {event} ORDER BY position",
    )


def report(folder, *words):
    result = subprocess.run([STRATA, *words[:1], folder, *words[1:]], capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def trained(tmp_path_factory, record):
    folder = tmp_path_factory.mktemp("python") / "run"
    result = record(folder, "train")
    assert result.returncode == 0, result.stderr
    return folder


def test_a_report_shows_the_programs_lines(trained):
    text = report(trained, "report", "--stacks", "1000")
    for function, line in [("Network.forward", "exp"), ("Network.forward", "softplus"), ("train", "backward")]:
        assert re.search(rf"^ +{re.escape(function)}  {re.escape(line_of(line))}$", text, re.MULTILINE), text
    assert re.search(r"^ +main  recorded_program.py:\d+$", text, re.MULTILINE), text


def test_the_interpreters_own_frames_are_not_shown(trained):
    text = report(trained, "report", "--stacks", "1000")
    folded = report(trained, "export", "--format", "folded", "--out", "-")
    assert re.search(r"^<module>;main;train;.*;Network\.forward;.*at::_ops::exp::call", folded, re.MULTILINE), folded
    for name in ["_PyEval_EvalFrameDefault", "_PyObject_MakeTpCall", "libpython"]:
        assert name not in text + folded


def test_an_origin_is_the_programs_line_and_not_torchs(trained):
    text = report(trained, "report")
    largest = text[text.index("largest at the peak") :]
    assert re.search(rf"^ +Network.forward  {re.escape(line_of('softplus'))}$", largest, re.MULTILINE), text
    assert "adamw.py" not in largest
    assert re.search(rf"^ +train  {re.escape(line_of('the optimizer'))}$", largest, re.MULTILINE), text


def test_each_stack_and_frame_is_written_once(trained):
    ((rows, different),) = query(
        trained, "SELECT count(*), count(DISTINCT stack * 1000 + position) FROM torch_python_stack"
    )
    assert rows == different > 0
    ((frames, places),) = query(
        trained, "SELECT count(*), count(DISTINCT function || ' ' || file || ' ' || line) FROM torch_python_frame"
    )
    assert frames == places > 5
    ((events, stacks),) = query(trained, "SELECT count(*), count(DISTINCT stack) FROM torch_event_python_stack")
    assert events > 2 * stacks > 0


def test_python_stacks_are_off_unless_asked_for(tmp_path, record):
    result = record(tmp_path / "run", "train", "false")
    assert result.returncode == 0, result.stderr
    assert query(tmp_path / "run", "SELECT name FROM sqlite_master WHERE name LIKE 'torch_%python%'") == []
    assert "Network.forward" not in report(tmp_path / "run", "report", "--stacks", "1000")


def test_threads_have_the_stacks_that_python_knows(tmp_path, record):
    result = record(tmp_path / "run", "threads")
    assert result.returncode == 0, result.stderr
    function, file, line = stack_of(tmp_path / "run", 3 * MEBIBYTE)[0]
    assert function == "pick_on_a_thread"
    assert f"{pathlib.Path(file).name}:{line}" == line_of("the thread")
    assert stack_of(tmp_path / "run", 5 * MEBIBYTE) == []


def test_threads_that_work_at_once_wait_for_nobody_for_ever(tmp_path, record):
    result = record(tmp_path / "run", "busy")
    assert result.returncode == 0, result.stderr
    ((events,),) = query(tmp_path / "run", "SELECT count(*) FROM torch_event_python_stack")
    assert events >= 4 * 300 * 2


def test_a_forked_child_computes_and_tells_nothing(tmp_path, record):
    result = record(tmp_path / "run", "fork")
    assert result.returncode == 0, result.stderr
    size = 17 * MEBIBYTE
    assert query(tmp_path / "run", f"SELECT * FROM allocator_tracer_event WHERE bytes = {size}") == []
    assert len(list((tmp_path / "run/rank0").glob("*.sqlite"))) == 1


def test_backward_on_a_device_has_the_lines_that_python_runs_in_it(tmp_path, record):
    folder = tmp_path / "run"
    result = record(folder, "device", under=[STRATA, "exec", "--plugins", "none", "--dry", "h100-80gb", "--"])
    assert result.returncode == 0, result.stderr
    events = query(
        folder,
        "SELECT (SELECT function.text || ' ' || f.line FROM torch_event_python_stack AS p"
        " JOIN torch_python_stack AS s USING (stack) JOIN torch_python_frame AS f USING (frame)"
        " JOIN string AS function ON function.id = f.function WHERE p.sequence = e.sequence AND position = 0)"
        " FROM allocator_tracer_event AS e WHERE e.action = 1 AND e.device_type = 2",
    )
    places = [place for (place,) in events]
    for way in ["forward", "backward"]:
        line = line_of(f"a {way} in Python").split(":")[1]
        assert f"Doubled.{way} {line}" in places, places
    assert None in places  # of neg's backward, which runs without Python
    text = report(folder, "report", "--stacks", "1000")
    assert re.search(rf"^ +Doubled.backward  {re.escape(line_of('a backward in Python'))}$", text, re.MULTILINE), text


def test_a_pending_error_stays_pending(tmp_path, record):
    result = record(tmp_path / "run", "pending_error")
    assert (result.returncode, result.stdout) == (0, "it was pending\n"), result.stderr
    assert stack_of(tmp_path / "run", 7 * MEBIBYTE)[0][0] == "pending_error"


def test_an_interpreter_may_exit_with_the_run_open(tmp_path, record):
    folder = tmp_path / "run"
    result = record(folder, "exit_open")
    assert (result.returncode, result.stderr) == (3, "")
    assert query(folder, "SELECT value FROM meta WHERE key = 'end'") == [("exited",)]
    assert stack_of(folder, 2 * MEBIBYTE)[0][0] == "exit_open"
    assert stack_of(folder, 11 * MEBIBYTE) == []  # the interpreter was shutting down
