#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run fuzz targets, one after the other or several at once, and report the results. `./dev fuzz`
ends with this.

    tests/fuzz/run.py BUILD_FOLDER [TARGET...] [--seconds N | --short | --same] [--jobs N]
        [--record]

New inputs go to BUILD_FOLDER/fuzz/corpus/TARGET, where the next run begins; failing inputs go to
BUILD_FOLDER/fuzz/broken. The exit code is 1 if there was a failure.
"""

import argparse
import concurrent.futures
import dataclasses
import datetime
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import threading
import time

FUZZ = pathlib.Path(__file__).resolve().parent
REPOSITORY = FUZZ.parent.parent
PAGE = REPOSITORY / "tests/fuzz/README.md"
SHORT_SECONDS = 20
LONGEST_INPUT_BYTES = 8192
# For one input. The slowest targets open a session and write a whole report, under two sanitizers.
TIMEOUT_SECONDS = 25
MOST_MEMORY_MIB = 3072
# Threads that outlive an input make libFuzzer check for leaks after each input. These targets check
# once, at the end.
LEAKS_AT_THE_END = ("event_streams", "run_store")

# For --same: as many inputs besides the corpus as take about ten seconds on a slow machine.
SAME_INPUTS = {"event_streams": 60, "run_store": 100}
SAME_INPUTS_OF_OTHERS = 1000

printing = threading.Lock()


def say(text: str) -> None:
    with printing:
        print(f"fuzz: {text}", file=sys.stderr, flush=True)


@dataclasses.dataclass
class Outcome:
    target: str
    seconds: int
    executions: int = 0
    edges: int = 0
    inputs: int = 0
    failure: str = ""
    reproducer: pathlib.Path | None = None

    def row(self, date: str) -> str:
        found = f"**{self.failure}**" if self.failure else "nothing"
        return (
            f"| `{self.target}` | {date} | {self.seconds} | {self.executions:,} | "
            f"{self.executions / max(self.seconds, 1):,.0f} | {self.edges:,} | {self.inputs:,} | {found} |"
        )


HEADER = (
    "| target | date | seconds | executions | a second | edges covered | inputs kept | broke |\n"
    "|---|---|---:|---:|---:|---:|---:|---|"
)


def targets_of(build: pathlib.Path) -> list[str]:
    programs = (build / "tests").glob("fuzz_*")
    return sorted(each.name.removeprefix("fuzz_") for each in programs if (FUZZ / "corpus" / each.name[5:]).is_dir())


def environment() -> dict[str, str]:
    env = dict(os.environ)
    env["ASAN_OPTIONS"] = "detect_leaks=1:allocator_may_return_null=1"
    env["UBSAN_OPTIONS"] = "halt_on_error=1:print_stacktrace=1"
    symbolizer = shutil.which("llvm-symbolizer-14") or "/usr/lib/llvm-14/bin/llvm-symbolizer"
    if os.access(symbolizer, os.X_OK):
        env["ASAN_SYMBOLIZER_PATH"] = symbolizer
    memory = pathlib.Path("/dev/shm")  # targets write thousands of stores
    if os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 1 << 30:
        env["TMPDIR"] = str(memory)
    return env


def command_of(build: pathlib.Path, target: str, seconds: int, same: bool) -> list[str]:
    kept, broken = build / ("fuzz/same" if same else "fuzz/corpus") / target, build / "fuzz/broken"
    if same:
        shutil.rmtree(kept, ignore_errors=True)
    for folder in (kept, broken):
        folder.mkdir(parents=True, exist_ok=True)
    command = [str(build / "tests" / f"fuzz_{target}"), str(kept), str(FUZZ / "corpus" / target)]
    command += [
        f"-max_total_time={seconds}",
        f"-timeout={TIMEOUT_SECONDS}",
        f"-rss_limit_mb={MOST_MEMORY_MIB}",
        f"-max_len={LONGEST_INPUT_BYTES}",
        f"-detect_leaks={int(target not in LEAKS_AT_THE_END)}",
        f"-artifact_prefix={broken}/{target}-",
        "-print_final_stats=1",
    ]
    if same:
        seeds = sum(1 for _ in (FUZZ / "corpus" / target).iterdir())
        command += ["-seed=1", f"-runs={seeds + SAME_INPUTS.get(target, SAME_INPUTS_OF_OTHERS)}"]
    dictionary = FUZZ / f"dictionaries/{target}.dict"
    return [*command, f"-dict={dictionary}"] if dictionary.is_file() else command


def follow(process: subprocess.Popen, log: pathlib.Path, outcome: Outcome) -> None:
    """Read libFuzzer's lines to the end, and report progress now and then."""
    on_terminal = sys.stderr.isatty()
    last = time.monotonic()
    with log.open("w") as kept:
        for line in process.stdout:
            kept.write(line)
            if found := re.match(r"#(\d+)\s.*cov: (\d+) .*corp: (\d+)", line):
                outcome.executions, outcome.edges, outcome.inputs = map(int, found.groups())
            if found := re.match(r"stat::number_of_executed_units:\s*(\d+)", line):
                outcome.executions = int(found[1])
            if found := re.search(r"Test unit written to (\S+)", line):
                outcome.reproducer = pathlib.Path(found[1])
            if found := re.match(r"broken promise: (.*)", line):
                outcome.failure = found[1]
            elif found := re.match(r"SUMMARY: (.*)", line):
                outcome.failure = outcome.failure or found[1].replace(str(REPOSITORY) + "/", "").strip()
            if time.monotonic() - last > (5 if on_terminal else 60):
                last = time.monotonic()
                say(f"{outcome.target}: {outcome.executions:,} executions, {outcome.edges:,} edges")


def run(build: pathlib.Path, target: str, seconds: int, same: bool) -> Outcome:
    outcome = Outcome(target, seconds)
    log = build / f"fuzz/{target}.log"
    command = command_of(build, target, seconds, same)
    began = time.monotonic()
    with subprocess.Popen(
        command,
        env=environment(),
        cwd=build,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        follow(process, log, outcome)
    outcome.seconds = round(time.monotonic() - began)
    if process.returncode != 0 and not outcome.failure:
        outcome.failure = f"exit code {process.returncode}"
    if outcome.failure:
        say(f"{target}: {outcome.failure}; the whole log: {log}")
        if outcome.reproducer:
            say(f"{target}: again with: {shlex.join([command[0], str(outcome.reproducer)])}")
    else:
        say(f"{target}: {outcome.executions:,} executions in {outcome.seconds} s, nothing broke")
    return outcome


def record(outcome: Outcome, date: str) -> None:
    """Replace this target's row in the table of tests/fuzz/README.md."""
    begin, end = "<!-- runs: made by ./dev fuzz --record -->\n", "<!-- end of runs -->\n"
    before, rest = PAGE.read_text().split(begin)
    table, after = rest.split(end)
    rows = dict(re.findall(r"^\| `(\w+)` (.*)$", table, re.MULTILINE))
    rows = {target: f"| `{target}` {row}" for target, row in rows.items()}
    rows[outcome.target] = outcome.row(date)
    lines = "\n".join(rows[target] for target in sorted(rows))
    PAGE.write_text(f"{before}{begin}{HEADER}\n{lines}\n{end}{after}")


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev fuzz", description="Run fuzz targets: tests/fuzz/README.md.")
    parser.add_argument("build", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="all, if none is named")
    parser.add_argument("--seconds", type=int, default=600, help="of each target [600]")
    parser.add_argument("--short", action="store_true", help=f"{SHORT_SECONDS} seconds of each")
    parser.add_argument("--same", action="store_true", help="the same few inputs every time, as ./dev test --all has it")
    parser.add_argument("--jobs", type=int, default=1, help="targets at once [1]")
    parser.add_argument("--record", action="store_true", help="write the table into tests/fuzz/README.md, with the date")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    known = targets_of(build)
    if not known:
        parser.error(f"no target is built in {build}")
    if unknown := [each for each in arguments.targets if each not in known]:
        parser.error(f"no target '{unknown[0]}'; there are: {', '.join(known)}")
    seconds = SHORT_SECONDS if arguments.short else arguments.seconds
    (build / "fuzz").mkdir(exist_ok=True)
    date = datetime.date.today().isoformat()
    outcomes = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for outcome in pool.map(lambda target: run(build, target, seconds, arguments.same), arguments.targets or known):
            outcomes.append(outcome)
            if arguments.record:  # record each target when it ends, because all of them take hours
                record(outcome, date)
    print(HEADER)
    for outcome in outcomes:
        print(outcome.row(date))
    return 1 if any(outcome.failure for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
