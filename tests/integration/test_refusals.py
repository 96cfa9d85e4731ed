# SPDX-License-Identifier: Apache-2.0
"""A run that cannot work is rejected with exit code 2 and a message with the place, and leaves no
files."""

import os
import shutil
import pathlib

import pytest

from workspaces import STRATA


def refused(workspace, *words, **environment):
    before = workspace.names()
    result = workspace.strata(*words, **environment)
    assert result.returncode == 2, (result.stdout, result.stderr)
    assert result.stdout == ""
    assert workspace.names() == before
    return result.stderr.rstrip("\n").split("\n")


def test_all_errors_of_a_file_at_once_in_its_order(workspace):
    workspace.write(
        "bad.yaml",
        "model: {size: small, heads: 7}\n"
        "optimizer: {lrr: 1e-3}\n"
        "precision: bf16_autocats\n"
        "data: {source: text, path: nowhere/*.py}\n"
        "plugins:\n"
        "  - allocator_tracre\n",
    )
    lines = refused(workspace, "run", "bad.yaml", "seed=x")
    assert lines[:5] == [
        "bad.yaml:1:29: model.heads: expected heads that divide d_model, found 7 heads for d_model 768",
        "bad.yaml:2:13: optimizer.lrr: unknown key; did you mean 'lr'?",
        "bad.yaml:3:12: precision: expected one of fp64, fp32, tf32, bf16_autocast, fp16_autocast, bf16, found "
        "'bf16_autocats'; did you mean 'bf16_autocast'?",
        "bad.yaml:4:28: data.path: expected an existing file, folder or pattern, found no file at '"
        f"{workspace.folder}/nowhere/*.py'",
        "command line: seed=x: seed: expected an integer of at least 0, found 'x'",
    ]
    assert len(lines) == 6
    assert lines[5].startswith("bad.yaml:6:5: ")
    assert "allocator_tracre" in lines[5] and "'allocator_tracer'" in lines[5]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["exec", "--drry", "a100-40gb", "--", "true"], "strata: exec: unknown option --drry. Did you mean '--dry'?"),
        (["run", "x.yaml", "--otu=here"], "strata: run: unknown option --otu. Did you mean '--out'?"),
        (["reprot", "runs/a", "--layers"], "strata: unknown command reprot. Did you mean 'report'?"),
        (
            ["exec", "--batch", "1", "python", "train.py"],
            "strata: exec: unknown option --batch. If it is the program's own option, put the program after --: strata exec -- python train.py --batch",
        ),
        (["--verzion"], "strata: unknown option --verzion. Did you mean '--version'?"),
        (["gird", "run", "x.yaml"], "strata: unknown command gird. Did you mean 'grid'?"),
        (["grid", "rnu", "x.yaml"], "strata: grid: unknown command rnu. Did you mean 'run'?"),
        (["grid", "run", "x.yaml", "--nothing-like-it"], "strata: grid run: unknown option --nothing-like-it."),
    ],
)
def test_an_option_that_is_none_is_named(workspace, words, message):
    assert refused(workspace, *words) == [message]


def test_without_a_command_they_are_told(workspace):
    (line,) = refused(workspace, "help")
    assert line.startswith("strata: unknown command help. There are run, exec, ")
    lines = refused(workspace)
    assert lines[0] == "Strata shows where a training step's memory and time go." and "Examples:" in lines


def test_a_run_that_is_missing_is_asked_for_with_an_example(workspace):
    assert refused(workspace, "diff", "runs/a") == [
        "strata: diff: NEW is required: Folder of the new run; several are compared with the base side by side. For example:",
        "  strata diff runs/base/20261121T101500Z runs/new/20261121T102000Z",
    ]
    assert refused(workspace, "grid", "run")[0] == "strata: grid run: GRID is required: The grid's YAML. For example:"
    asked = "strata: report: RUN is required: Folder of a run, or a snapshot of torch.cuda.memory. For example:"
    assert refused(workspace, "report")[0] == asked


def test_two_runs_are_for_diff(workspace):
    assert refused(workspace, "report", "runs/a", "runs/b") == [
        "strata: report: expected one run, found another, runs/b; to compare the two: strata diff runs/a runs/b"
    ]


def test_a_grids_file_and_a_runs_are_told_apart(workspace):
    workspace.write("g.yaml", "# of a grid\ngrid: 1\nbase: {model: {size: small}}\naxes: {seed: [1, 2]}\n")
    workspace.write("r.yaml", "model: {size: small}\n")
    result = workspace.strata("run", "g.yaml")
    assert result.returncode == 2
    assert result.stderr == "g.yaml:2:1: grid: this file describes a grid, not a run; use: strata grid run g.yaml\n"
    for command in ("plan", "run"):
        result = workspace.strata("grid", command, "r.yaml")
        assert result.returncode == 2 and len(result.stderr.splitlines()) == 1
        assert "this file describes a run: strata run r.yaml" in result.stderr


@pytest.mark.parametrize(
    "words",
    [("run", "r.yaml"), ("exec", "--", "true"), ("grid", "run", "g.yaml"), ("export", "run"), ("bundle", "run"), ("plot", "run")],
)
def test_an_empty_place_is_none(workspace, words):
    result = workspace.strata(words[0], "--out", "", *words[1:]) if words[0] != "grid" else workspace.strata("grid", "run", "--out", "", "g.yaml")
    assert result.returncode == 2 and "--out: is empty; expected a path" in result.stderr
    assert not list(workspace.folder.iterdir())


def test_a_folder_that_cannot_be_made_is_named(finished):
    assert refused(finished, "plot", "out", "--out", "/proc/x") == [
        "strata: /proc/x cannot be created: No such file or directory; name another with --out"
    ]


def test_a_folder_of_runs_is_told_apart_from_one(finished):
    (line,) = refused(finished, "report", ".")
    assert line == "strata: . is not a run: it has no folder rank0; runs in it: out"
    assert refused(finished, "report", "nosuch") == ["strata: no run nosuch"]
    assert refused(finished, "report", "./uot") == ["strata: no run ./uot. Did you mean 'out'?"]
    (file,) = [path.name for path in finished.folder.iterdir() if path.is_file()]
    assert refused(finished, "report", file)[0].startswith(f"strata: {file} is not a run: expected the folder that holds rank0")
    assert finished.strata("report", "out/report.html").stdout == finished.strata("report", "out").stdout


@pytest.mark.parametrize("inside", ["rank0", "rank0/", "summary.json", "report.html"])
def test_what_lies_in_a_run_stands_for_it(finished, inside):
    assert finished.strata("report", f"out/{inside}", "--json").stdout == (finished.folder / "out/summary.json").read_text()


def test_an_unknown_option_of_a_plugin_names_its_place(workspace):
    workspace.write("t.yaml", "model: {size: small}\nplugins:\n  - allocator_tracer: {frobnicate: 1}\n")
    (line,) = refused(workspace, "run", "t.yaml")
    assert line.startswith("t.yaml:3:")
    assert "frobnicate" in line


@pytest.mark.parametrize(
    "text, message",
    [
        (b"", "is empty"),
        (b"# nothing\n", "is empty"),
        (b"model: {size: small}\ntrace:\n\tops: run\n", "t.yaml:3:1: is indented with a tab, which YAML does not allow; use spaces"),
        (b"model: [", "t.yaml:1:1: not valid YAML: "),
        (b"\xff\xfem\x00o\x00", "expected UTF-8, found UTF-16"),
        (b"\x7fELF\x02\x01\x01\x00\x00", "t.yaml:1:8: expected UTF-8 text, found the byte 0x00"),
        (b"\x89PNG\r\n", "t.yaml:1:1: expected UTF-8 text, found the byte 0x89"),
        (b"seed: " + b"[" * 100_000, "is nested too deeply for a configuration"),
        (b"seed: " + b"{a: " * 100_000, "is nested too deeply for a configuration"),
        (b"x" * (2 << 20), "is larger than 1048576 bytes"),
        (b"model: {size: small}\nname: " + b"x" * 1_000_000, "expected a name of letters"),
        (b"a: &a [*a]\nmodel: {size: small}\n", "t.yaml:1:1: a: unknown key"),
        (b"model: !!python/object/apply:os.system ['true']\n", "t.yaml:1:8: model: expected a mapping"),
        (b"- model\n", "expected a mapping of keys"),
        (b"model: {size: small}\n...\n---\nmodel: {size: small}\n", "expected one YAML document, found 2"),
    ],
    ids=lambda value: None if isinstance(value, bytes) else value[:24],
)
def test_a_hostile_file_gets_one_clear_line(workspace, text, message):
    workspace.write("t.yaml", text)
    lines = refused(workspace, "run", "t.yaml")
    assert message in lines[0]
    assert all(len(line) < 400 for line in lines)


def test_an_alias_bomb_is_not_unfolded(workspace):
    text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    for i in range(1, 60):
        text += f"a{i}: &a{i} [" + ", ".join([f"*a{i - 1}"] * 9) + "]\n"
    workspace.write("t.yaml", text + "model: {size: small}\nplugins: *a59\n")
    lines = refused(workspace, "run", "t.yaml")
    assert len(lines) == 69


@pytest.mark.parametrize(
    "name, message", [("missing.yaml", "missing.yaml: no such file"), (".", ".: expected a YAML file, found a folder")]
)
def test_what_is_no_file(workspace, name, message):
    assert refused(workspace, "run", name) == [message]


def test_a_missing_file_names_its_neighbour(tiny):
    assert refused(tiny, "run", "tiny.yml") == ["tiny.yml: no such file; did you mean 'tiny.yaml'?"]
    below = tiny.folder / "below"
    below.mkdir()
    (below / "other.txt").write_text("")
    (below / "some_run.yaml").write_text("")
    assert refused(tiny, "run", "below/some_rnu.yaml") == ["below/some_rnu.yaml: no such file; did you mean 'below/some_run.yaml'?"]
    assert refused(tiny, "run", "below/other.yaml") == ["below/other.yaml: no such file"]


def test_a_file_that_may_not_be_read(tiny):
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    (tiny.folder / "tiny.yaml").chmod(0)
    assert refused(tiny, "run", "tiny.yaml") == ["tiny.yaml: cannot be read: Permission denied"]


def test_out_must_be_free(tiny):
    tiny.write("file", "x")
    (tiny.folder / "full").mkdir()
    tiny.write("full/x", "x")
    assert "is not empty" in refused(tiny, "run", "tiny.yaml", "--out", "full")[0]
    assert "is not a folder" in refused(tiny, "run", "tiny.yaml", "--out", "file")[0]
    assert "file is not a folder" in refused(tiny, "run", "tiny.yaml", "--out", "file/below")[0]


def test_a_plugin_that_cannot_start_is_fatal_when_strict(tiny, tmp_path_factory):
    """A source of another torch release fails in `create`; here a file that is no plugin is
    rejected earlier."""
    broken = tmp_path_factory.mktemp("plugins") / "broken.so"
    broken.write_bytes(b"not a shared object")
    (line,) = refused(tiny, "run", "tiny.yaml", f"plugins=[{broken}]", "strict=true")
    assert "broken.so" in line


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("frobnicate",),
        ("run",),
        ("run", "--frobnicate"),
        ("run", "tiny.yaml", "--out"),
        ("report",),
        ("report", "nowhere"),
        ("plugins", "nope"),
        ("doctor", "extra"),
    ],
)
def test_bad_usage(tiny, words):
    refused(tiny, *words)


def test_without_the_trainer_the_remedy_is_named(tiny, tmp_path_factory):
    """A copy of the program with libstrata and plugins, but without the trainer."""
    root = tmp_path_factory.mktemp("installed")
    build = pathlib.Path(STRATA).resolve().parents[1]
    shutil.copytree(build / "bin", root / "bin")
    (root / "lib/strata").mkdir(parents=True)
    shutil.copy(build / "lib/libstrata.so", root / "lib")
    shutil.copytree(build / "lib/strata/plugins", root / "lib/strata/plugins")
    tiny.command = lambda *words: [str(root / "bin/strata"), *map(str, words)]
    (line,) = refused(tiny, "run", "tiny.yaml")
    assert "the trainer is not installed" in line and "STRATA_TORCH_ROOT" in line
    (root / "lib/strata/libstrata_trainer.so").write_bytes(b"garbage")
    (line,) = refused(tiny, "run", "tiny.yaml")
    assert "the trainer cannot be opened" in line
