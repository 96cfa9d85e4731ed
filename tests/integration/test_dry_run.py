# SPDX-License-Identifier: Apache-2.0
"""Runs on a simulated GPU: the real allocator's bytes, the same in every run, and the limits that
such runs state."""

import json
import os
import pathlib

import keep_dry_peaks
import pytest
from keep_dry_peaks import peaks

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
DATA = REPOSITORY / "tests/data"


@pytest.fixture
def small(workspace):
    workspace.write("small.yaml", keep_dry_peaks.CONFIG)
    return workspace


def run(workspace, *words, out="out"):
    result = workspace.strata("run", "small.yaml", "--out", out, "--json", *words)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout), result.stderr


@pytest.mark.smoke
def test_says_that_nothing_was_measured(small):
    summary, errors = run(small, "--dry", "h100-80gb")
    assert summary["measured"] is False
    assert summary["device"] == "cuda:0"
    dry = summary["dry"]
    assert (dry["profile"], dry["name"], dry["devices"]) == ("h100-80gb", "NVIDIA H100 80GB HBM3", 1)
    assert dry["memory_bytes"] == 85_017_624_576
    assert 0 < dry["context_bytes"]["low"] < dry["context_bytes"]["high"]
    assert dry["kernels_not_run"] > 1000
    assert dry["library_calls_not_computed"] > 100
    assert dry["unknown_reads"] == {"count": 4, "bytes": 16}, "the loss of each step"
    assert dry["unknown_reads_by"] == [{"reader": "aten::_local_scalar_dense", "count": 4, "bytes": 16, "answered": 0}]
    assert dry["answered_reads"] == 0
    assert dry["refused"] == []
    assert "a dry NVIDIA H100 80GB HBM3, which computes nothing" in errors
    assert "loss" not in errors

    manifest = json.loads((small.folder / "out/manifest.json").read_text())
    assert manifest["dry"]["profile"] == "h100-80gb"
    assert small.query("out", "SELECT value FROM meta WHERE key = 'dry'") == [("h100-80gb",)]
    assert small.query("out", "SELECT count(*) FROM step WHERE loss IS NOT NULL") == [(0,)]
    text = " ".join(small.strata("report", "out").stdout.split())
    assert "a dry NVIDIA H100 80GB HBM3: nothing was computed, no time measured" in text
    assert "tokens/s" not in text
    assert "Dry run" in (small.folder / "out/report.html").read_text()


def test_says_so_without_its_manifest_too(small):
    run(small, "--dry", "h100-80gb")
    (small.folder / "out/manifest.json").unlink()
    summary = json.loads(small.strata("report", "out", "--json").stdout)
    assert summary["measured"] is False
    assert summary["dry"]["profile"] == "h100-80gb"


def test_every_byte_is_named_and_every_sum_is_the_allocators_own(small):
    summary, _ = run(small, "--dry", "h100-80gb", "trace.cross_check=true", "trace.saved_tensors=true")
    assert summary["categories"]["Unknown"]["max"] == 0
    check = summary["checks"]["cross_check"]
    assert check["events"] > 500
    assert check["events_compared"] == check["events"]
    assert (check["reports_without_event"], check["mismatches"]) == (0, 0)
    assert summary["checks"]["saved_tensors"]["blocks_labelled_differently"] == 0


def test_the_event_stream_is_the_same_in_every_run(small):
    def events(out):
        run(small, "--dry", "a100-40gb", out=out)
        return small.query(
            out,
            "SELECT action, device_type, device_index, address, bytes, stream, pool, device_handed_out_bytes, phase, module"
            " FROM allocator_tracer_event WHERE device_type = 2 ORDER BY sequence",
        )

    first = events("one")
    assert len(first) > 500
    assert first == events("two") == events("three")


GOLDEN = json.loads((DATA / "dry_peaks.json").read_text())
# One of each generation of the allocator's and cuBLAS's sizes; the others run with the long tests.
QUICK = {("h100-80gb", "small"), ("h100-80gb", "wide"), ("t4", "accumulated")}


@pytest.mark.parametrize(
    "profile, name",
    [
        pytest.param(profile, name, marks=[] if (profile, name) in QUICK else pytest.mark.long)
        for profile, runs in GOLDEN.items()
        for name in runs
    ],
)
def test_the_peaks_of_each_profile_are_the_kept_ones(tmp_path, profile, name):
    summary = keep_dry_peaks.run(tmp_path, profile, keep_dry_peaks.RUNS[name])
    assert peaks(summary) == GOLDEN[profile][name]


def block(elements, bytes_each=4):
    """The bytes of a tensor: whole units of 512."""
    return (elements * bytes_each + 511) // 512 * 512


# CONFIG's shape: 2 layers, d_model 128, d_ff 384, 4 heads of 32, vocabulary of 512, 4 sequences of
# 64 tokens.
TOKENS = 4 * 64
WEIGHTS = (
    2 * block(512 * 128)  # embedding and head
    + 2 * (4 * block(128 * 128) + 3 * block(128 * 384) + 2 * block(128))  # attention, feed-forward, norms
    + block(128)  # the last norm
)
ROTARY = block(2 * 64 * 16)  # cosine and sine of each position, for half of a head
BATCH = 2 * block(4 * 64, 8)  # input and target
WORKSPACE = 2 * 4096 * 1024 + 8 * 16 * 1024  # cuBLAS's, as ATen allocates it before Hopper


def test_the_bytes_of_a_forward_by_hand(small):
    summary, _ = run(small, "--dry", "a100-40gb", "mode=forward")
    # The peak is at the end of a feed-forward. Four tensors have the model's width: the layer's
    # input, its sum with attention's output, the norm of that, and the result. Four have the
    # feed-forward's width: w1 x, w3 x, the gate and their product.
    tensors = 4 * block(TOKENS * 128) + 4 * block(TOKENS * 384)
    assert summary["peak"]["allocated_bytes"] == WEIGHTS + ROTARY + BATCH + WORKSPACE + tensors
    # The workspace is below 10 MiB, so it is in a segment of 20 MiB. All other blocks are at most 1
    # MiB and come from segments of 2 MiB; their 4.2 MiB need three.
    assert summary["peak"]["reserved_bytes"] == (20 + 3 * 2) << 20


def test_the_bytes_that_training_keeps_by_hand(small):
    summary, _ = run(small, "--dry", "a100-40gb")
    categories = summary["categories"]
    assert categories["Parameter"]["min"] == categories["Parameter"]["max"] == WEIGHTS + ROTARY
    assert categories["Optimizer_State"]["min"] == categories["Optimizer_State"]["max"] == 2 * WEIGHTS
    assert categories["Gradient"]["min"] == 0, "zero_grad sets to none"
    assert categories["Gradient"]["max"] == WEIGHTS + block(1), "and the loss's own, which backward begins with"
    assert categories["Input"]["max"] == BATCH
    assert categories["Temporary"]["min"] == 2 * WORKSPACE, "one for each thread that computes: forward and backward"


def test_a_step_of_3_4_billion_parameters_needs_little_of_the_host(small):
    """The host keeps none of the 54.5 GB of parameters, gradients and state."""
    process = small.start(
        *("run", "small.yaml", "--out", "out", "--dry", "b200", "model={size: 2.7b, context: 512}", "--json"),
    )
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, process.stderr.read()
    summary = json.loads(output)
    assert summary["peak"]["categories"]["Parameter"] > 3_406_809_600 * 4
    assert usage.ru_maxrss * 1024 < 1 << 30


def test_a_run_that_does_not_fit_ends_as_one_without_memory(small):
    result = small.strata("run", "small.yaml", "--out", "out", "--dry", "t4", "model={size: 2.7b, context: 512}")
    assert result.returncode == 3
    assert "CUDA out of memory. Tried to allocate" in result.stderr
    summary = json.loads((small.folder / "out/summary.json").read_text())
    assert summary["measured"] is False


def test_a_modelled_clock_says_that_it_is_one(small):
    first, _ = run(small, "--dry", "h100-80gb", "--clock", "modelled", "--cudnn-workspace", "32MiB")
    clock = first["dry"]["modelled_clock"]
    assert sum(sums["works"] for sums in clock.values()) > first["dry"]["kernels_not_run"] > 1000
    assert all(sums["ns"] > 0 for sums in (clock["matrix_products"], clock["elementwise"], clock["copies"]))
    assert first["dry"]["workspace_bytes"] == {
        "cudnn": {"low": 0, "high": None, "used": 32 << 20},
        "cusolver": {"low": 0, "high": None, "used": 0},
    }
    assert first["measured"] is False
    report = " ".join(small.strata("report", "out").stdout.split())
    assert "times of the device are modelled, none is measured" in report

    again, _ = run(small, "--dry", "h100-80gb", "--clock", "modelled", out="again")
    assert again["dry"]["modelled_clock"] == clock
    plain, _ = run(small, "--dry", "h100-80gb", out="plain")
    assert plain["dry"]["modelled_clock"] is None
    assert plain["peak"] == first["peak"], "a step in one stream allocates the same, whatever time it takes"


def test_a_card_of_ones_own(small):
    profile = (REPOSITORY / "configs/devices/t4.yaml").read_text().replace("Tesla T4", "My Card")
    small.write("own.yaml", profile)
    summary, errors = run(small, "--dry", "./own.yaml:2")
    assert (summary["dry"]["name"], summary["dry"]["devices"]) == ("My Card", 2)
    assert "a dry My Card" in errors


@pytest.mark.parametrize(
    "words, message",
    [
        (["--dry", "h100-80bg"], "strata: run: --dry h100-80bg: unknown device 'h100-80bg'; did you mean 'h100-80gb'?"),
        (["--dry", "h100-80gb:0"], "run: --dry h100-80gb:0: expected an integer from 1 to 64, found '0'"),
        (["--dry", "./none.yaml"], "run: --dry ./none.yaml: the file"),
        (["--dry", "t4", "--clock", "real"], "run: --clock real: expected none or modelled, found 'real'"),
        (["--dry", "t4", "--device-memory", "24"], "run: --device-memory 24: expected bytes from 1GiB to 1TiB, such as 24GiB"),
        (["--dry", "4090"], "run: --dry 4090: unknown device '4090'; did you mean 'rtx-4090'?"),
        (["--dry", "A100"], "unknown device 'A100'; did you mean 'a100-40gb' or 'a100-80gb'?"),
        (["--clock", "modelled"], "run: --clock needs a dry device; add --dry PROFILE"),
        (["device=cuda"], "use `--dry h100-80gb`, a simulated device that computes nothing"),
    ],
)
def test_what_cannot_be_had_is_refused_and_leaves_nothing(small, words, message):
    result = small.strata("run", "small.yaml", "--out", "out", *words)
    assert result.returncode == 2
    assert message in result.stderr
    assert small.names() == ["small.yaml"]


def test_none_of_cudas_own_libraries_is_opened(small):
    result = small.strata("run", "small.yaml", "--out", "out", "--dry", "h100-80gb", "plugins=[]", LD_DEBUG="files")
    assert result.returncode == 0
    opened = {line.split()[-1] for line in result.stderr.splitlines() if "calling init:" in line}
    assert any("libtorch_cuda.so" in path for path in opened)
    # A compiler, and two libraries that torch links and that make no device calls.
    harmless = ("libnvrtc", "libcufile", "libnvshmem")
    assert [path for path in opened if "/nvidia/" in path and not any(name in path for name in harmless)] == []


BATCH_BYTES = 2 * 32 * 8  # tokens, or targets, of a micro-batch


def test_pinned_memory_is_told(tiny):
    """Two tensors of each micro-batch, which a CUDA device copies from, and each loss that the host
    reads."""
    result = tiny.strata(
        "run", "tiny.yaml", "--dry", "h100-80gb", "--out", "out", "--json", "data.pin_memory=true", "data.prefetch=1"
    )
    assert result.returncode == 0, result.stderr
    memory = {other["device"]: other for other in json.loads(result.stdout)["other_memory"]}
    events = tiny.query(
        "out", "SELECT action, address, bytes FROM allocator_tracer_event WHERE device_type = 3 AND action < 3 ORDER BY sequence"
    )
    sizes = [size for action, _, size in events if action == 1]
    assert sizes.count(BATCH_BYTES) == 2 * 3
    assert [size for size in sizes if size != BATCH_BYTES] == [4] * 3
    alive = set()
    for action, address, _ in events:
        alive.symmetric_difference_update({address})
        assert (action == 1) == (address in alive)
    assert not alive
    assert memory["pinned"] == {
        "device": "pinned",
        "peak_allocated_bytes": 2 * BATCH_BYTES,  # freed once copied, before the loss is read
        "peak_reserved_bytes": 2 * BATCH_BYTES + 4,
        "blocks": len(sizes),
        "peak_offloaded_bytes": 0,
    }
    assert memory["cpu"]["blocks"] > len(sizes)
    assert "MiB at most on pinned beside it" in tiny.strata("report", "out").stdout


def test_a_run_on_the_cpu_has_no_other_memory(finished):
    assert json.loads((finished.folder / "out/summary.json").read_text())["other_memory"] == []
