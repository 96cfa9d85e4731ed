# SPDX-License-Identifier: Apache-2.0
"""@pytest.mark.strata_max_memory: a memory budget as a unit test."""

import re

import pytest

MODEL = """
import os, sys
import pytest, torch

def train(device, width=1024):
    model = torch.nn.Sequential(torch.nn.Linear(width, width), torch.nn.GELU(), torch.nn.Linear(width, width)).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), foreach=True)
    for _ in range(2):
        model(torch.randn(64, width, device=device)).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
"""
OPTIONS = """
def pytest_addoption(parser):
    parser.addoption("--run-slow", action="store_true")
    parser.addoption("--width", default="0")
"""
SLOW = """
@pytest.mark.strata_max_memory("1 GiB")
def test_slow(request, tmp_path):
    if not request.config.getoption("--run-slow"):
        pytest.skip("slow")
    assert request.config.getoption("--width") == "64"
    print("spoken")
    train("cpu")

def test_beside_it(tmp_path):
    assert tmp_path.exists()
"""
WIDTHS = """
@pytest.mark.strata_max_memory("1 GiB")
@pytest.mark.parametrize("width", [64, 128])
def test_fits(width):
    train("cpu", width)
"""
DIES = {
    "in_its_teardown": "yield\n    os.kill(os.getpid(), 11)",
    "in_its_teardown_by_itself": "yield\n    pytest.exit('enough')",
    "behind_its_teardown": "import atexit\n    atexit.register(os.kill, os.getpid(), 11)",
}
MARKS = [
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
]
# All tests that fit into one session; each is checked by a test of its outcome.
MANY = (
    MODEL
    + SLOW
    + """
@pytest.mark.strata_max_memory("1 GiB", dry="a100-40gb")
def test_within():
    train("cuda")

@pytest.mark.strata_max_memory("40 MiB", dry="a100-40gb")
def test_above():
    train("cuda")

@pytest.mark.strata_max_memory("1 TiB", dry="a100-40gb")
def test_larger_than_the_card():
    torch.empty(50 << 30, device="cuda")

@pytest.mark.strata_max_memory("1 GiB")
def test_asserts():
    train("cpu")
    assert 1 == 2, "mine"

@pytest.fixture(scope="module")
def device():
    yield "cpu"

def test_before(device):
    assert "STRATA_EXEC" not in os.environ

@pytest.mark.strata_max_memory("1 GiB")
@pytest.mark.parametrize("width", [64, 128])
def test_fixtures(device, width, tmp_path):
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

@pytest.mark.strata_max_memory("1 GiB", dry="a100-40gb")
def test_skips_itself():
    pytest.skip("not here")

@pytest.fixture
def resource():
    yield
    raise OSError("not released")

@pytest.mark.strata_max_memory("1 GiB")
def test_resource_fits(resource):
    train("cpu")

@pytest.mark.strata_max_memory("1 MB")
def test_resource_does_not_fit(resource):
    train("cpu")

@pytest.mark.xfail(strict=True)
@pytest.mark.strata_max_memory("1 MB")
def test_expected_above():
    train("cpu")

@pytest.mark.xfail(strict=True)
@pytest.mark.strata_max_memory("1 GiB")
def test_expected_to_assert():
    train("cpu")
    assert False

@pytest.mark.strata_max_memory("1 GiB")
def test_allocates_nothing():
    pass

@pytest.mark.strata_max_memory("1 GiB", dry="a100-40gb")
def test_leaves_the_card_alone():
    train("cpu")

@pytest.mark.strata_max_memory("1 GiB")
def test_is_killed():
    os.kill(os.getpid(), 9)
"""
    + "".join(f"""
@pytest.fixture
def {name}():
    {text}

@pytest.mark.strata_max_memory("1 GiB")
def test_dies_{name}({name}):
    train("cpu")
""" for name, text in DIES.items())
    + "".join(f"""
@pytest.mark.strata_max_memory({mark})
def test_mark_{number}():
    train("cpu")
""" for number, (mark, _) in enumerate(MARKS))
)
# The session sees no GPU, but the test's own process does.
SKIPPED = MODEL + """
if torch.cuda.is_available():
    pytest.skip("for the CPU", allow_module_level=True)

@pytest.mark.strata_max_memory("1 GiB", dry="a100-40gb")
def test_fits():
    train("cpu")
"""
FAILING = MODEL + """
assert not torch.cuda.is_available(), "no card, please"

@pytest.mark.strata_max_memory("1 GiB", dry="a100-40gb")
def test_fits():
    pass
"""


def run(programs, *words):
    programs.write("pytest.ini", "[pytest]\naddopts = -p no:cacheprovider\n")
    return programs.python("-m", "pytest", "-p", "strata_profiler.pytest_plugin", *words, COLUMNS="200", timeout=800)


def outcomes(done):
    return {outcome: int(count) for count, outcome in re.findall(r"(\d+) (passed|failed|skipped|error)", done.stdout.splitlines()[-1])}


class Session:
    """The output of one pytest session about each of its tests."""

    def __init__(self, done):
        self.done = done
        self._outcomes = re.findall(r"^(\w+)\.py::(\S+) ([A-Z]+) ", done.stdout, re.MULTILINE)
        self._sections = re.split(r"^_{3,} (.*?) _{3,}$|^={3,} .* ={3,}$", done.stdout, flags=re.MULTILINE)

    def outcomes(self, test, module="test_model"):
        return [outcome for of, name, outcome in self._outcomes if (of, name) == (module, test)]

    def text(self, test):
        """Return all messages about the test's failures."""
        titles = {test, f"ERROR at setup of {test}", f"ERROR at teardown of {test}"}
        return "\n".join(text for title, text in zip(self._sections[1::2], self._sections[2::2]) if title in titles)


@pytest.fixture(scope="module")
def many(module_programs):
    module_programs.write("conftest.py", OPTIONS)
    module_programs.write("test_model.py", MANY)
    module_programs.write("test_skipped.py", SKIPPED)
    module_programs.write("test_failing.py", FAILING)
    session = Session(run(module_programs, "-v", "-rs", "test_model.py", "test_skipped.py", "test_failing.py"))
    assert session.done.returncode == 1 and "INTERNALERROR" not in session.done.stdout + session.done.stderr
    return session


def test_within_the_budget(many):
    assert many.outcomes("test_within") == ["PASSED"], many.done.stdout


def test_above_the_budget_the_failure_says_why(many):
    assert many.outcomes("test_above") == ["FAILED"]
    text = many.text("test_above")
    assert re.search(r"peak [\d.]+ MiB on cuda:0, above the budget of 40.0 MiB, in step \d", text), text
    assert "Optimizer_State 0.weight.exp_avg" in text
    assert "What would make it fit" in text and "strata advise --device a100-40gb --device-memory 40MiB -- " in text


def test_out_of_the_cards_memory_is_a_failure_of_the_test(many):
    assert many.outcomes("test_larger_than_the_card") == ["FAILED"] and "OutOfMemoryError" in many.text("test_larger_than_the_card")


def test_what_the_test_asserts_itself_counts(many):
    assert many.outcomes("test_asserts") == ["FAILED"] and "mine" in many.text("test_asserts")


def test_fixtures_parameters_classes_and_other_tests(many):
    for test in ("test_before", "test_fixtures[64]", "test_fixtures[128]", "TestInAClass::test_fits", "test_after"):
        assert many.outcomes(test) == ["PASSED"], many.done.stdout
    assert many.outcomes("test_skipped") == ["SKIPPED"]


def test_a_test_that_skips_itself_is_skipped(many):
    assert many.outcomes("test_skips_itself") == ["SKIPPED"] and "not here" in many.done.stdout


def test_a_module_that_is_skipped_where_there_is_a_card(many):
    """The session does not see a GPU, but the test's own process does."""
    assert many.outcomes("test_fits", "test_skipped") == ["SKIPPED"] and "for the CPU" in many.done.stdout, many.done.stdout


def test_a_module_that_fails_where_there_is_a_card(many):
    assert many.outcomes("test_fits", "test_failing") == ["ERROR"] and "no card, please" in many.text("test_fits"), many.done.stdout


def test_a_teardown_that_fails_is_an_error_beside_the_tests_own_outcome(many):
    assert many.outcomes("test_resource_fits") == ["PASSED", "ERROR"], many.done.stdout
    assert many.outcomes("test_resource_does_not_fit") == ["FAILED", "ERROR"], many.done.stdout
    assert "not released" in many.text("test_resource_fits")
    assert "not released" in many.text("test_resource_does_not_fit") and "above the budget" in many.text("test_resource_does_not_fit")


def test_a_failure_that_is_expected_is_one_above_the_budget_too(many):
    assert many.outcomes("test_expected_above") == ["XFAIL"], many.done.stdout
    assert many.outcomes("test_expected_to_assert") == ["XFAIL"], many.done.stdout


def test_a_test_that_allocates_nothing_is_no_proof(many):
    assert many.outcomes("test_allocates_nothing") == ["FAILED"] and "nothing was recorded" in many.text("test_allocates_nothing")


def test_a_test_that_leaves_the_card_alone_is_no_proof(many):
    assert many.outcomes("test_leaves_the_card_alone") == ["FAILED"]
    assert "nothing on the dry a100-40gb" in many.text("test_leaves_the_card_alone")


def test_a_process_that_dies_is_a_failure(many):
    assert many.outcomes("test_is_killed") == ["FAILED"] and "ended with" in many.text("test_is_killed")


@pytest.mark.parametrize("name", DIES)
def test_a_process_that_dies_once_the_test_has_passed_is_a_failure(many, name):
    *passed, last = many.outcomes(f"test_dies_{name}")
    assert passed in ([], ["PASSED"]) and last in ("ERROR", "FAILED"), many.done.stdout
    assert "the test's own process ended with" in many.text(f"test_dies_{name}")


@pytest.mark.parametrize(("number", "message"), [(number, message) for number, (_, message) in enumerate(MARKS)])
def test_a_mark_that_makes_no_sense_is_one_clear_error(many, number, message):
    assert many.outcomes(f"test_mark_{number}") in (["FAILED"], ["ERROR"])
    assert message in many.text(f"test_mark_{number}")


def test_what_a_failure_leaves_behind_and_says(programs):
    """A failed test keeps its page, a passed one does not. If pytest does not capture stderr, the
    failure still shows it."""
    programs.write("test_model.py", MODEL + """
@pytest.mark.strata_max_memory("1 GiB")
def test_fits():
    train("cpu")

@pytest.mark.strata_max_memory(1_000_000)
def test_does_not():
    train("cpu")

@pytest.mark.strata_max_memory("1 GiB")
def test_speaks():
    os.write(2, b"last words\\n")
    assert False
""")
    kept = programs.folder / "kept"
    done = run(programs, "-q", "--capture=sys", f"--basetemp={kept}", "test_model.py")
    assert outcomes(done) == {"passed": 1, "failed": 2}, done.stdout
    (page,) = re.findall(r"\S+/report\.html", done.stdout)
    assert [page] == [str(found) for found in kept.glob("strata_max_memory[0-9]*/run/report.html")], done.stdout
    assert len(list(kept.glob("strata_max_memory[0-9]*"))) == 2
    assert "\nlast words\n" in done.stdout


WORDS = ["-q", "--run-slow", "--width", "64", "-k", "slow or beside or fits", "--maxfail", "3", "--junitxml=done.xml", "--basetemp", "scratch"]


def test_options_of_the_command_line_are_the_tests_own(programs):
    """The sessions above have no options, so they skip test_slow. With -s nothing is captured."""
    programs.write("conftest.py", OPTIONS)
    programs.write("test_model.py", MODEL + SLOW)
    done = run(programs, *WORDS, "-s", "test_model.py")
    assert outcomes(done) == {"passed": 2}, done.stdout
    assert "spoken" in done.stdout
    assert 'tests="2"' in (programs.folder / "done.xml").read_text(), "the session's own, with both tests"


def test_options_are_the_tests_own_in_workers(programs):
    programs.write("conftest.py", OPTIONS)
    programs.write("test_model.py", MODEL + SLOW + WIDTHS)
    done = run(programs, *WORDS, "-n", "2", "test_model.py")
    assert outcomes(done) == {"passed": 4}, done.stdout
    assert 'tests="4"' in (programs.folder / "done.xml").read_text(), "the session's own, with all tests"


def test_options_that_are_not_given_are_not_the_tests(many):
    assert many.outcomes("test_slow") == ["SKIPPED"] and many.outcomes("test_beside_it") == ["PASSED"]


def test_options_of_the_environment_and_of_the_ini_file_are_the_tests_own(programs):
    programs.write("conftest.py", OPTIONS)
    programs.write("test_model.py", MODEL + SLOW)
    programs.write("pytest.ini", "[pytest]\naddopts = -p no:cacheprovider --width=64 -m 'not other' --junitxml=done.xml\n")
    done = programs.python("-m", "pytest", "-p", "strata_profiler.pytest_plugin", "-q", PYTEST_ADDOPTS="--run-slow", COLUMNS="200")
    assert outcomes(done) == {"passed": 2}, done.stdout
    assert 'tests="2"' in (programs.folder / "done.xml").read_text()


def test_sizes():
    from strata_profiler.budget import parse_size

    assert [parse_size(size) for size in ("12 GiB", "1.5MiB", "800 MB", " 70000 ", 90000, "7 B")] == [12 << 30, 3 << 19, 800_000_000, 70000, 90000, 7]


def test_the_marker_is_listed(programs):
    done = programs.python("-m", "pytest", "-p", "strata_profiler.pytest_plugin", "--markers")
    assert "strata_max_memory(budget" in done.stdout
