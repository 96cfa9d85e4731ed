# SPDX-License-Identifier: Apache-2.0
"""@pytest.mark.strata_max_memory: a memory budget as a unit test."""

import re

import pytest

MODEL = """
import pytest, torch

def train(device, width=1024):
    model = torch.nn.Sequential(torch.nn.Linear(width, width), torch.nn.GELU(), torch.nn.Linear(width, width)).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), foreach=True)
    for _ in range(2):
        model(torch.randn(64, width, device=device)).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
"""


def run(programs, text, *words):
    programs.write("test_model.py", MODEL + text)
    programs.write("pytest.ini", "[pytest]\naddopts = -p no:cacheprovider\n")
    return programs.python("-m", "pytest", "-p", "strata.pytest_plugin", "test_model.py", "-q", *words, COLUMNS="200", timeout=400)


def outcomes(done):
    return {outcome: int(count) for count, outcome in re.findall(r"(\d+) (passed|failed|skipped|error)", done.stdout.splitlines()[-1])}


def test_within_the_budget(programs):
    done = run(programs, '@pytest.mark.strata_max_memory("1 GiB", dry="a100-40gb")\ndef test_fits():\n    train("cuda")\n')
    assert outcomes(done) == {"passed": 1}, done.stdout


def test_above_the_budget_the_failure_says_why(programs):
    done = run(programs, '@pytest.mark.strata_max_memory("40 MiB", dry="a100-40gb")\ndef test_fits():\n    train("cuda")\n')
    assert done.returncode == 1
    assert outcomes(done) == {"failed": 1}
    assert re.search(r"peak [\d.]+ MiB on cuda:0, above the budget of 40.0 MiB, in step \d", done.stdout), done.stdout
    assert "Optimizer_State state 0.weight.exp_avg" in done.stdout
    assert "a fused optimizer" in done.stdout


def test_on_the_cpu_without_a_card(programs):
    text = '@pytest.mark.strata_max_memory({})\ndef test_fits():\n    train("cpu")\n'
    assert outcomes(run(programs, text.format('"1 GiB"'))) == {"passed": 1}
    assert outcomes(run(programs, text.format("1_000_000"))) == {"failed": 1}


def test_out_of_the_cards_memory_is_a_failure_of_the_test(programs):
    done = run(programs, '@pytest.mark.strata_max_memory("1 TiB", dry="a100-40gb")\ndef test_fits():\n    torch.empty(50 << 30, device="cuda")\n')
    assert outcomes(done) == {"failed": 1} and "OutOfMemoryError" in done.stdout


def test_what_the_test_asserts_itself_counts(programs):
    done = run(programs, '@pytest.mark.strata_max_memory("1 GiB")\ndef test_fits():\n    train("cpu")\n    assert 1 == 2, "mine"\n')
    assert outcomes(done) == {"failed": 1} and "mine" in done.stdout


def test_fixtures_parameters_classes_and_other_tests(programs):
    text = """
import os
@pytest.fixture(scope="module")
def device():
    yield "cpu"

def test_before(device):
    assert "STRATA_EXEC" not in os.environ

@pytest.mark.strata_max_memory("1 GiB")
@pytest.mark.parametrize("width", [64, 128])
def test_fits(device, width, tmp_path):
    assert "STRATA_EXEC" in os.environ
    train(device, width)

class TestInAClass:
    @pytest.mark.strata_max_memory("1 GiB")
    def test_fits(self, device):
        train(device)

@pytest.mark.strata_max_memory("1 GiB")
@pytest.mark.skip(reason="not now")
def test_skipped():
    raise AssertionError

def test_after(device):
    pass
"""
    assert outcomes(run(programs, text)) == {"passed": 5, "skipped": 1}


def test_beside_other_workers(programs):
    text = """
@pytest.mark.strata_max_memory("1 GiB")
@pytest.mark.parametrize("width", [64, 128])
def test_fits(width):
    train("cpu", width)
"""
    assert outcomes(run(programs, text, "-n", "2")) == {"passed": 2}


def test_a_test_that_allocates_nothing_is_no_proof(programs):
    done = run(programs, '@pytest.mark.strata_max_memory("1 GiB")\ndef test_fits():\n    pass\n')
    assert outcomes(done) == {"failed": 1} and "nothing was recorded" in done.stdout


def test_a_test_that_leaves_the_card_alone_is_no_proof(programs):
    done = run(programs, '@pytest.mark.strata_max_memory("1 GiB", dry="a100-40gb")\ndef test_fits():\n    train("cpu")\n')
    assert outcomes(done) == {"failed": 1} and "nothing on the dry a100-40gb" in done.stdout


def test_a_process_that_dies_is_a_failure(programs):
    done = run(programs, '@pytest.mark.strata_max_memory("1 GiB")\ndef test_fits():\n    import os\n    os.kill(os.getpid(), 9)\n')
    assert done.returncode == 1 and "ended with" in done.stdout


@pytest.mark.parametrize(
    ("mark", "message"),
    [
        ('"12 gigs"', "expected one such as"),
        ('"-1 GiB"', "expected one such as"),
        ("0", "more than nothing"),
        ("", "expected (budget"),
        ('"1 GiB", card="a100-40gb"', "'card'"),
        ('"1 GiB", "a100-40gb"', "2 positional"),
        ('"1 GiB", dry=7', "dry=7"),
        ('"1 GiB", dry="a100-41gb"', "a100-40gb"),
    ],
)
def test_a_mark_that_makes_no_sense_is_one_clear_error(programs, mark, message):
    done = run(programs, f'@pytest.mark.strata_max_memory({mark})\ndef test_fits():\n    train("cpu")\n')
    assert done.returncode == 1
    assert outcomes(done) in ({"failed": 1}, {"error": 1})
    assert message in done.stdout and "INTERNALERROR" not in done.stdout + done.stderr


def test_sizes():
    from strata.budget import parse_size

    assert [parse_size(size) for size in ("12 GiB", "1.5MiB", "800 MB", " 7 ", 9)] == [12 << 30, 3 << 19, 800_000_000, 7, 9]


def test_the_marker_is_listed(programs):
    done = programs.python("-m", "pytest", "-p", "strata.pytest_plugin", "--markers")
    assert "strata_max_memory(budget" in done.stdout
