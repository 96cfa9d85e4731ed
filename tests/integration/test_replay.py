# SPDX-License-Identifier: Apache-2.0
"""`strata replay`: runs a recording's CUDA allocations again through the same allocator, as recorded and with other settings."""

import json
import pathlib
import subprocess
import sys

import keep_dry_peaks
import pytest
from workspaces import STRATA

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
RECORDER = pathlib.Path(STRATA).resolve().parents[1] / "tests/record_allocations"
MIB = 1 << 20

WIDE = ["model.d_model=768", "model.d_ff=3072", "model.heads=12", "model.vocab=10000"]
CLASSIFIER = ["model={name: resnet18, size: resnet18}", "data.batch_size=2"]


@pytest.fixture
def small(workspace):
    workspace.write("small.yaml", keep_dry_peaks.CONFIG)
    card = (REPOSITORY / "configs/devices/t4.yaml").read_text().replace("15637086208", "2GiB")
    workspace.write("card.yaml", card)
    return workspace


def record(workspace, *words, out="out", settings="", dry="h100-80gb"):
    result = workspace.strata("run", "small.yaml", "--out", out, "--json", "--dry", dry, *words, PYTORCH_CUDA_ALLOC_CONF=settings)
    return result.returncode, json.loads(result.stdout or "{}")


def record_random(workspace, seed, *what, settings="", clock="none", calls=12_000):
    """A program of random calls on 2 GiB that needs most of the memory."""
    result = workspace.strata(
        *("exec", "--plugins", "none", "--dry", "./card.yaml", "--clock", clock, "--", RECORDER, "random", seed, calls, *what),
        PYTORCH_CUDA_ALLOC_CONF=settings,
    )
    assert result.returncode == 0, result.stderr


def replay(workspace, *words, out="out"):
    result = workspace.strata("replay", out, "--json", *words)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def assert_as_recorded(first, least=500):
    assert first["as_recorded"]["calls"] > least
    assert first["as_recorded"]["different"] == 0, first["as_recorded"]


def recorded_sums(workspace, out):
    """Return (allocated, reserved) after each allocation and free, from the store alone: the difference of the
    allocator's own totals is a block's size. The last event is left out, because no total follows it."""
    rows = workspace.query(
        out,
        "SELECT action, address, bytes, device_handed_out_bytes FROM allocator_tracer_event WHERE device_type = 2 ORDER BY sequence",
    )
    blocks, allocated, reserved, sums = {}, 0, 0, []
    for (action, address, size, total), (*_, next_total) in zip(rows, rows[1:]):
        if action == 1:
            blocks[address] = next_total - total
            allocated += next_total - total
        elif action == 2:
            allocated -= blocks.pop(address)
        reserved += {3: size, 4: -size}.get(action, 0)
        if action in (1, 2):
            sums.append((allocated, reserved))
    return sums


@pytest.mark.smoke
@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ("", []),
        ("", ["accumulation=2", "optimizer.name=sgd", "optimizer.momentum=0.9"]),
        ("", ["precision=bf16_autocast", "checkpointing=block", *WIDE]),
        ("", ["optimizer.name=galore_adamw", "data.workers=2", "data.pin_memory=true"]),
        ("expandable_segments:True", WIDE),
        ("max_split_size_mb:21", WIDE),
        ("roundup_power2_divisions:4", WIDE),
        ("roundup_power2_divisions:[256:1,512:2,>:4],max_split_size_mb:64", WIDE),
        ("garbage_collection_threshold:0.5,per_process_memory_fraction:0.009", WIDE),
    ],
)
def test_the_recorded_settings_give_the_recorded_bytes_after_every_call(small, settings, words):
    code, summary = record(small, *words, settings=settings)
    assert code == 0
    (first,) = replay(small)["replays"]
    assert first["settings"] == settings
    assert_as_recorded(first)
    sums = recorded_sums(small, "out")
    assert first["peak_allocated_bytes"] == max(allocated for allocated, _ in sums)
    assert first["peak_reserved_bytes"] == max(reserved for _, reserved in sums)
    assert first["peak_allocated_bytes"] == max(step["peak_allocated_bytes"] for step in summary["steps"])
    assert first["fits"] is True
    assert first["device"] == {
        "profile": "h100-80gb",
        "name": "NVIDIA H100 80GB HBM3",
        "memory_bytes": 85_017_624_576,
        "recorded": True,
    }


def test_every_rank_has_a_replay_of_its_own(small):
    code, _ = record(small, "world_size=2", "--nccl-memory", "300MiB", dry="h100-80gb:2")
    assert code == 0
    replays = [replay(small, "--rank", rank)["replays"][0] for rank in (0, 1)]
    for first in replays:
        assert_as_recorded(first)
    # The allocator cannot use the memory that the communicator holds.
    context = json.loads((small.folder / "out/manifest.json").read_text())["dry"]["context_bytes"]["used"]
    taken = context + 300 * MIB
    fits, fails = (replay(small, "--memory", taken + left)["replays"][1]["fits"] for left in (110 * MIB, 90 * MIB))
    assert (fits, fails) == (True, False), "of the 100 MiB that are reserved"
    assert small.strata("replay", "out", "--rank", "7").returncode != 0


@pytest.mark.parametrize("clock", ["none", "modelled"])
@pytest.mark.parametrize(
    "settings",
    [
        "",
        "expandable_segments:True",
        "max_split_size_mb:32",
        "roundup_power2_divisions:4",
        "garbage_collection_threshold:0.6,per_process_memory_fraction:0.9",
    ],
)
def test_streams_threads_and_emptied_caches_come_out_as_recorded(small, settings, clock):
    record_random(small, 4, "streams", "threads", "empty", settings=settings, clock=clock)
    (first,) = replay(small, "--dry", "./card.yaml", out="random")["replays"]
    assert first["settings"] == settings
    assert_as_recorded(first, least=5000)
    deferred = small.query("random", "SELECT count(*) FROM allocator_tracer_event WHERE action IN (6, 7)")
    assert deferred[0][0] > 100, "blocks that another stream still used"
    if not settings:
        assert first["device_frees"] > 10, "the cache was emptied"


def test_private_pools_and_retries_come_out_as_recorded(small):
    record_random(small, 2, "streams", "pools", "threads", "empty", settings="max_split_size_mb:32")
    (first,) = replay(small, "--dry", "./card.yaml", out="random")["replays"]
    assert_as_recorded(first, least=5000)
    assert first["retries"] > 10
    assert first["out_of_memory"]["count"] > 0, "which the program got over"


def test_a_changed_recording_is_told_from_its_replay(small):
    record(small)
    small.query("out", "UPDATE allocator_tracer_event SET bytes = bytes + 4096 WHERE action = 1 AND bytes > 1024 AND sequence > 2000")
    (first,) = replay(small)["replays"]
    assert first["as_recorded"]["different"] > 100
    assert first["as_recorded"]["first"]["sequence"] > 2000
    text = small.strata("replay", "out").stdout
    assert "the first replay has other sums than recorded" in text


def test_expandable_segments_need_less_where_holes_are_too_small(small):
    code, _ = record(small, *WIDE, "model.context=256", "data.batch_size=16", "precision=bf16_autocast", "schedule.active=3")
    assert code == 0
    recorded, expandable = replay(small, "--alloc-conf", "expandable_segments:True")["replays"]
    assert_as_recorded(recorded)
    assert expandable["as_recorded"] is None
    assert expandable["peak_reserved_bytes"] < recorded["peak_reserved_bytes"]
    unused = [row["state"]["reserved_bytes"] - row["state"]["allocated_bytes"] for row in (recorded, expandable)]
    assert unused[1] < unused[0]
    for row in (recorded, expandable):
        assert row["state"]["largest_free_block_bytes"] <= row["state"]["reserved_bytes"] - row["state"]["allocated_bytes"]
        assert row["state"]["inactive_split_bytes"] <= row["state"]["reserved_bytes"] - row["state"]["allocated_bytes"]
        assert row["state"]["reserved_bytes"] == row["peak_reserved_bytes"]


class Planted:
    """A recording written by hand into the store of another run."""

    def __init__(self, workspace):
        self.workspace, self.rows, self.handed_out = workspace, [], 0
        workspace.query("out", "DELETE FROM allocator_tracer_event")

    def event(self, action, address, mebibytes):
        size = int(mebibytes * MIB)
        self.rows.append((len(self.rows) + 10, 1, 1, action, 2, 0, 0x300000000000 + address * MIB, size, 0, 0, self.handed_out, 0, 0, 0))
        self.handed_out += size if action == 1 else 0

    def allocate(self, address, mebibytes, segment=0):
        if segment:
            self.event(3, address, segment)
        self.event(1, address, mebibytes)

    def free(self, address, mebibytes):
        self.event(2, address, mebibytes)

    def write(self):
        for row in self.rows:
            self.workspace.query("out", f"INSERT INTO allocator_tracer_event VALUES {row}")


def test_holes_in_a_segment_are_lost_unless_segments_are_expandable(small):
    """400 MiB are cut into 20 blocks, and every other one is freed: 200 MiB are free, in holes of 20."""
    record(small)
    planted = Planted(small)
    planted.allocate(0, 400, segment=400)
    planted.free(0, 400)
    for block in range(20):
        planted.allocate(20 * block, 20)
    for block in range(0, 20, 2):
        planted.free(20 * block, 20)
    planted.allocate(400, 100, segment=100)
    planted.free(400, 100)
    planted.write()

    recorded, expandable = replay(small, "--alloc-conf", "expandable_segments:True")["replays"]
    assert_as_recorded(recorded, least=30)
    for row in (recorded, expandable):
        assert row["peak_reserved_bytes"] == 500 * MIB
        assert (row["state"]["allocated_bytes"], row["state"]["largest_free_block_bytes"]) == (300 * MIB, 20 * MIB)
    assert recorded["state"]["inactive_split_bytes"] == 200 * MIB
    assert (recorded["device_allocations"], recorded["most_unused_bytes"]) == (2, 400 * MIB)

    # With 450 MiB beside the context, only pages taken from the holes and joined are enough. No library is used before
    # the second call that asks for the device's memory, which is the last one here.
    manifest = small.folder / "out/manifest.json"
    facts = json.loads(manifest.read_text())
    facts["dry"]["context_parts"] = [part for part in facts["dry"]["context_parts"] if part["after_calls"] < 2]
    manifest.write_text(json.dumps(facts))
    context = facts["dry"]["context_bytes"]["init"] + sum(part["bytes"] for part in facts["dry"]["context_parts"])
    words = ("--memory", context + 450 * MIB, "--alloc-conf", "expandable_segments:True")
    _, split, expandable = replay(small, *words)["replays"]
    assert split["first_out_of_memory"]["bytes"] == 100 * MIB
    assert split["first_out_of_memory"]["device_free_bytes"] == 50 * MIB
    assert (split["first_out_of_memory"]["step"], split["first_out_of_memory"]["op"]) == (None, None)
    assert (expandable["fits"], expandable["retries"], expandable["peak_reserved_bytes"]) == (True, 1, 400 * MIB)


def test_a_smaller_card_runs_out_where_training_on_it_does(small):
    """A replay of a run on 2 GiB, limited to 900 MiB, and a run on a 900 MiB card fail at the same request."""
    card = (REPOSITORY / "configs/devices/t4.yaml").read_text()
    small.write("less.yaml", card.replace("15637086208", "900MiB"))
    assert record(small, *WIDE, dry="./card.yaml")[0] == 0
    code, _ = record(small, *WIDE, dry="./less.yaml", out="less")
    assert code == 3, "out of memory"
    (asked,) = small.query("less", "SELECT bytes, sequence, phase, op FROM allocator_tracer_event WHERE action = 5 AND device_type = 2")
    ((step,),) = small.query("less", f"SELECT max(step) FROM host_step_begin WHERE sequence < {asked[1]}")
    ((phase,),) = small.query("less", f"SELECT name FROM phase WHERE phase = {asked[2]}")

    recorded, less = replay(small, "--memory", "900MiB")["replays"]
    assert recorded["fits"] is True
    assert (less["fits"], less["out_of_memory"]["count"], less["settings"]) == (False, 1, "")
    failed = less["first_out_of_memory"]
    assert (failed["bytes"] + 511) // 512 * 512 == asked[0]
    assert (failed["step"], failed["phase"]) == (step, phase)
    assert failed["op"].startswith("aten::")
    ours = sum(1 for _ in small.query("out", f"SELECT 1 FROM allocator_tracer_event WHERE action = 1 AND device_type = 2 AND sequence < {failed['sequence']}"))
    ((theirs,),) = small.query("less", f"SELECT count(*) FROM allocator_tracer_event WHERE action = 1 AND device_type = 2 AND sequence < {asked[1]}")
    assert ours == theirs, "after as many allocations"

    text = small.strata("replay", "out", "--memory", "900MiB").stdout
    said = " ".join(text.split())
    assert f"2 runs out of memory at step {step}, {phase}, {failed['op']}" in said
    assert "The replay ends there." in said

    (again,) = replay(small, out="less")["replays"]
    assert_as_recorded(again, least=100)
    assert again["first_out_of_memory"]["bytes"] == asked[0]
    larger = replay(small, "--memory", "2GiB", out="less")
    assert larger["replays"][1]["fits"] is True
    assert "the run itself ran out of memory" in larger["warnings"][-1]


def test_a_replay_may_go_on_without_what_it_did_not_get(small):
    record(small, *WIDE, dry="./card.yaml")
    stopped, going = (
        replay(small, "--memory", "900MiB", *more)["replays"][1] for more in ([], ["--keep-going"])
    )
    assert stopped["first_out_of_memory"] == going["first_out_of_memory"]
    assert going["out_of_memory"]["count"] > 1
    assert going["out_of_memory"]["bytes"] > going["first_out_of_memory"]["bytes"]
    assert going["allocations"] > stopped["allocations"]


def test_a_run_on_a_real_card_needs_a_profile(small):
    record(small)
    manifest = small.folder / "out/manifest.json"
    facts = json.loads(manifest.read_text())
    del facts["dry"], facts["allocator"]
    manifest.write_text(json.dumps(facts))
    small.query("out", "DELETE FROM meta WHERE key = 'dry'")
    small.query("out", "DELETE FROM torch_allocator_settings")
    result = small.strata("replay", "out")
    assert result.returncode == 2
    assert "the run was on a real card and does not record which profile matches it. Name one: --dry h100-80gb" in result.stderr
    replayed = replay(small, "--dry", "h100-80gb")
    assert_as_recorded(replayed["replays"][0])
    assert replayed["replays"][0]["device"]["recorded"] is False
    assert replayed["recorded"]["settings_known"] is False
    assert "the defaults are assumed" in replayed["warnings"][-1]


TOGGLED = """
import torch
pool = torch.cuda.MemPool()
with torch.cuda.use_mem_pool(pool):
    cache = [torch.empty(32 << 20, dtype=torch.uint8, device="cuda") for _ in range(3)]
net = torch.nn.Sequential(torch.nn.Linear(1024, 4096), torch.nn.GELU(), torch.nn.Linear(4096, 1024)).cuda()
optimizer = torch.optim.AdamW(net.parameters())
for step in range(2):
    with torch.no_grad():
        net(torch.randn(256, 1024, device="cuda"))
    torch.cuda.empty_cache()
    torch.cuda.memory._set_allocator_settings("expandable_segments:True")
    for _ in range(2):
        net(torch.randn(2048, 1024, device="cuda")).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    torch.cuda.empty_cache()
    torch.cuda.memory._set_allocator_settings("expandable_segments:False,max_split_size_mb:64")
del cache, pool
torch.cuda.empty_cache()
"""


def test_settings_that_the_program_changes_are_followed(workspace):
    workspace.write("toggled.py", TOGGLED)
    result = workspace.strata("exec", "--dry", "a100-40gb", "--out", "out", "--", sys.executable, "toggled.py")
    assert result.returncode == 0, result.stderr
    replayed = replay(workspace, "--alloc-conf", "expandable_segments:True")
    own, other = replayed["replays"]
    assert_as_recorded(own, least=100)
    assert [change["settings"] for change in replayed["recorded"]["settings_changes"]] == [
        "expandable_segments:True",
        "expandable_segments:False,max_split_size_mb:64",
        "expandable_segments:True",
        "expandable_segments:False,max_split_size_mb:64",
    ]
    assert (own["follows_changes"], other["follows_changes"]) == (True, False)
    text = workspace.strata("replay", "out").stdout
    assert "1  as recorded: the defaults and 4 later changes by the program, on" in text


def test_the_table_fits_80_columns(small):
    record(small, settings="expandable_segments:True")
    program = ["script", "-qec", f"stty cols 80; {STRATA} replay out --alloc-conf '' --memory 900MiB", "/dev/null"]
    text = subprocess.run(program, cwd=small.folder, capture_output=True, text=True, env={"NO_COLOR": "1", "PATH": "/usr/bin:/bin", "TERM": "xterm"}).stdout
    lines = text.replace("\r", "").splitlines()
    assert any(line.split()[:1] == ["3"] for line in lines), text
    assert max(map(len, lines)) <= 80
    assert any("1  as recorded: expandable_segments:True, on 81,079 MiB of the" in line for line in lines)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--alloc-conf", "foo:1"], "replay: the settings 'foo:1': Unrecognized key 'foo' in Accelerator allocator config."),
        (["--alloc-conf", "max_split_size_mb:abc"], "replay: the settings 'max_split_size_mb:abc': a number is invalid"),
        (["--alloc-conf", "expandable_segments:yes"], "Expected 'True' or 'False' at index 2"),
        (["--alloc-conf", "backend:cudaMallocAsync"], "'cudaMallocAsync' is not torch's caching allocator"),
        (["--memory", "0"], "replay: --memory 0: expected a size such as 24GiB, in KiB, MiB, GiB or TiB"),
        (["--memory", "24"], "replay: --memory 24: is only 24 bytes; expected a unit, as in 24GiB"),
        (["--memory", "24GB"], "replay: --memory 24GB: expected a size such as 24GiB, in KiB, MiB, GiB or TiB"),
        (["--memory", "100MiB"], "that a context needs on a NVIDIA H100 80GB HBM3"),
        (["--memory", "2TiB"], "replay: --memory: a dry card has at most 1TiB"),
        (["--dry", "h100-80bg"], "unknown device 'h100-80bg'; did you mean 'h100-80gb'?"),
    ],
)
def test_what_cannot_be_had_is_refused_in_one_line(small, words, message):
    record(small)
    result = small.strata("replay", "out", *words)
    assert result.returncode == 2
    assert message in result.stderr
    assert (result.stdout, len(result.stderr.splitlines())) == ("", 1)


def test_the_largest_card_there_is(small):
    record(small, settings="expandable_segments:True")
    largest = replay(small, "--memory", "1TiB")["replays"][1]
    assert (largest["fits"], largest["device"]["memory_bytes"]) == (True, 1 << 40)


def test_a_run_without_a_caching_allocator_is_refused(tiny):
    assert tiny.strata("run", "tiny.yaml", "--out", "cpu").returncode == 0
    result = tiny.strata("replay", "cpu")
    assert result.returncode == 2
    assert "the run was on the CPU, whose allocator does not cache" in result.stderr
    assert tiny.strata("run", "tiny.yaml", "--out", "plain", "--dry", "t4", "plugins=[]").returncode == 0
    result = tiny.strata("replay", "plain")
    assert result.returncode == 2
    assert "no allocation was recorded" in result.stderr
    result = tiny.strata("replay", "none")
    assert result.returncode == 2
    assert "no run none" in result.stderr


def test_help_has_examples(workspace):
    text = workspace.strata("replay", "--help").stdout
    assert "strata replay runs/quickstart/20261121T101500Z --alloc-conf expandable_segments:True" in text
