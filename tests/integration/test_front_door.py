# SPDX-License-Identifier: Apache-2.0
"""The program's first output: one screen when a program ends, a verdict in one line, help by what
the user wants to see."""

import math
import re
import sys

import pytest

# Prints to standard output, which Strata leaves to the program.
PROGRAM = """
import torch

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = torch.nn.ModuleList([torch.nn.Linear(256, 256) for _ in range(4)])
        self.head = torch.nn.Linear(256, 512)

    def forward(self, x):
        for block in self.blocks:
            x = torch.tanh(block(x))
        return self.head(x)

device = "cuda" if torch.cuda.is_available() else "cpu"
model = Model().to(device)
optimizer = torch.optim.AdamW(model.parameters())
for step in range(3):
    loss = model(torch.randn(512, 256, device=device)).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
print("the program's own line")
"""


def lines_on_80_columns(text):
    return sum(max(1, math.ceil(len(line) / 80)) for line in text.splitlines())


@pytest.fixture
def program(workspace):
    workspace.write("program.py", PROGRAM)

    def run(*words):
        return workspace.strata("exec", *words, "--", sys.executable, "program.py")

    run.folder = workspace.folder
    return run


def test_a_dry_run_ends_with_one_screen_that_names_layers(program):
    done = program("--dry", "a100-40gb", "--out", "out")
    assert done.returncode == 0 and done.stdout == "the program's own line\n"
    assert lines_on_80_columns(done.stderr) <= 30, done.stderr
    where = done.stderr.split("\nWhere")[1].split("\nWhy then")[0]
    assert "blocks.[0-3]" in where, done.stderr
    assert "exec --layers" not in done.stderr, "each layer is told"
    peak, what, why, after = (done.stderr.index(part) for part in ("\nPeak ", "\nWhat it was\n", "\nWhy then\n", "\nNext\n"))
    assert peak < what < why < after and done.stderr.endswith("/report.html\n")
    told = done.stderr[peak:]
    assert not re.search(r"\d (s|ms|µs)\b", told), "nothing was measured"


def test_layers_are_left_out_on_request_and_without_a_dry_gpu(program):
    done = program("--dry", "a100-40gb", "--no-layers", "--out", "out")
    assert "(forward)" in done.stderr and "strata exec --layers" in done.stderr
    refused = program("--dry", "a100-40gb", "--no-layers", "--layers", "--out", "both")
    assert refused.returncode == 2
    on_cpu = program("--out", "cpu")
    assert on_cpu.returncode == 0 and "(forward)" in on_cpu.stderr
    assert lines_on_80_columns(on_cpu.stderr) <= 30 and re.search(r"3 of 3 steps, median .* (ms|µs|s)\n", on_cpu.stderr)


def test_all_tables_stand_behind_detail(program):
    done = program("--dry", "a100-40gb", "--detail", "--out", "out")
    for part in ("Memory by category in MiB", "At the peak, by op", "largest at the peak"):
        assert part in done.stderr
    assert lines_on_80_columns(done.stderr) > 40


def test_the_doctor_opens_with_a_verdict(workspace):
    first, blank, *_ = workspace.strata("doctor").stdout.splitlines()
    assert re.match(r"Ready: torch 2\.\S+ in \S+; (no GPU here: use --dry \S+, or the CPU|GPUs: .+|no GPU and no dry GPU here: use the CPU)$", first)
    assert blank == ""


def test_the_doctor_says_what_to_do_where_nothing_can_start(workspace):
    result = workspace.strata("doctor", STRATA_TORCH_ROOT="/nonexistent")
    assert result.returncode == 1
    first = result.stdout.splitlines()[0]
    assert first.startswith("Not ready: trainer: ") and ". To do: " in first


def test_a_run_and_its_report_open_with_a_verdict(finished):
    expected = r"Peak [0-9.,]+ MiB, [0-9.]+% of it [A-Z]\w+; every byte has a category\.$"
    for text in (finished.result.stdout, finished.strata("report", "out").stdout):
        assert re.match(expected, text.splitlines()[0]), text.splitlines()[0]


def test_the_help_of_report_is_sorted_by_what_one_wants_to_see(workspace):
    text = workspace.strata("report", "--help").stdout
    groups = re.findall(r"^([A-Z][^:\n]*):$", text, re.MULTILINE)
    assert groups == ["Positionals", "What to see", "Which part of the run", "How much of it", "Output", "Examples"]
    see = text.split("What to see:")[1].split("Which part of the run:")[0]
    assert re.findall(r"^  (--\S+)", see, re.MULTILINE)[:3] == ["--layers", "--shapes", "--budget"]
    assert "Excludes" not in text and "\n\n\n" not in text
