# SPDX-License-Identifier: Apache-2.0
"""`strata export`: other tools read the exported files. test_export_memory_viz.py tests
snapshots."""

import gzip
import json
import os
import pathlib
import pickle
import signal
import stat
import subprocess

import jsonschema
import pytest
from workspaces import REPOSITORY, STRATA, TINY, Workspace
from exported import CATEGORIES, RUNS, export, replay, runs, snapshot_of, table  # noqa: F401 (a fixture too)
from torch.cuda import _memory_viz

SCHEMA = json.loads((REPOSITORY / "host/export/run.schema.json").read_text())


@RUNS
@pytest.mark.smoke
def test_a_chrome_trace_obeys_its_format(runs, run):
    trace = json.loads(export(runs, run, "chrome"))
    spans, ends = {}, {}
    for event in trace["traceEvents"]:
        assert {"ph", "ts", "pid", "tid", "name"} <= event.keys()
        assert event["ts"] >= 0
        if event["ph"] == "X":
            open_until = ends.setdefault(event["tid"], [])
            while open_until and open_until[-1] <= event["ts"] + 1e-6:
                open_until.pop()
            end = event["ts"] + event["dur"]
            assert not open_until or end <= open_until[-1] + 1e-3, event
            open_until.append(end)
        elif event["ph"] == "b":
            assert spans.setdefault(event["id"], event) is event
        elif event["ph"] == "e":
            assert spans.pop(event["id"])["ts"] <= event["ts"]
        else:
            assert event["ph"] in "MCi"
    assert not spans
    counters = {event["name"] for event in trace["traceEvents"] if event["ph"] == "C"}
    of_device = {"Reserved", "Device used", "Outside the allocator"}
    assert counters == {*CATEGORIES, "Allocated", "Resident"} | (of_device if run != "cpu" else set())
    slices = [event["name"] for event in trace["traceEvents"] if event["ph"] == "X"]
    assert slices.count("micro-batch 1") == 3
    assert slices.count("optimizer") == 3


def test_a_name_that_ends_in_gz_is_compressed(runs):
    export(runs, "cpu", "chrome", out="trace.json.gz")
    assert gzip.decompress((runs.folder / "trace.json.gz").read_bytes()) == export(runs, "cpu", "chrome")
    result = runs.strata("export", "cpu", "--format", "memory_viz", "--out", "snapshot.pickle.gz")
    assert (result.returncode, "use a name that ends in .pickle for --out" in result.stderr) == (2, True)


@RUNS
def test_json_obeys_its_schema_and_says_what_the_summary_says(runs, run):
    whole = json.loads(export(runs, run, "json"))
    jsonschema.validate(whole, SCHEMA)
    summary = json.loads((runs.folder / run / "summary.json").read_text())
    assert whole["peak"]["allocated_bytes"] == summary["peak"]["allocated_bytes"]
    assert whole["measured"] == summary["measured"]
    assert whole["dry"] == summary["dry"]
    for category in whole["categories"]:
        assert category["mean_over_events_bytes"] == summary["categories"][category["name"]]["mean"]
    for name in ("steps", "phases", "blocks", "timeline", "segments", "device_samples", "process_samples"):
        columns = len(whole[name]["columns"])
        assert all(len(row) == columns for row in whole[name]["rows"]), name


def test_csv_is_the_table_of_categories(runs):
    rows = {row["bytes"]: row for row in table(export(runs, "cpu", "csv"))}
    summary = json.loads((runs.folder / "cpu/summary.json").read_text())
    assert list(rows) == ["mean", "min", "median", "max", "mean_over_time", "at_peak"]
    for name in CATEGORIES:
        assert float(rows["mean"][name]) == pytest.approx(summary["categories"][name]["mean"], abs=0.06)
        assert int(rows["max"][name]) == summary["categories"][name]["max"]
        assert int(rows["at_peak"][name]) == summary["peak"]["categories"][name]


def test_csv_lists_every_block(runs):
    blocks = table(export(runs, "cpu", "csv", "--what", "blocks"))
    assert len(blocks) == len([entry for entry in snapshot_of(runs, "cpu")["device_traces"][0] if entry["action"] == "alloc"])
    assert {block["category"] for block in blocks} <= set(CATEGORIES)
    assert {"lm_head.weight", "layers.0.attn.q_proj.weight"} <= {block["owner"] for block in blocks}


HOSTILE = ["</script><script>", "it's \"quoted\", \\ and\nbroken\r\n", "\x1b[31mred\x07", "x" * 10_000, "=1+1", "\u202eright to left"]


def test_any_name_comes_through(runs, tmp_path):
    workspace = Workspace(tmp_path)
    workspace.write("tiny.yaml", TINY)
    assert workspace.strata("run", "tiny.yaml", "--out", "out").returncode == 0
    for name, wanted in zip(("layers.0", "layers.1", "forward", "lm_head.weight", "aten::add", "backward"), HOSTILE, strict=True):
        workspace.query("out", f"UPDATE string SET text = '{wanted.replace(chr(39), chr(39) * 2)}' WHERE text = '{name}'")
    workspace.query("out", "UPDATE string SET text = CAST(x'62616420ff' AS TEXT) WHERE text = 'optimizer'")
    snapshot = snapshot_of(workspace, "out")
    assert list(replay(snapshot))
    names = {frame["name"] for entry in snapshot["device_traces"][0] for frame in entry.get("frames", [])}
    assert {HOSTILE[2], HOSTILE[4], HOSTILE[5], "bad \ufffd"} <= names
    jsonschema.validate(json.loads(export(workspace, "out", "json")), SCHEMA)
    slices = {event["name"] for event in json.loads(export(workspace, "out", "chrome"))["traceEvents"]}
    assert {HOSTILE[2], HOSTILE[5], "bad \ufffd"} <= slices
    blocks = table(export(workspace, "out", "csv", "--what", "blocks"))
    cells = {cell for block in blocks for cell in block.values()}
    assert {*HOSTILE[:4], f"'{HOSTILE[4]}", HOSTILE[5]} <= cells and HOSTILE[4] not in cells


def test_addresses_of_64_bits_come_through(tmp_path):
    workspace = Workspace(tmp_path)
    workspace.write("tiny.yaml", TINY)
    assert workspace.strata("run", "tiny.yaml", "--out", "out").returncode == 0
    workspace.query("out", "UPDATE allocator_tracer_event SET address = address | (1 << 62)")
    assert all(entry["addr"] >= 2**62 for entry in snapshot_of(workspace, "out")["device_traces"][0] if entry["size"])
    workspace.query("out", "UPDATE allocator_tracer_event SET address = address | (1 << 63)")
    snapshot = snapshot_of(workspace, "out")
    assert all(2**62 <= entry["addr"] < 2**63 for entry in snapshot["device_traces"][0] if entry["size"]), "without the highest bit"
    assert list(replay(snapshot))
    blocks = table(export(workspace, "out", "csv", "--what", "blocks"))
    assert all(int(block["address"], 16) >= 2**63 for block in blocks)


@pytest.mark.parametrize(
    "words, said",
    [
        (["nowhere", "--format", "json", "--out", "x"], "no run nowhere"),
        (["cpu", "--format", "jsonl", "--out", "x"], "jsonl"),
        (["cpu", "--format", "json"], "--out is required"),
        (["cpu", "--format", "json", "--out", "x", "--what", "blocks"], "--what needs --format csv"),
        (["cpu", "--format", "csv", "--out", "x", "--what", "phases"], "phases"),
        (["cpu", "--format", "csv", "--out", "."], "--out . is a folder; name a file in it"),
        (["cpu", "--format", "csv", "--out", "no/folder/x"], "cannot be written: No such file or directory; name another"),
    ],
)
def test_what_cannot_be_done_is_refused(runs, words, said):
    result = runs.strata("export", *words)
    assert (result.returncode, result.stdout) == (2, "")
    assert said in result.stderr
    assert not (runs.folder / "x").exists()


def test_an_unknown_rank_is_refused(runs):
    result = runs.strata("export", "cpu", "--format", "csv", "--out", "x", "--rank", "7")
    assert result.returncode == 2
    assert "rank" in result.stderr
    assert not list(runs.folder.glob("x*"))


def test_a_rank_is_chosen(tmp_path, runs):
    workspace = Workspace(tmp_path)
    (tmp_path / "two").mkdir()
    for rank, run in enumerate(("cpu", "dry")):
        (tmp_path / f"two/rank{rank}").symlink_to(runs.folder / run / "rank0")
    for rank, run in enumerate(("cpu", "dry")):
        assert export(workspace, "two", "csv", "--rank", str(rank)) == export(runs, run, "csv")


def test_the_old_file_stays_until_the_new_one_is_whole(runs):
    target = runs.write("kept.json", "old")
    full = subprocess.run(
        ["bash", "-c", f"ulimit -f 8; trap '' XFSZ; exec {STRATA} export cpu --format json --out kept.json"],
        cwd=runs.folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert full.returncode == 1
    assert "cannot write kept.json: File too large; the incomplete file was removed" in full.stderr
    assert target.read_text() == "old"
    assert not list(runs.folder.glob("*.part"))
    export(runs, "cpu", "json", out="kept.json")
    assert json.loads(target.read_text())["schema"] == "strata.run/1"


@pytest.mark.parametrize(
    "run, said",
    [("cpu", ""), ("dry", "strata: a dry h100-80gb computed nothing: bytes come from the allocator, times are the host's only\n")],
)
def test_nothing_else_is_said(runs, run, said):
    result = runs.strata("export", run, "--format", "csv", "--out", "said.csv")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", said)


def test_a_link_stays_a_link(runs):
    target = runs.write("linked.csv", "old")
    (runs.folder / "link.csv").symlink_to("linked.csv")
    export(runs, "cpu", "csv", out="link.csv")
    assert (runs.folder / "link.csv").is_symlink()
    assert target.read_bytes() == export(runs, "cpu", "csv")


def test_a_run_that_was_killed_says_so(runs, tmp_path):
    workspace = Workspace(tmp_path)
    workspace.write("tiny.yaml", TINY)
    assert workspace.strata("run", "tiny.yaml", "--out", "out").returncode == 0
    workspace.query("out", "UPDATE meta SET value = 'recovered' WHERE key = 'state'")
    workspace.query("out", "DELETE FROM host_step_end WHERE step = 2")
    workspace.query("out", "DELETE FROM host_phase_end WHERE phase IN (SELECT max(phase) FROM host_phase_begin)")
    result = workspace.strata("export", "out", "--format", "json", "--out", "-")
    assert result.returncode == 0
    assert "recovered after the process died" in result.stderr
    jsonschema.validate(json.loads(result.stdout), SCHEMA)
    for form in ("memory_viz", "chrome", "csv"):
        assert workspace.strata("export", "out", "--format", form, "--out", "x").returncode == 0


def test_what_is_no_file_is_written_into(runs):
    export(runs, "cpu", "json", out="/dev/null")
    assert stat.S_ISCHR(pathlib.Path("/dev/null").stat().st_mode)
    full = runs.strata("export", "cpu", "--format", "json", "--out", "/dev/full")
    assert (full.returncode, full.stderr) == (1, "strata: cannot write /dev/full: No space left on device\n")


# A run with as many events as a day of training, after its last step, with a thousand blocks alive
# at any time.
MANY_EVENTS = """
INSERT INTO allocator_tracer_event (sequence, monotonic_ns, thread, action, device_type, device_index, address, bytes, stream, pool,
                                    device_handed_out_bytes, phase, op, module)
WITH RECURSIVE number(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n < {events} - 1),
     last(sequence, ns) AS (SELECT max(sequence), max(monotonic_ns) FROM allocator_tracer_event)
SELECT last.sequence + 1 + n, last.ns + 1000 * n, 1, iif(n < 1000, 1, 1 + (n + 1) % 2), 1, 0,
       1 << 46 | (iif(n < 1000, n, ((n - 1000) / 2) % 1000) << 16), iif(n < 1000 OR n % 2 = 1, 512 * (1 + n % 100), 0), 0, 0, 0, 0, 0, 0
FROM number, last
"""


@pytest.fixture(scope="module")
def million(tmp_path_factory):
    workspace = Workspace(tmp_path_factory.mktemp("million"))
    workspace.write("tiny.yaml", TINY)
    assert workspace.strata("run", "tiny.yaml", "--out", "out").returncode == 0
    workspace.query("out", MANY_EVENTS.format(events=1_000_000))
    return workspace


def cost(workspace, *words):
    """Return (seconds of CPU, largest resident size in MiB) of the program."""
    script = (
        "import resource, subprocess, sys; done = subprocess.run(sys.argv[1:], capture_output=True, text=True); "
        "used = resource.getrusage(resource.RUSAGE_CHILDREN); "
        "print(done.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)"
    )
    done = subprocess.run(["python3", "-c", script, *workspace.command(*words)], cwd=workspace.folder, capture_output=True, text=True, check=True)
    code, seconds, mebibytes = done.stdout.split()
    assert code == "0"
    return float(seconds), float(mebibytes)


@pytest.mark.long
def test_a_million_events_take_seconds_and_no_more_memory_than_the_report(million):
    _, of_report = cost(million, "report", "out", "--json")
    for form, words in (("memory_viz", []), ("chrome", []), ("json", []), ("csv", ["--what", "timeline"]), ("csv", ["--what", "blocks"])):
        seconds, mebibytes = cost(million, "export", "out", "--format", form, *words, "--out", "exported")
        assert seconds < 60, form
        assert mebibytes < of_report + 32, (form, of_report)


@pytest.mark.long
def test_torch_reads_a_million_events(million):
    export(million, "out", "memory_viz", out="snapshot.pickle")
    with open(million.folder / "snapshot.pickle", "rb") as file:
        snapshot = pickle.load(file)
    assert len(snapshot["device_traces"][0]) > 1_400_000
    assert "total_reserved" in _memory_viz.segsum(snapshot)


def is_writing(process, folder):
    """Whether the process has an open file in the folder that has no name yet, or a temporary
    one."""
    if list(folder.glob("*.part")):
        return True
    try:
        files = [os.readlink(link) for link in pathlib.Path(f"/proc/{process.pid}/fd").iterdir()]
    except OSError:
        return False  # a file was closed meanwhile
    return any(file.startswith(f"{folder.resolve()}/#") for file in files)


@pytest.mark.long
def test_ctrl_c_leaves_nothing(million):
    process = subprocess.Popen(
        million.command("export", "out", "--format", "json", "--out", "cut.json"),
        cwd=million.folder,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        stderr=subprocess.PIPE,
        text=True,
    )
    while not is_writing(process, million.folder):
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    assert "interrupted; nothing was written" in process.communicate(timeout=60)[1]
    assert process.returncode == 130
    assert not list(million.folder.glob("cut.json*"))
