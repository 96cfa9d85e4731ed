# SPDX-License-Identifier: Apache-2.0
"""CUDA allocators that do not report their blocks: cudaMallocAsync's, and one that the program
plugged in."""

import json
import pathlib
import sys

import keep_dry_peaks
import pytest
from device_use import ALLOCATE, FREE, MIB, OUT_OF_MEMORY, RESERVED, cuda_events, record_use, report
from workspaces import STRATA

ASYNC = "backend:cudaMallocAsync"
NATIVE_TRACING, COUNTED, UNCOUNTED = 1, 2, 3


@pytest.fixture
def small(workspace):
    workspace.write("small.yaml", keep_dry_peaks.CONFIG)
    return workspace


def train(workspace, *words, out="out", settings=""):
    result = workspace.strata(
        *("run", "small.yaml", "--dry", "h100-80gb", "--out", out, "--json", *words), PYTORCH_CUDA_ALLOC_CONF=settings
    )
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout), result.stderr


def test_a_training_over_cuda_malloc_async_is_seen_whole(small):
    """Every sum of the categories equals the driver's count at that moment. Nothing is unknown. No
    byte is missing compared with the same training on torch's own allocator, whose blocks have the
    same sizes."""
    summary, errors = train(small, "trace.cross_check=true", "trace.saved_tensors=true", settings=ASYNC)
    assert "torch's CUDA allocator here is 'cudaMallocAsync', which does not report segments" in errors
    check = summary["checks"]["cross_check"]
    assert check["events"] > 500
    assert check["events_compared"] == check["events"]
    assert (check["reports_without_event"], check["mismatches"]) == (0, 0)
    assert summary["checks"]["saved_tensors"]["blocks_labelled_differently"] == 0
    assert summary["categories"]["Unknown"]["max"] == 0
    native, _ = train(small, out="native")
    for key in ("allocated_bytes", "step", "phase"):
        assert summary["peak"][key] == native["peak"][key]
    assert summary["peak"]["categories"] == native["peak"]["categories"]
    # The driver's pool holds the maximum that was in use, in whole pages of 2 MiB.
    assert summary["peak"]["reserved_bytes"] % (2 * MIB) == 0
    assert 0 <= summary["peak"]["reserved_bytes"] - summary["peak"]["allocated_bytes"] < 2 * MIB
    assert {place["reserved_bytes"] for place in summary["places"]} == {None}
    assert small.query("out", "SELECT text, tracing FROM torch_cuda_allocator JOIN string ON id = name") == [
        ("cudaMallocAsync", COUNTED)
    ]
    text = small.strata("report", "out").stdout
    assert "every block is here, and what was" in text


def test_losses_and_the_allocators_own_sums_are_the_programs(small):
    """A wrapped allocator behaves the same with the tracer and without: the same bytes at the same
    calls."""
    plain, _ = train(small, "plugins=[]", out="plain", settings=ASYNC)
    traced, _ = train(small, settings=ASYNC)
    assert plain["dry"]["kernels_not_run"] == traced["dry"]["kernels_not_run"]
    assert plain["dry"]["refused"] == traced["dry"]["refused"] == []


@pytest.mark.parametrize("what", ["streams", "devices", "threads", "raw"])
def test_a_plugged_in_allocator_counts_the_same(workspace, what):
    """After every event the live blocks sum up to the allocator's own count."""
    totals, errors = record_use(workspace, what, "plugged")
    assert "torch's CUDA allocator here is 'pluggable', which keeps no count" in errors
    older = 10 * MIB  # allocated before the run
    blocks, sums = {}, []
    for action, address, size in cuda_events(workspace, "action", "address", "bytes"):
        assert action in (ALLOCATE, FREE)
        if action == ALLOCATE:
            blocks[address] = size
        else:
            assert blocks.pop(address) == size
        sums.append(sum(blocks.values()))
    # The older block is freed after the last step; the run sees nothing after that.
    last = next(index for index, (now, then) in enumerate(zip([older, *totals], totals)) if now - then == older)
    assert [total - older for total in totals[:last]] == sums
    assert len(sums) > 3
    assert workspace.query("out", "SELECT tracing FROM torch_cuda_allocator") == [(UNCOUNTED,)]
    assert "was 'pluggable', which keeps no count" in " ".join(workspace.strata("report", "out").stdout.split())


def test_a_plugged_in_allocator_reports_nothing_that_sums_could_be_compared_with(workspace):
    """The allocator could use c10's memory reporting, but no reports arrive: a check that was asked
    for has failed."""
    record_use(workspace, "threads", "plugged", "reports")
    check = report(workspace)["checks"]["cross_check"]
    assert check["events"] > 3
    assert check["events_compared"] == check["reports_without_event"] == 0


@pytest.mark.parametrize("settings", ["", ASYNC])
@pytest.mark.parametrize("what", ["streams", "threads", "raw", "devices"])
def test_every_block_of_every_thread_stream_and_device_dies_as_it_was_born(workspace, what, settings):
    record_use(workspace, what, settings=settings)
    alive = {}
    events = cuda_events(workspace, "action", "address", "bytes", "device_index", "stream")
    for action, address, size, device, stream in events:
        if action == ALLOCATE:
            assert address not in alive
            alive[address] = (size, device, stream)
        elif action == FREE and address in alive:
            assert alive.pop(address) == (size, device, stream)
    assert len(events) > 6
    assert len({stream for *_, stream in events}) > (1 if what in ("streams", "raw") else 0)


@pytest.mark.parametrize(("words", "settings"), [(["plugged"], ""), ([], ASYNC)])
def test_threads_that_race_are_seen_in_the_allocators_order(workspace, words, settings):
    """No two live blocks share an address, each dies once, and the count that grew is that of whole
    blocks."""
    record_use(workspace, "race", *words, settings=settings)
    events = cuda_events(workspace, "action", "address", "bytes", "device_handed_out_bytes", "thread")
    blocks, freed, handed_out = {}, 0, 0
    for action, address, size, total, _ in events:
        assert total == (0 if words else handed_out)
        if action == ALLOCATE:
            assert blocks.setdefault(address, size) == size
            handed_out += (size + 511) // 512 * 512
        elif action == FREE and address in blocks:
            assert blocks.pop(address) == size
            freed += 1
    assert freed == 2 * 4 * 150 + 1 and len(blocks) == 1
    assert len({thread for *_, thread in events}) == 2 * 4 + 1


def test_what_was_asked_for_and_not_had_is_told(workspace):
    for words, settings, out in (([], ASYNC, "async"), (["plugged"], "", "plugged"), ([], "", "native")):
        record_use(workspace, "out_of_memory", *words, settings=settings, out=out)
        failures = report(workspace, out=out)["out_of_memory"]
        assert [failure["requested_bytes"] for failure in failures] == [MIB * MIB] * 2, out
        assert failures[0]["allocated_bytes"] == 65 * MIB + (3 if out == "plugged" else 512)
        assert (failures[0]["device_free_bytes"] is None) == (out == "plugged")
        assert (failures[0]["largest_gap_bytes"] is None) == (out == "async"), "of a sum, nobody knows the pieces"
        assert ("whose largest free piece" in workspace.strata("report", out).stdout) == (out == "native")
        # The program continued. A plugged-in allocator gives it no memory then, and the program
        # does not check.
        assert report(workspace, out=out)["peak"]["allocated_bytes"] > (65 if out == "plugged" else 66) * MIB


REFUSED = """
import torch
layer = torch.nn.Linear(8, 8)
try:
    layer(torch.ones(8, 8).cuda())
except ValueError as error:
    print(error)
    if {raises}: raise
layer(torch.ones(8, 8)).sum().backward()
"""


@pytest.mark.parametrize("raises", [True, False])
def test_settings_that_torch_refuses_are_refused_while_recording_too(workspace, raises):
    workspace.write("refused.py", REFUSED.format(raises=raises))

    def run(*words):
        words = ("exec", "--dry", "l4", *words, "--", sys.executable, "refused.py")
        result = workspace.strata(*words, PYTORCH_ALLOC_CONF="expandable_segment:True")
        return result.returncode, result.stdout, result.stderr.split("strata: ")[0]

    plain = run("--plugins", "none")
    assert run("--out", "out") == plain
    assert plain[0] == raises and "Unrecognized key 'expandable_segment'" in plain[1]
    assert report(workspace)["out_of_memory"] == [], "what came before is recorded"


def test_what_is_reserved_is_told_before_the_block_it_grew_for(workspace):
    record_use(workspace, "streams", settings=ASYNC)
    reserved, allocated, blocks = 0, 10 * MIB, {}
    for action, address, size in cuda_events(workspace, "action", "address", "bytes"):
        if action == RESERVED:
            reserved = size
        elif action == ALLOCATE:
            blocks[address] = size
            assert sum(blocks.values()) + 10 * MIB <= reserved
        else:
            blocks.pop(address, None)
    assert reserved % (2 * MIB) == 0 and reserved > 0


def test_exports_and_replays_of_such_a_run(workspace):
    record_use(workspace, "streams", settings=ASYNC)
    result = workspace.strata("replay", "out")
    assert result.returncode == 2
    assert "its CUDA allocator was 'cudaMallocAsync', but a replay needs the requests to torch's own" in result.stderr
    for form, name in (("memory_viz", "snapshot.pickle"), ("chrome", "trace.json"), ("csv", "table.csv"), ("json", "all.json")):
        result = workspace.strata("export", "out", "--format", form, "--out", name)
        assert result.returncode == 0, result.stderr
    segments = json.loads((workspace.folder / "all.json").read_text())["segments"]
    assert segments["rows"][0][4] > 0


def test_torchs_own_allocator_is_said_to_tell_of_itself(small):
    train(small)
    assert small.query("out", "SELECT text, tracing FROM torch_cuda_allocator JOIN string ON id = name") == [
        ("native", NATIVE_TRACING)
    ]
    assert "torch's CUDA allocator" not in small.strata("report", "out").stdout


@pytest.mark.parametrize("variable", ["PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF"])
def test_the_doctor_says_how_the_allocator_is_seen(workspace, variable):
    def finding(**environment):
        checks = json.loads(workspace.strata("doctor", "--json", **environment).stdout)["checks"]
        (found,) = [check for check in checks if check["name"] == "CUDA allocator"]
        return found

    assert finding()["detail"] == "torch's own, which reports blocks and segments"
    found = finding(**{variable: ASYNC})
    assert found["detail"].startswith(f"cudaMallocAsync ({variable}): runs see its blocks through a wrapper")
    assert variable in found["remedy"]


def test_a_program_with_a_copy_of_torchs_allocator_may_start_cuda_late(workspace):
    """The linker makes such a copy when a program that is not position-independent names the
    variable."""
    program = pathlib.Path(STRATA).resolve().parents[1] / "tests/start_cuda_late"
    result = workspace.strata("exec", "--dry", "h100-80gb", "--out", "out", "--", program)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == "native"
    assert (ALLOCATE, 24 * MIB) in cuda_events(workspace, "action", "bytes")
