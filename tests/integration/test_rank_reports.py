# SPDX-License-Identifier: Apache-2.0
"""All ranks of a job side by side: the report finds a planted slow rank and a planted heavy rank,
with their figures."""

import contextlib
import json
import shutil
import sqlite3
import sys

import pytest
from workspaces import Workspace

SLOW, HEAVY, SLEEP_MS = 2, 1, 300
PROGRAM = f"""
import time, torch, torch.distributed as dist
dist.init_process_group("gloo")
torch.manual_seed(0)
torch.set_num_threads(1)
rank = dist.get_rank()
model = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.GELU(), torch.nn.Linear(512, 8))
model = torch.nn.parallel.DistributedDataParallel(model)
optimizer = torch.optim.AdamW(model.parameters())
rows = 2048 if rank == {HEAVY} else 1024
batch = torch.randn(rows, 256)
for step in range(7):
    optimizer.zero_grad()
    output = model(batch)
    if rank == {SLOW} and step >= 3:
        time.sleep({SLEEP_MS / 1000})
    output.square().mean().backward()
    optimizer.step()
dist.destroy_process_group()
"""
TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node"]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """The folder of four ranks under torchrun, recorded once, and the output of strata exec."""
    workspace = Workspace(tmp_path_factory.mktemp("ranks"))
    workspace.write("train.py", PROGRAM)
    result = workspace.strata("exec", "--out", "out", "--", *TORCHRUN, "4", "train.py")
    assert result.returncode == 0, result.stderr
    return workspace, result


@pytest.fixture
def job(recorded, tmp_path):
    """A copy of that run, which a test may damage."""
    shutil.copytree(recorded[0].folder / "out", tmp_path / "out")
    return Workspace(tmp_path)


def compared(workspace, *words):
    result = workspace.strata("report", "out", "--ranks", "--json", *words)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def store_of(workspace, rank):
    (store,) = (workspace.folder / f"out/rank{rank}").glob("*.sqlite")
    return store


def test_a_planted_slow_rank_is_found(recorded):
    ranks = json.loads((recorded[0].folder / "out/ranks.json").read_text())
    slowest = ranks["stragglers"][0]
    assert slowest["rank"] == SLOW
    assert {4, 5} <= set(slowest["steps"])
    # Other work on this machine may delay the rank too, but not for as long.
    excess = {step["index"]: step["excess_ns"][SLOW] for step in ranks["steps"]}
    assert all(excess[step] > SLEEP_MS * 0.6e6 for step in (4, 5)) and all(excess[step] < SLEEP_MS * 0.5e6 for step in (1, 2))
    assert SLEEP_MS * 0.6e6 <= slowest["median_ns"] <= SLEEP_MS * 2e6
    assert slowest["phases"][0]["name"] == "forward"
    waits = [rank["median_wait_ns"] for rank in ranks["ranks"]]
    assert all(wait > SLEEP_MS * 0.5e6 for rank, wait in enumerate(waits) if rank != SLOW) and waits[SLOW] < SLEEP_MS * 0.5e6


def test_a_planted_heavy_rank_is_found_to_the_byte(recorded):
    workspace, _ = recorded
    ranks = json.loads((workspace.folder / "out/ranks.json").read_text())
    assert ranks["imbalance"]["heaviest"] == HEAVY
    by_kind = {(share["category"], share["kind"]): share["bytes"] for share in ranks["imbalance"]["shares"]}
    assert by_kind["Activation", "saved"] == 1024 * (512 + 512) * 4, "of each more row what GELU takes and gives"
    for rank in range(4):
        folder = workspace.folder / "out" / ("" if rank == 0 else f"rank{rank}")
        peak = json.loads((folder / "summary.json").read_text())["peak"]
        assert ranks["ranks"][rank]["peak"]["allocated_bytes"] == peak["allocated_bytes"]
        assert ranks["ranks"][rank]["peak"]["categories"] == peak["categories"]


def test_what_is_printed_fits_80_columns(recorded):
    _, result = recorded
    lines = result.stderr.splitlines()
    begin = lines.index("Ranks: 4 of 4 ranks, on 1 machine")
    assert all(len(line) <= 80 for line in lines[begin:-1])
    assert any(line.startswith(f"  rank {SLOW} is slowest in") for line in lines[begin:])
    assert lines[-1].endswith("out/ranks.html")


def test_the_page_shows_every_rank(recorded):
    page = (recorded[0].folder / "out/ranks.html").read_text()
    for rank in range(4):
        assert f">rank {rank}</a>" in page
    assert "http://" not in page and "https://" not in page


def test_one_rank_can_still_be_asked_for(job):
    result = job.strata("report", "out", "--rank", 1)
    assert result.returncode == 0 and "Ranks:" not in result.stdout
    both = job.strata("report", "out", "--rank", 1, "--ranks")
    assert both.returncode == 2


def test_damaged_and_missing_ranks_are_named_and_others_reported(job):
    store_of(job, 1).write_bytes(b"no database" * 1000)
    shutil.rmtree(job.folder / "out/rank3")
    ranks = compared(job)
    assert [rank["rank"] for rank in ranks["ranks"]] == [0, 2]
    assert [rank["rank"] for rank in ranks["lost"]] == [1, 3]
    assert "rank1" in ranks["lost"][0]["reason"]
    report = job.strata("report", "out")
    assert report.returncode == 0, report.stderr
    assert "Ranks: 2 of 4 ranks" in report.stdout
    assert "rank 1 cannot be read" in report.stdout and "left nothing in this folder: 3" in report.stdout


@pytest.mark.parametrize("left", [0, 2])
def test_one_rank_that_is_left_alone_says_that_the_others_are_missing(job, left):
    for rank in {0, 1, 2, 3} - {left}:
        shutil.rmtree(job.folder / f"out/rank{rank}")
    report = job.strata("report", "out")
    assert report.returncode == 0, report.stderr
    assert "Memory by category" in report.stdout and "Ranks: 1 of 4 ranks" in report.stdout
    missing = "0, 1, 3" if left == 2 else "1-3"
    assert f"3 ranks of 4 left nothing in this folder: {missing}" in report.stdout
    assert f"left nothing in this folder: {missing}" in (job.folder / "out/ranks.html").read_text()


MODEL = "{name: gpt2, size: custom, layers: 1, d_model: 32, d_ff: 64, heads: 2, vocab: 256, context: 32}"


def test_a_dry_rank_stands_for_others_only_where_none_was_started(workspace):
    workspace.write("dry.yaml", f"model: {MODEL}\ndata: {{source: synthetic, batch_size: 2}}\nschedule: {{active: 2}}\nplugins: [allocator_tracer]\n")
    assert workspace.strata("run", "dry.yaml", "--out", "first", "world_size=4", "ddp.ranks=first", "--dry", "h100-80gb").returncode == 0
    assert workspace.strata("run", "dry.yaml", "--out", "all", "world_size=2", "--dry", "h100-80gb:2").returncode == 0
    shutil.rmtree(workspace.folder / "all/rank1")
    first = workspace.strata("report", "first")
    assert first.returncode == 0 and "Ranks:" not in first.stdout and not (workspace.folder / "first/ranks.html").exists()
    ranks = json.loads(workspace.strata("report", "first", "--ranks", "--json").stdout)
    assert ranks["world_size"] == 4 and ranks["lost"] == []
    assert "1 rank of 2 left nothing in this folder: 1" in workspace.strata("report", "all").stdout


def test_no_rank_at_all_is_an_error(job):
    for rank in range(4):
        store_of(job, rank).write_bytes(b"no database" * 1000)
    result = job.strata("report", "out", "--ranks")
    assert result.returncode == 1 and "rank0" in result.stderr


def move_to_another_machine(job, ranks, boot_ns, wall_ns):
    """Shift the ranks' times as if their machine was booted at another time and its wall clock was
    ahead."""
    for rank in ranks:
        with contextlib.closing(sqlite3.connect(store_of(job, rank))) as database, database:
            tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            for table in tables:
                columns = {row[1] for row in database.execute(f"PRAGMA table_info({table})")}
                if "monotonic_ns" in columns:
                    database.execute(f"UPDATE {table} SET monotonic_ns = monotonic_ns + {boot_ns}")
            database.execute(f"UPDATE host_clock SET realtime_ns = realtime_ns + {wall_ns}")
        path = job.folder / "out" / f"rank{rank}/manifest.json"
        manifest = json.loads(path.read_text())
        manifest["host"].update(hostname="node-b", boot_id="another")
        path.write_text(json.dumps(manifest))


@pytest.mark.parametrize("wall_ms", [0, 2000])
def test_two_machines_are_brought_onto_one_clock(job, wall_ms):
    before = compared(job)
    assert len(before["clocks"]) == 1 and before["clocks"][0]["uncertainty_ns"] == 0
    move_to_another_machine(job, (2, 3), boot_ns=987_654_321_000, wall_ns=wall_ms * 1_000_000)
    after = compared(job)
    assert [clock["ranks"] for clock in after["clocks"]] == [[0, 1], [2, 3]]
    uncertainty = after["clocks"][1]["uncertainty_ns"]
    assert 0 < uncertainty < 1_000_000_000
    assert (after["clocks"][1]["wall_clocks_apart_ns"] > 0) == (wall_ms > 0)
    assert after["clocks"][1]["placed_by"] == ("averaging" if wall_ms else "wall_clocks")
    for was, now in zip(before["ranks"], after["ranks"]):
        assert abs(was["begin_ns"] - now["begin_ns"]) <= uncertainty
    assert after["stragglers"][0]["rank"] == before["stragglers"][0]["rank"]
    text = job.strata("report", "out", "--ranks").stdout
    assert "node-b (ranks 2, 3)" in text and "known to ±" in text


def test_clocks_are_not_moved_by_a_job_that_is_not_whole(job):
    """Without rank 1 nothing proves that all ranks average together: a pipeline's stage may be
    missing."""
    move_to_another_machine(job, (2, 3), boot_ns=987_654_321_000, wall_ns=2_000_000_000)
    shutil.rmtree(job.folder / "out/rank1")
    ranks = compared(job)
    clock = ranks["clocks"][1]
    assert (clock["placed_by"], clock["correction_ns"], clock["uncertainty_ns"]) == ("wall_clocks", 0, None)
    assert ranks["stragglers"][0]["rank"] == SLOW, "who waits, each machine's own clock shows"
    text = " ".join(job.strata("report", "out", "--ranks").stdout.split())
    assert "off by nobody knows how much: nothing shows that all ranks average with all others" in text
    assert "off by nobody knows how much" in (job.folder / "out/ranks.html").read_text()


def test_all_ranks_are_one_trace(job):
    result = job.strata("export", "out", "--format", "chrome", "--all-ranks", "--out", "trace.json")
    assert result.returncode == 0, result.stderr
    events = json.loads((job.folder / "trace.json").read_text())["traceEvents"]
    names = {event["pid"]: event["args"]["name"] for event in events if event["name"] == "process_name"}
    assert sorted(names) == [0, 1, 2, 3] and all(name.startswith(f"rank {pid} on cpu") for pid, name in names.items())
    begins = {"backward": {}, "AdamW.step": {}}
    for event in events:
        if event["name"] in begins and event["ph"] == "X" and event["args"]["step"] == 5:
            begins[event["name"]][event["pid"]] = event["ts"]
    assert sorted(begins["backward"]) == sorted(begins["AdamW.step"]) == [0, 1, 2, 3]
    assert max(begins["backward"].values()) <= min(begins["AdamW.step"].values()), "none goes on before all have begun"
    blocks = [(event["pid"], event["id"]) for event in events if event["ph"] == "b"]
    assert len({number for _, number in blocks}) == len(blocks), "no two ranks share an id"
    refused = job.strata("export", "out", "--format", "csv", "--all-ranks", "--out", "-")
    assert refused.returncode == 2 and "--all-ranks needs --format chrome" in refused.stderr


def test_ranks_of_strata_run_are_compared(workspace):
    model = "{name: gpt2, size: custom, layers: 2, d_model: 32, d_ff: 64, heads: 2, vocab: 256, context: 32}"
    workspace.write("two.yaml", f"model: {model}\ndata: {{source: synthetic, batch_size: 2}}\nschedule: {{active: 3}}\nplugins: [allocator_tracer]\n")
    result = workspace.strata("run", "two.yaml", "--out", "out", "world_size=2")
    assert result.returncode == 0, result.stderr
    assert "2 ranks side by side: strata report" in result.stderr
    ranks = compared(workspace)
    assert [rank["rank"] for rank in ranks["ranks"]] == [0, 1]
    assert ranks["imbalance"]["spread_bytes"] == 0
    assert {phase for rank in ranks["ranks"] for phase in [rank["complete_steps"]]} == {len(ranks["steps"])}
    report = workspace.strata("report", "out")
    assert "Memory by category" in report.stdout and "Ranks: 2 of 2 ranks" in report.stdout
    assert report.stdout.splitlines()[-1].endswith("out/ranks.html")


ON_THE_FIRST_CARD = """
import os, torch, torch.distributed as dist
rank = int(os.environ["LOCAL_RANK"])
weights = torch.load("weights.pt", map_location="cuda" if {forgets} else f"cuda:{{rank}}")
torch.cuda.set_device(rank)
dist.init_process_group("nccl")
model = torch.nn.Linear(2048, 2048).cuda()
model.load_state_dict(weights)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    model(torch.randn(64, 2048, device="cuda")).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
dist.destroy_process_group()
"""


@pytest.mark.parametrize("forgets", [True, False])
def test_memory_on_the_card_of_another_rank_is_named(workspace, forgets):
    workspace.write("weights.py", "import torch\ntorch.save(torch.nn.Linear(2048, 2048).state_dict(), 'weights.pt')")
    assert workspace.strata("exec", "--out", "saved", "--", sys.executable, "weights.py").returncode in (0, 1)
    workspace.write("train.py", ON_THE_FIRST_CARD.format(forgets=forgets))
    result = workspace.strata("exec", "--dry", "a100-40gb:2", "--out", "out", "--", *TORCHRUN, "2", "train.py")
    assert result.returncode == 0, result.stderr
    cards = [{card["device"]: card["peak_allocated_bytes"] for card in rank["other_cards"]} for rank in compared(workspace)["ranks"]]
    text = " ".join(workspace.strata("report", "out", "--ranks").stdout.split())
    if forgets:
        assert cards[0] == {} and cards[1]["cuda:0"] >= 2048 * 2049 * 4
        assert "rank 1, on cuda:1, has up to 16.0 MiB on cuda:0 as well" in text and "map_location" in text
    else:
        assert cards == [{}, {}] and "as well" not in text
