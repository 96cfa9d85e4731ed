"""`strata export`: what other tools read, read by these tools."""

import csv
import gzip
import io
import json
import pathlib
import pickle
import pickletools
import signal
import stat
import subprocess

import jsonschema
import pytest
from conftest import REPOSITORY, STRATA, TINY, Workspace
from torch.cuda import _memory_viz

CATEGORIES = ["Parameter", "Optimizer_State", "Input", "Temporary", "Activation", "Gradient", "Autograd_Detail", "Unknown"]
SCHEMA = json.loads((REPOSITORY / "host/export/run.schema.json").read_text())

# Of those that the reader of MemoryViz.js knows, in each of its versions, those that read_narrowly does.
KNOWN_OPCODES = {
    *("PROTO", "STOP", "MARK", "BINPUT", "LONG_BINPUT", "BINGET", "LONG_BINGET", "EMPTY_DICT", "SETITEMS", "EMPTY_LIST", "APPENDS"),
    *("TUPLE2", "BININT", "BININT1", "BININT2", "LONG1", "NEWTRUE", "NEWFALSE", "BINUNICODE"),
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A workspace with a run on the CPU and runs on a dry card, with segments of a fixed size and with expandable ones."""
    workspace = Workspace(tmp_path_factory.mktemp("runs"))
    workspace.write("tiny.yaml", TINY + "accumulation: 2\n")
    for out, words, environment in (
        ("cpu", [], {}),
        ("dry", ["--dry", "h100-80gb"], {}),
        ("expandable", ["--dry", "h100-80gb"], {"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True"}),
    ):
        result = workspace.strata("run", "tiny.yaml", *words, "--out", out, **environment)
        assert result.returncode == 0, result.stderr
    return workspace


RUNS = pytest.mark.parametrize("run", ["cpu", "dry", "expandable"])


def export(workspace, run, form, *words, out="-", **options):
    """What the command writes to standard output, as bytes."""
    done = subprocess.run(
        workspace.command("export", run, "--format", form, "--out", out, *words),
        cwd=workspace.folder,
        capture_output=True,
        check=False,
        timeout=400,
        **options,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def snapshot_of(workspace, run):
    return pickle.loads(export(workspace, run, "memory_viz"))


def table(text):
    return list(csv.DictReader(io.StringIO(text.decode())))


def replay(snapshot):
    """(categories, allocated) after each event; holds that each free has its allocation and each block a segment."""
    trace = snapshot["device_traces"][-1]
    mapped = {}
    for segment in snapshot["segments"]:
        mapped[segment["address"]] = segment["address"] + segment["total_size"]
    # memory_viz knows the segments at the end, and goes back from there.
    for entry in reversed(trace):
        begin, end = entry["addr"], entry["addr"] + entry["size"]
        if entry["action"] == "free_completed":
            assert any(start <= begin and end <= stop for start, stop in mapped.items()), entry
        elif entry["action"] == "segment_alloc":
            assert mapped.pop(begin) == end
        elif entry["action"] == "segment_free":
            mapped[begin] = end
    alive, sums = {}, dict.fromkeys((name.lower() for name in CATEGORIES), 0)
    for entry in trace:
        if entry["action"] == "alloc":
            assert entry["addr"] not in alive
            alive[entry["addr"]] = entry
            sums[entry["category"]] += entry["size"]
        elif entry["action"] == "free_completed":
            sums[alive.pop(entry["addr"])["category"]] -= entry["size"]
        else:
            continue
        yield list(sums.values())


def read_narrowly(pickled):
    """The value of a pickle, read as MemoryViz.js reads it and no wider: its opcodes, 8 bytes a number, 1,000 items at once."""
    stack, marks, memo = [], [], {}
    for opcode, argument, _ in pickletools.genops(pickled):
        name = opcode.name
        assert name in KNOWN_OPCODES, name
        if name == "PROTO":
            assert argument <= 4
        elif name == "MARK":
            marks.append(len(stack))
        elif name in ("BINPUT", "LONG_BINPUT"):
            memo[argument] = stack[-1]
        elif name in ("BINGET", "LONG_BINGET"):
            stack.append(memo[argument])
        elif name in ("APPENDS", "SETITEMS"):
            mark = marks.pop()
            items = stack[mark:]
            del stack[mark:]
            assert len(items) <= 1000
            if name == "APPENDS":
                stack[-1].extend(items)
            else:
                stack[-1].update(zip(items[::2], items[1::2], strict=True))
        elif name == "TUPLE2":
            stack[-2:] = [tuple(stack[-2:])]
        elif name != "STOP":
            if name == "LONG1":
                assert -(2**63) <= argument < 2**63
            stack.append({"EMPTY_LIST": list, "EMPTY_DICT": dict, "NEWTRUE": lambda: True, "NEWFALSE": lambda: False}.get(name, lambda: argument)())
    (value,) = stack
    return value


@RUNS
def test_the_snapshot_is_a_pickle_that_memory_viz_can_read(runs, run):
    pickled = export(runs, run, "memory_viz")
    assert read_narrowly(pickled) == pickle.loads(pickled)


@RUNS
def test_the_sums_of_the_snapshot_are_those_of_the_timeline(runs, run):
    timeline = table(export(runs, run, "csv", "--what", "timeline"))
    sums = list(replay(snapshot_of(runs, run)))
    assert sums == [[int(row[name]) for name in CATEGORIES] for row in timeline]
    summary = json.loads((runs.folder / run / "summary.json").read_text())
    within = [row for row in timeline if row["step"] in ("1", "2")]
    assert max(int(row["Allocated"]) for row in within) == summary["peak"]["allocated_bytes"]


def test_the_sums_of_the_snapshot_are_those_of_the_store(runs):
    """On the CPU a block is as large as was asked for, so that the store's own rows add up to the same."""
    alive, total, most = {}, 0, 0
    rows = runs.query("cpu", "SELECT action, address, bytes FROM allocator_tracer_event ORDER BY sequence")
    totals = []
    for action, address, size in rows:
        if action == 1:
            alive[address] = size
            total += size
        elif address in alive:
            total -= alive.pop(address)
        else:
            continue
        most = max(most, total)
        totals.append(total)
    assert [sum(sums) for sums in replay(snapshot_of(runs, "cpu"))] == totals
    assert most > 0


@RUNS
def test_torchs_own_tools_read_the_snapshot(runs, run):
    snapshot = snapshot_of(runs, run)
    entries = snapshot["device_traces"][-1]
    assert f"{len(entries)} entries" in _memory_viz.trace(snapshot)
    assert "total_reserved" in _memory_viz.segsum(snapshot), "which asserts that blocks fill their segments"
    lines = _memory_viz.memory(snapshot, format_flamegraph=str)
    assert lines.startswith("stream_0;")
    assert _memory_viz.segments(snapshot, format_flamegraph=str).startswith("stream_0;seg_")
    assert _memory_viz.compare([], snapshot["segments"], format_flamegraph=str).startswith("only_after;")
    for plot in (_memory_viz.trace_plot, _memory_viz.segment_plot):
        assert "snapshot.pickle" in plot(snapshot)
    kept = _memory_viz.filter_alloc_free_pairs(snapshot)["device_traces"][-1]
    assert not [entry for entry in kept if entry["action"].startswith("free")]


def test_the_legend_names_every_category_in_the_tables_order(runs):
    order = list(dict.fromkeys(entry["category"] for entry in snapshot_of(runs, "cpu")["device_traces"][-1] if "category" in entry))
    assert order == [name.lower() for name in CATEGORIES]


def test_a_snapshot_of_a_card_has_its_segments(runs):
    summary = json.loads((runs.folder / "dry/summary.json").read_text())
    most = 0
    reserved = 0
    for entry in snapshot_of(runs, "dry")["device_traces"][0]:
        reserved += {"segment_alloc": entry["size"], "segment_free": -entry["size"]}.get(entry["action"], 0)
        most = max(most, reserved)
    assert most == max(step["peak_reserved_bytes"] for step in summary["steps"])
    expandable = snapshot_of(runs, "expandable")
    assert {entry["action"] for entry in expandable["device_traces"][0]} >= {"segment_map", "alloc", "free_requested"}
    assert all(segment["is_expandable"] for segment in expandable["segments"])


def test_frames_and_marks_say_where_a_block_was_made(runs):
    snapshot = snapshot_of(runs, "cpu")
    entry = next(entry for entry in snapshot["device_traces"][0] if "layers.0.attn.q_proj.weight" in entry.get("user_metadata", ""))
    assert entry["category"] == "parameter"
    assert {"filename": "phase", "line": 0, "name": "setup"} in entry["frames"]
    names = [mark["name"] for mark in snapshot["external_annotations"] if mark["stage"] == "START"]
    assert names.count("forward") == 6
    assert [name for name in names if name.startswith("step")] == ["step 0", "step 1", "step 2"]
    times = [mark["time_us"] for mark in snapshot["external_annotations"]]
    assert times == sorted(times)


@RUNS
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
    assert counters == {*CATEGORIES, "Allocated"} | ({"Reserved"} if run != "cpu" else set())
    slices = [event["name"] for event in trace["traceEvents"] if event["ph"] == "X"]
    assert slices.count("micro-batch 1") == 3
    assert slices.count("optimizer") == 3


def test_a_name_that_ends_in_gz_is_compressed(runs):
    export(runs, "cpu", "chrome", out="trace.json.gz")
    assert gzip.decompress((runs.folder / "trace.json.gz").read_bytes()) == export(runs, "cpu", "chrome")
    result = runs.strata("export", "cpu", "--format", "memory_viz", "--out", "snapshot.pickle.gz")
    assert (result.returncode, "end --out in .pickle" in result.stderr) == (2, True)


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
    for name in ("steps", "phases", "blocks", "timeline", "segments"):
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
    assert HOSTILE[3] in {block["owner"] for block in blocks}


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
        (["nowhere", "--format", "json", "--out", "x"], "nowhere is not a run"),
        (["cpu", "--format", "jsonl", "--out", "x"], "jsonl"),
        (["cpu", "--format", "json"], "--out is required"),
        (["cpu", "--format", "json", "--out", "x", "--what", "blocks"], "--what goes with --format csv"),
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
    assert result.returncode == 1
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
    assert "cannot write kept.json: File too large; nothing was left behind" in full.stderr
    assert target.read_text() == "old"
    assert not list(runs.folder.glob("*.part"))
    export(runs, "cpu", "json", out="kept.json")
    assert json.loads(target.read_text())["schema"] == "strata.run/1"


@pytest.mark.parametrize(
    "run, said",
    [("cpu", ""), ("dry", "strata: a dry h100-80gb computed nothing: bytes are the allocator's, times the host's alone\n")],
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


# A run as long as a day of training: events after the last step, a thousand blocks alive at any time.
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
    """(seconds of CPU, MiB of the largest resident size) of the program."""
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


@pytest.mark.long
def test_ctrl_c_leaves_nothing(million):
    process = subprocess.Popen(
        million.command("export", "out", "--format", "json", "--out", "cut.json"),
        cwd=million.folder,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        stderr=subprocess.PIPE,
        text=True,
    )
    while not list(million.folder.glob("cut.json.*.part")):
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    assert "interrupted; nothing was written" in process.communicate(timeout=60)[1]
    assert process.returncode == 130
    assert not list(million.folder.glob("cut.json*"))
