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
    return programs.python("-m", "pytest", "-p", "strata_profiler.pytest_plugin", "test_model.py", "-q", *words, COLUMNS="200", timeout=400)


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
    assert "Optimizer_State 0.weight.exp_avg" in done.stdout
    assert "What would make it fit" in done.stdout and "strata advise --device a100-40gb --device-memory 40MiB -- " in done.stdout


def test_the_page_of_what_failed_stays_and_that_of_what_passed_goes(programs):
    text = """
@pytest.mark.strata_max_memory("1 GiB")
def test_fits():
    train("cpu")

@pytest.mark.strata_max_memory("1 MiB")
def test_does_not():
    train("cpu")
"""
    kept = programs.folder / "kept"
    done = run(programs, text, f"--basetemp={kept}")
    assert outcomes(done) == {"passed": 1, "failed": 1}
    (page,) = re.findall(r"\S+/report\.html", done.stdout)
    assert [page] == [str(found) for found in kept.glob("strata_max_memory[0-9]*/run/report.html")], done.stdout


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


OPTIONS = """
def pytest_addoption(parser):
    parser.addoption("--run-slow", action="store_true")
    parser.addoption("--width", default="0")
"""
SLOW = """
import os
@pytest.mark.strata_max_memory("1 GiB")
def test_fits(request, tmp_path):
    if not request.config.getoption("--run-slow"):
        pytest.skip("slow")
    assert request.config.getoption("--width") == "64"
    train("cpu")

def test_beside_it(tmp_path):
    assert tmp_path.exists()
"""


@pytest.mark.parametrize("workers", [[], ["-n", "1"]], ids=["in one process", "in a worker"])
def test_options_of_the_command_line_are_the_tests_own(programs, workers):
    programs.write("conftest.py", OPTIONS)
    words = ["--run-slow", "--width", "64", "-k", "fits or beside", "--maxfail", "3", "--junitxml=done.xml", "--basetemp", "scratch", *workers]
    done = run(programs, SLOW, *words)
    assert outcomes(done) == {"passed": 2}, done.stdout
    assert 'tests="2"' in (programs.folder / "done.xml").read_text(), "the session's own, with both tests"
    assert outcomes(run(programs, SLOW, *workers)) == {"passed": 1, "skipped": 1}


def test_options_of_the_environment_and_of_the_ini_file_are_the_tests_own(programs):
    programs.write("conftest.py", OPTIONS)
    programs.write("test_model.py", MODEL + SLOW)
    programs.write("pytest.ini", "[pytest]\naddopts = -p no:cacheprovider --width=64 -m 'not other' --junitxml=done.xml\n")
    done = programs.python("-m", "pytest", "-p", "strata_profiler.pytest_plugin", "-q", PYTEST_ADDOPTS="--run-slow", COLUMNS="200")
    assert outcomes(done) == {"passed": 2}, done.stdout
    assert 'tests="2"' in (programs.folder / "done.xml").read_text()


def test_a_test_that_skips_itself_is_skipped(programs):
    text = '@pytest.mark.strata_max_memory("1 GiB", dry="a100-40gb")\ndef test_fits():\n    pytest.skip("not here")\n'
    done = run(programs, text, "-rs")
    assert outcomes(done) == {"skipped": 1} and "not here" in done.stdout


def test_a_module_that_is_skipped_where_there_is_a_card(programs):
    """Which the session does not see, and the test's own process does."""
    text = """
if torch.cuda.is_available():
    pytest.skip("for the CPU", allow_module_level=True)

@pytest.mark.strata_max_memory("1 GiB", dry="a100-40gb")
def test_fits():
    train("cpu")
"""
    done = run(programs, text, "-rs")
    assert outcomes(done) == {"skipped": 1} and "for the CPU" in done.stdout, done.stdout


def test_a_module_that_fails_where_there_is_a_card(programs):
    text = 'assert not torch.cuda.is_available(), "mine"\n@pytest.mark.strata_max_memory("1 GiB", dry="a100-40gb")\ndef test_fits():\n    pass\n'
    done = run(programs, text)
    assert outcomes(done) == {"error": 1} and "mine" in done.stdout, done.stdout


def test_a_teardown_that_fails_is_an_error_beside_the_tests_own_outcome(programs):
    text = """
@pytest.fixture
def resource():
    yield
    raise OSError("not released")

@pytest.mark.strata_max_memory("1 GiB")
def test_fits(resource):
    train("cpu")

@pytest.mark.strata_max_memory("1 MB")
def test_does_not_fit(resource):
    train("cpu")
"""
    done = run(programs, text)
    assert outcomes(done)["passed"] == 1 and outcomes(done)["failed"] == 1 and "2 errors" in done.stdout, done.stdout
    assert "not released" in done.stdout and "above the budget" in done.stdout


def test_a_failure_that_is_expected_is_one_above_the_budget_too(programs):
    text = '@pytest.mark.xfail(strict=True)\n@pytest.mark.strata_max_memory({})\ndef test_fits():\n    train("cpu")\n    {}\n'
    done = run(programs, text.format('"1 MB"', ""))
    assert "1 xfailed" in done.stdout, done.stdout
    done = run(programs, text.format('"1 GiB"', "assert False"))
    assert "1 xfailed" in done.stdout, done.stdout


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
    "dies",
    [
        "@pytest.fixture\ndef dies():\n    yield\n    import os\n    os.kill(os.getpid(), 11)\n",
        "@pytest.fixture\ndef dies():\n    yield\n    pytest.exit('enough')\n",
        "@pytest.fixture\ndef dies():\n    import atexit, os\n    atexit.register(os.kill, os.getpid(), 11)\n",
    ],
    ids=["in its teardown", "in its teardown by itself", "behind its teardown"],
)
def test_a_process_that_dies_once_the_test_has_passed_is_a_failure(programs, dies):
    done = run(programs, dies + '@pytest.mark.strata_max_memory("1 GiB")\ndef test_fits(dies):\n    train("cpu")\n')
    assert done.returncode == 1 and outcomes(done).get("error", outcomes(done).get("failed")) == 1, done.stdout
    assert "the test's own process ended with" in done.stdout


def test_what_the_process_said_on_stderr_is_shown_with_a_failure(programs):
    text = '@pytest.mark.strata_max_memory("1 GiB")\ndef test_fits():\n    import os\n    os.write(2, b"last words\\n")\n    assert False\n'
    done = run(programs, text, "--capture=sys")
    assert outcomes(done) == {"failed": 1} and "\nlast words\n" in done.stdout, done.stdout


def test_nothing_is_captured_where_nothing_is_to_be(programs):
    done = run(programs, '@pytest.mark.strata_max_memory("1 GiB")\ndef test_fits():\n    print("spoken")\n    train("cpu")\n', "-s")
    assert outcomes(done) == {"passed": 1} and "spoken" in done.stdout


@pytest.mark.parametrize(
    ("mark", "message"),
    [
        ('"12 gigs"', "expected one such as"),
        ('"-1 GiB"', "expected one such as"),
        ("0", "more than 0"),
        ('"24"', '"24 GiB"?'),
        ("3000", '"3000 MiB"?'),
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
    from strata_profiler.budget import parse_size

    assert [parse_size(size) for size in ("12 GiB", "1.5MiB", "800 MB", " 70000 ", 90000, "7 B")] == [12 << 30, 3 << 19, 800_000_000, 70000, 90000, 7]


def test_the_marker_is_listed(programs):
    done = programs.python("-m", "pytest", "-p", "strata_profiler.pytest_plugin", "--markers")
    assert "strata_max_memory(budget" in done.stdout
