# SPDX-License-Identifier: Apache-2.0
"""Bundles of real runs: after unpacking, every part can be read by the tool it is for."""

import csv
import gzip
import html.parser
import json
import pickle
import resource
import signal
import subprocess
import sys
import tarfile
import time

import pytest
from workspaces import TINY, Workspace
from test_grid import GRID


@pytest.fixture(scope="module")
def two_runs(tmp_path_factory):
    """A workspace with two runs that have the same name and different batches."""
    workspace = Workspace(tmp_path_factory.mktemp("bundle"))
    workspace.write("tiny.yaml", "name: tiny\n" + TINY)
    for out, batch in (("one", 2), ("two", 4)):
        result = workspace.strata("run", "tiny.yaml", f"data.batch_size={batch}", "--out", out)
        assert result.returncode == 0, result.stderr
    return workspace


def unpacked(workspace, archive="all.tar.gz"):
    folder = workspace.folder / f"unpacked-{time.monotonic_ns()}"
    with tarfile.open(workspace.folder / archive) as tar:
        tar.extraction_filter = getattr(tarfile, "data_filter", None)  # Debian 12's Python has no data_filter
        tar.extractall(folder)
    (inner,) = folder.iterdir()
    return inner


def bundle(workspace, *words, out="all.tar.gz"):
    result = workspace.strata("bundle", *words, "--out", out)
    assert result.returncode == 0, result.stderr
    return result


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)


@pytest.mark.smoke
def test_all_parts_are_read_by_those_who_read_them(two_runs):
    assert bundle(two_runs, "one", "two").stdout == "all.tar.gz\n"
    folder = unpacked(two_runs)
    assert folder.name == "all"
    stems = ["memory_tiny_transformer_ctx32_batch2_train_fp32", "memory_tiny_transformer_ctx32_batch4_train_fp32"]
    endings = [".config.yaml", ".html", ".manifest.json", ".pickle", ".summary.json",
               "-categories.svg", "-layers.svg", "-memory.svg", "-peak.svg"]
    assert sorted(path.name for path in folder.iterdir()) == sorted([stem + ending for stem in stems for ending in endings] + ["table.csv", "table.md"])
    rows = list(csv.DictReader(open(folder / "table.csv")))
    assert [row["file"] for row in rows] == stems
    for row, stem, out in zip(rows, stems, ("one", "two")):
        summary = json.loads((folder / f"{stem}.summary.json").read_text())
        assert summary == json.loads((two_runs.folder / out / "summary.json").read_text())
        assert int(row["peak_allocated_bytes"]) == summary["peak"]["allocated_bytes"]
        assert float(row["loss"]) == pytest.approx(summary["loss"]["last"], rel=1e-3)
        assert row["times"] == "measured"
        snapshot = pickle.loads((folder / f"{stem}.pickle").read_bytes())
        assert snapshot["device_traces"]
        tags = Page((folder / f"{stem}.html").read_text()).tags
        assert tags.count("html") == 1 and "script" in tags
        assert "<svg" in (folder / f"{stem}-memory.svg").read_text()
    assert "peak_allocated MiB" in (folder / "table.md").read_text()
    # PyTorch's own reader makes its page from the snapshot.
    import torch.cuda._memory_viz as viz

    read = subprocess.run([sys.executable, viz.__file__, "trace_plot", folder / f"{stems[0]}.pickle", "-o", folder / "plot.html"],
                          capture_output=True, text=True, timeout=300)
    assert read.returncode == 0, read.stderr
    assert (folder / "plot.html").stat().st_size > 1000


def test_the_same_runs_make_the_same_bytes(two_runs):
    bundle(two_runs, "one", "two", out="same.tar.gz")
    first = (two_runs.folder / "same.tar.gz").read_bytes()
    time.sleep(1.1)
    bundle(two_runs, "one", "two", out="same.tar.gz")
    assert (two_runs.folder / "same.tar.gz").read_bytes() == first
    piped = subprocess.run(two_runs.command("bundle", "one", "--what", "table", "--out", "-"), cwd=two_runs.folder, capture_output=True)
    assert piped.returncode == 0 and gzip.decompress(piped.stdout)


def test_names_are_safe_and_unique(two_runs):
    bundle(two_runs, "one", "two", "one", "--what", "config,table", "--name", "../../{mode} $(id)\n{name}")
    with tarfile.open(two_runs.folder / "all.tar.gz") as tar:
        names = tar.getnames()
        assert all(entry.isreg() and entry.uid == entry.gid == 0 and entry.mtime > 0 for entry in tar)
    stem = "train---id--tiny"
    assert names == [f"all/{stem}.config.yaml", f"all/{stem}-2.config.yaml", f"all/{stem}-3.config.yaml", "all/table.csv", "all/table.md"]
    bundle(two_runs, "one", "--what", "table", "--name", "/" * 400)
    assert list(csv.DictReader(open(unpacked(two_runs) / "table.csv")))[0]["file"] == "run"
    bundle(two_runs, "one", "--what", "config,table", "--name", "table")
    assert (unpacked(two_runs) / "table-2.config.yaml").exists()


@pytest.mark.parametrize("name, said", [
    ("{model.nme}", "names the unknown key 'model.nme'; did you mean 'model.name'?"),
    ("{mode", "an unmatched brace"),
    ("mode}", "an unmatched brace"),
    ("", "is empty"),
])
def test_a_template_that_is_wrong(two_runs, name, said):
    result = two_runs.strata("bundle", "one", "--name", name, "--out", "wrong.tar.gz")
    assert result.returncode == 2 and said in result.stderr
    assert not (two_runs.folder / "wrong.tar.gz").exists()


def test_a_run_that_is_not_there(two_runs):
    (two_runs.folder / "empty").mkdir(exist_ok=True)
    for folder, said in (("nowhere", "no run nowhere"), ("empty", "it has no folder rank0"), (".", "runs in it: one, two")):
        result = two_runs.strata("bundle", "one", folder, "--out", "wrong.tar.gz")
        assert result.returncode == 2 and said in result.stderr
    assert not (two_runs.folder / "wrong.tar.gz").exists()


def test_a_grid(workspace):
    workspace.write("g.yaml", GRID)
    assert workspace.strata("grid", "run", "g.yaml", "--out", "out", "model.layers=1").returncode == 0
    bundle(workspace, "out", "--name", "{optimizer.name}_{model.layers}", "--what", "config,summary,table")
    folder = unpacked(workspace)
    assert {path.name for path in folder.glob("*.config.yaml")} == {"adamw_1.config.yaml", "sgd_1.config.yaml"}
    assert {row["times"] for row in csv.DictReader(open(folder / "table.csv"))} == {"dry"}


def test_no_half_file_is_left(two_runs):
    """Neither on a full disk, nor when the program is killed while it writes."""
    (two_runs.folder / "kept.tar.gz").write_text("before")
    before = set(two_runs.names())
    limited = subprocess.run(two_runs.command("bundle", "one", "two", "--out", "kept.tar.gz"), cwd=two_runs.folder, capture_output=True, text=True,
                             preexec_fn=lambda: (signal.signal(signal.SIGXFSZ, signal.SIG_IGN), resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000))))
    assert limited.returncode == 1 and "File too large" in limited.stderr
    assert (two_runs.folder / "kept.tar.gz").read_text() == "before" and set(two_runs.names()) == before
    killed = two_runs.start("bundle", *["one", "two"] * 10, "--out", "kept.tar.gz", "--format", "png")
    time.sleep(0.5)
    assert killed.poll() is None
    killed.kill()
    killed.communicate()
    assert (two_runs.folder / "kept.tar.gz").read_text() == "before"


def test_a_program_that_has_no_configuration_is_called_by_its_name(workspace):
    workspace.write("my_train.py", "import torch\ntorch.zeros(1000).sum()\n")
    assert workspace.strata("exec", "--out", "run", "--", sys.executable, "my_train.py").returncode == 0
    result = workspace.strata("bundle", "run", "--what", "html,table", "--out", "all.tar.gz")
    assert result.returncode == 0, result.stderr
    with tarfile.open(workspace.folder / "all.tar.gz") as archive:
        assert sorted(archive.getnames()) == ["all/memory_my_train.html", "all/table.csv", "all/table.md"]
