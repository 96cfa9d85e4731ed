#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Break each promise on purpose, in a copy of the sources, and report which of its tests noticed.
`./dev promises` ends with this.

    tests/promises/run.py [NAME...] [--list] [--record]

The copy, with its own build, is in build/promises; the checkout is not touched. A mutation counts
as noticed if each of its tests passes without it and fails with it. The exit code is 1 if one was
not noticed. --record writes each mutation's row of docs/promises.md when it ends.
"""

import argparse
import datetime
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

from mutations import MUTATIONS, Mutation

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
PAGE = REPOSITORY / "docs/promises.md"
COPY = REPOSITORY / "build/promises/tree"
BUILD = COPY / "build/release"
TEST_SECONDS = 300
BEGIN, END = "<!-- mutations: made by ./dev promises --record -->\n", "<!-- end of mutations -->\n"


class NotMade(Exception):
    """The copy cannot be built, or a test did not finish, so the result is unknown."""


class TimedOut(NotMade):
    """The test was still running when its time was over."""


def say(text: str) -> None:
    print(f"promises: {text}", file=sys.stderr, flush=True)


def update_copy() -> None:
    """Write only files that differ, so that little is rebuilt."""
    names = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"], cwd=REPOSITORY, capture_output=True, check=True
    ).stdout.split(b"\0")
    for name in filter(None, map(os.fsdecode, names)):
        source, target = REPOSITORY / name, COPY / name
        if source.is_symlink() or not source.is_file():
            continue
        if target.is_file() and target.read_bytes() == source.read_bytes():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)
        os.utime(target)
    if not (COPY / ".venv").exists():
        (COPY / ".venv").symlink_to(REPOSITORY / ".venv")


def build() -> None:
    log = COPY.parent / "build.log"
    path = f"{REPOSITORY / '.venv/bin'}:{os.environ['PATH']}"
    commands = [] if (BUILD / "build.ninja").is_file() else [["cmake", "--preset", "release"]]
    commands.append(["cmake", "--build", "--preset", "release", "--parallel", str(len(os.sched_getaffinity(0)))])
    with log.open("w") as kept:
        for command in commands:
            done = subprocess.run(command, cwd=COPY, env={**os.environ, "PATH": path}, stdout=kept, stderr=subprocess.STDOUT)
            if done.returncode != 0:
                raise NotMade(f"it cannot be built: {log}")


def run_to_the_end(command: list[str], test: str, **options) -> subprocess.CompletedProcess:
    """Run a test; if it takes too long, end it with every process it started."""
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True, **options
    ) as process:
        try:
            out, err = process.communicate(timeout=TEST_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise TimedOut(f"{test} did not end within {TEST_SECONDS} s") from None
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def is_noticed(mutation: Mutation, test: str) -> bool:
    """Whether the test fails with the mutation. A time-out counts if the mutation expects one."""
    try:
        return not passes(test)
    except TimedOut:
        if not mutation.noticed_by_the_clock:
            raise
        return True


def passes(test: str) -> bool:
    """Whether a test passes; raises NotMade if it did not run."""
    folder = COPY
    if ".py" in test:
        command = [str(REPOSITORY / ".venv/bin/python"), "-m", "pytest", test, "-q", "-p", "no:cacheprovider"]
        expected = "passed"
    else:
        program, name = test.split()
        command, expected = [str(BUILD / "tests" / program), f"--gtest_filter={name}"], "[  PASSED  ] "
        folder = BUILD  # the test programs' paths begin there
    env = {**os.environ, "STRATA": str(BUILD / "bin/strata")}
    log = COPY.parent / "test.log"
    done = run_to_the_end(command, test, cwd=folder, env=env)
    log.write_text(done.stdout + done.stderr)
    if done.returncode == 5 or "Running 0 tests" in done.stdout or " skipped" in (done.stdout.splitlines() or [""])[-1]:
        raise NotMade(f"{test} did not run: {log}")
    return done.returncode == 0 and expected in done.stdout


def unnoticed_by(mutation: Mutation) -> list[str]:
    """Return the tests that pass although the promise is broken."""
    file = COPY / mutation.file
    text = file.read_text()
    if text.count(mutation.replaced) != 1:
        raise NotMade(f"{mutation.file} has what is to be replaced {text.count(mutation.replaced)} times")
    try:
        file.write_text(text.replace(mutation.replaced, mutation.by))
        build()
        return [test for test in mutation.tests if not is_noticed(mutation, test)]
    finally:
        file.write_text(text)


def row(mutation: Mutation, date: str) -> str:
    tests = ", ".join(f"`{test.split()[1]}`" if " " in test else test.rpartition("/")[2] for test in mutation.tests)
    how = " (by the time limit)" if mutation.noticed_by_the_clock else ""
    return f"| {mutation.breaks} | {tests}{how} | {date} |"


def record(mutation: Mutation, was_noticed: bool, page: pathlib.Path = PAGE) -> None:
    """Write this mutation's row, or remove it; also remove rows of mutations that no longer
    exist."""
    before, rest = page.read_text().split(BEGIN)
    table, after = rest.split(END)
    rows = {line.split(" | ")[0].removeprefix("| "): line for line in table.splitlines() if line.startswith("| ")}
    rows.pop(mutation.breaks, None)
    if was_noticed:
        rows[mutation.breaks] = row(mutation, datetime.date.today().isoformat())
    lines = [rows[each.breaks] for each in MUTATIONS if each.breaks in rows]
    head = f"{len(lines)} of {len(MUTATIONS)} were noticed.\n\n| the promise, broken | what failed | seen |\n|---|---|---|\n"
    page.write_text(before + BEGIN + head + "".join(f"{line}\n" for line in lines) + END + after)


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev promises", description="Break each promise on purpose: docs/promises.md.")
    known = {mutation.name: mutation for mutation in MUTATIONS}
    parser.add_argument("names", nargs="*", metavar="NAME", help="all, if none is named")
    parser.add_argument("--list", action="store_true", help="say what there is, and break nothing")
    parser.add_argument("--record", action="store_true", help="write each one's row of docs/promises.md as it ends")
    arguments = parser.parse_args()
    if unknown := [name for name in arguments.names if name not in known]:
        parser.error(f"no mutation '{unknown[0]}'; there are: {', '.join(known)}")
    chosen = [known[name] for name in arguments.names] or list(MUTATIONS)
    if arguments.list:
        for mutation in chosen:
            print(f"{mutation.name}: {mutation.breaks}")
        return 0
    update_copy()
    say(f"building the copy in {COPY}")
    build()
    failing = [test for test in dict.fromkeys(test for each in chosen for test in each.tests) if not passes(test)]
    if failing:
        raise NotMade(f"{failing[0]} fails with nothing broken: {COPY.parent / 'test.log'}")
    noticed = 0
    for number, mutation in enumerate(chosen, 1):
        began = time.monotonic()
        try:
            left = unnoticed_by(mutation)
            outcome = "noticed" if not left else f"NOT NOTICED by {', '.join(left)}"
        except NotMade as error:  # the others can still be tried
            left, outcome = list(mutation.tests), f"NOT TRIED: {error}"
        say(f"{number}/{len(chosen)} {mutation.name}: {outcome} ({time.monotonic() - began:.0f} s)")
        noticed += not left
        if arguments.record:
            record(mutation, not left)
    build()
    return 0 if noticed == len(chosen) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except NotMade as error:
        say(str(error))
        sys.exit(2)
